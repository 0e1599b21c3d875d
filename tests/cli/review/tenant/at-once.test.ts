import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { GROUP_ADMINS as ADMINS, OTHER_ROLE_ID as VIEWER } from "../../../../simulator/default-seed";
import { adds, AskedTenant } from "../../../../testkit/cli/asked";

/* A review waits for no answer that its next question doesn't need. */

const tenant = AskedTenant.forTests();
const CONFLICT = "conflicts:\n  - [support-agent, billing-viewer]\n";

/** The questions once it's known who has the role. */
const HELD = {
  members: new RegExp(`^/api/v2/groups/${ADMINS}/members`),
  direct: new RegExp(`^/api/v2/roles/${VIEWER}/users`),
  permissions: new RegExp(`^/api/v2/roles/${VIEWER}/permissions`),
};

test.each([
  ["without rules", undefined],
  ["with rules", CONFLICT],
])("people and permissions are asked for at once, %s", async (_, rules) => {
  const waiting = new Map<string, () => void>();
  // Answers none of these before all have been asked.
  const proxy = createServer((incoming, answer) => {
    const [held] = Object.entries(HELD).find(([, path]) => path.test(incoming.url ?? "")) ?? [];
    const forward = () => passOn(incoming, answer);
    if (held === undefined) return forward();
    waiting.set(held, forward);
    if (waiting.size < Object.keys(HELD).length) return;
    for (const release of waiting.values()) release();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  try {
    const environment = {
      IDENTITY_DOMAIN: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      IDENTITY_AUDIENCE: `${tenant.simulator.url}/api/v2/`,
    };
    const [review] = await tenant.reviewed([[adds("a", VIEWER, [ADMINS])]], {
      environment,
      ...(rules !== undefined && { rules }),
    });
    expect([...waiting.keys()].sort()).toEqual(Object.keys(HELD).sort());
    expect(review?.names[ADMINS]).toBe("directory-admins");
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

function passOn(incoming: IncomingMessage, answer: ServerResponse): void {
  const { method, headers, url } = incoming;
  const onward = request(new URL(url ?? "", tenant.simulator.url), { method, headers }, (from) => {
    answer.writeHead(from.statusCode ?? 500, from.headers);
    from.pipe(answer);
  });
  incoming.pipe(onward);
}
