import { createServer, type Server } from "node:http";
import { type AddressInfo } from "node:net";
import { ADMINS, BILLING, VIEWER } from "../../simulator/default-seed";
import { OUTSIDER, useTenant } from "../../testkit/tenant";
import { type Engine, failed } from "../../testkit/engine";
import { groupsUrl, viewers } from "../../testkit/assignments";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { type Way, ways } from "../../testkit/ways";

/* Answers that the service didn't give: from another host, or from something in front of the right one. */

const tenant = useTenant();
catchLines();

let host: Server | undefined;
afterEach(() => new Promise((resolve) => (host === undefined ? resolve(undefined) : host.close(resolve))));

/** A host that isn't a tenant, and gives the same answer to every request. */
async function strangerSaying(status: number, body: string, type: string): Promise<string> {
  host = createServer((_request, response) => response.writeHead(status, { "content-type": type }).end(body));
  await new Promise<void>((resolve) => host?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
}

/** Uses a given token: a host that is asked for one has already shown what it is. */
function withToken(start: Way[1], domain: string, parallel = 8): Engine {
  const { "identity:clientId": _id, "identity:clientSecret": _secret, ...config } = start().config;
  return start({
    parallel,
    config: { ...config, "identity:domain": domain, "identity:accessToken": OUTSIDER },
  });
}

const wanted = { a: viewers(ADMINS), b: viewers(BILLING) };

describe.each(ways(tenant))("%s", (_way, start) => {
  const engineFor = (domain: string, parallel?: number) => withToken(start, domain, parallel);

  describe.each([
    ["its own 404", 404, "<h1>Not found</h1>", "text/html"],
    ["its own 404 in JSON", 404, '{"error":"no route"}', "application/json"],
    ["200 and a page", 200, "<h1>Welcome</h1>", "text/html"],
    ["200 and an object", 200, '{"ok":true}', "application/json"],
  ])("a wrong host that answers everything with %s", (_what, status, body, type) => {
    test("is not taken for the tenant: nothing is recorded", async () => {
      const engine = engineFor(await strangerSaying(status, body, type));

      const { errors } = await failed(engine.up(wanted));

      expect(errors).toHaveLength(2);
      for (const error of errors)
        expect(error).toMatch(new RegExp(`answered ${status}.*Check .*identity:domain`));
      expect(engine.state.size).toBe(0);
    });
  });

  describe("the right tenant, from which such answers come, too", () => {
    const notItsOwn = { status: 404, processed: true, body: "<h1>Not found</h1>" };
    const path = `*${groupsUrl(VIEWER)}`;
    const unreadable = { method: "GET", path: `${path}*`, times: 20, action: notItsOwn };

    test("what may have been done is recorded once the host has spoken as the service", async () => {
      const engine = engineFor(tenant.url, 1);
      tenant.fail({ method: "POST", path, after: 1, times: 20, action: notItsOwn }, unreadable);

      await failed(engine.up(wanted));

      const recorded = [...engine.state.values()].flatMap(({ outputs }) => outputs["groupIds"] as string[]);
      expect(recorded.sort()).toEqual(tenant.groupsOf(VIEWER));
      expect(recorded).toHaveLength(2);
    });

    test("or when state knows a resource of the tenant", async () => {
      const engine = engineFor(tenant.url);
      await engine.up({ a: viewers(ADMINS) });
      tenant.fail({ method: "POST", path, times: 20, action: notItsOwn }, unreadable);

      await failed(engine.up(wanted));

      expect(engine.resource("b").outputs).toMatchObject({ groupIds: [BILLING], unconfirmed: [BILLING] });
    });

    test("or when it gave a token", async () => {
      const engine = start();
      tenant.fail({ method: "POST", path, times: 20, action: notItsOwn }, unreadable);

      await failed(engine.up({ a: viewers(ADMINS) }));

      expect(engine.resource("a").outputs).toMatchObject({ groupIds: [ADMINS], unconfirmed: [ADMINS] });
    });

    test("a gateway that answers nothing but errors of its own leaves what may have been done on record", async () => {
      const engine = engineFor(tenant.url);
      const gateway = { status: 502, processed: true, body: "<h1>Bad gateway</h1>" };
      tenant.fail({ path, times: 50, action: gateway });

      await failed(engine.up({ a: viewers(ADMINS) }));

      expect(engine.resource("a").outputs).toMatchObject({ groupIds: [ADMINS], unconfirmed: [ADMINS] });
      expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS]);
    });
  });
});
