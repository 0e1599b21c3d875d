import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { type AddressInfo } from "node:net";
import { ADMINS, AGENT, BILLING, VIEWER } from "../../../../simulator/default-seed";
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

const ONE = [adds("a", VIEWER, [ADMINS])];
const TWO = [...ONE, adds("b", AGENT, [BILLING])];

test.each([
  ["people and permissions, without rules", HELD, ONE, undefined],
  ["people and permissions, with rules", HELD, ONE, CONFLICT],
  [
    "who has the second role, and names of roles",
    { groups: new RegExp(`^/api/v2/roles/${AGENT}/groups`), roles: /^\/api\/v2\/roles\?/ },
    TWO,
    undefined,
  ],
  ["people, and names of roles", { ...HELD, roles: /^\/api\/v2\/roles\?/ }, ONE, undefined],
])("asked for at once: %s", async (_, held, steps, rules) => {
  const waiting = new Map<string, () => void>();
  // Answers none of these before all have been asked.
  const proxy = createServer((incoming, answer) => {
    const [name] = Object.entries(held).find(([, path]) => path.test(incoming.url ?? "")) ?? [];
    const forward = () => passOn(incoming, answer);
    if (name === undefined) return forward();
    waiting.set(name, forward);
    if (waiting.size < Object.keys(held).length) return;
    for (const release of waiting.values()) release();
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  try {
    const environment = {
      IDENTITY_DOMAIN: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      IDENTITY_AUDIENCE: `${tenant.simulator.url}/api/v2/`,
    };
    const [review] = await tenant.reviewed([steps], { environment, ...(rules !== undefined && { rules }) });
    expect([...waiting.keys()].sort()).toEqual(Object.keys(held).sort());
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
