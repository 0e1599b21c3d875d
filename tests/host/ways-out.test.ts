import {
  GROUP_ADMINS,
  GROUP_BILLING,
  GROUP_SUPPORT,
  OTHER_ROLE_ID as VIEWER,
} from "../../simulator/default-seed";
import { failed, profile } from "../../testkit/engine";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { viewers } from "../../testkit/assignments";
import { useTenant } from "../../testkit/tenant";
import { ways } from "../../testkit/ways";

/* What a gateway, a smaller plan or a gone tenant leaves a stack with, through each door. */

const tenant = useTenant();
catchLines();

const WAY_OUT =
  "To destroy the rest, leave this resource out: pulumi destroy --exclude URN. If its tenant or the feature is gone for good, " +
  "take it out of state: pulumi state delete URN.";
const lost = {
  status: 403,
  body: { statusCode: 403, message: "Not in your plan.", errorCode: "insufficient_entitlement" },
};

describe.each(ways(tenant))("%s", (_, start) => {
  test("the plan loses the features: a destroy says so, and how to go on, after one request for each", async () => {
    const engine = start();
    await engine.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING), p: profile({ name: "enterprise" }) });
    tenant.sent();
    tenant.fail({ method: "DELETE", path: "*", times: 99, action: lost });
    const { errors } = await failed(engine.destroy({ continueOnError: true }));
    expect(errors.sort()).toEqual([
      `a: DELETE /roles/${VIEWER}/groups answered 403 insufficient_entitlement: Not in your plan. The tenant's plan doesn't allow it. ${WAY_OUT}`,
      `p: DELETE /connection-profiles/${engine.resource("p").id} answered 403 insufficient_entitlement: Not in your plan. The tenant's plan doesn't allow it. ${WAY_OUT}`,
    ]);
    expect(tenant.sent().filter((line) => line.startsWith("DELETE"))).toHaveLength(2);
    expect(engine.state.size).toBe(2);
  });

  test("the tenant has no token endpoint any more", async () => {
    const engine = start();
    await engine.up({ a: viewers(GROUP_ADMINS) });
    tenant.fail({ method: "POST", path: "/oauth/token*", times: 99, action: { status: 404 } });
    const { errors } = await failed(engine.destroy());
    expect(errors.join()).toContain(`There is no token endpoint on ${tenant.url}`);
    expect(errors.join()).toContain(WAY_OUT);
  });

  test.each([
    [
      "Missing body.",
      "The request was sent with its body: a proxy or gateway on the way takes it out of DELETE requests.",
    ],
    [
      "Payload validation error: 'Missing required property: groups' on property groups.",
      "The request was sent with its body: a proxy or gateway on the way takes it out of DELETE requests.",
    ],
    [
      "Not so.",
      "The request was sent with its body: if the service misses that, a proxy or gateway on the way takes it out of DELETE requests.",
    ],
  ])(
    "a gateway takes the body of a DELETE away: after %p, the message says that it was sent",
    async (message, told) => {
      const engine = start();
      await engine.up({ a: viewers(GROUP_ADMINS, GROUP_BILLING, GROUP_SUPPORT) });
      const body = { statusCode: 400, message, errorCode: "invalid_body" };
      tenant.fail({ method: "DELETE", path: "*", times: 99, action: { status: 400, body } });
      tenant.sent();
      const { errors } = await failed(engine.destroy());
      expect(errors.join()).toContain(told);
      expect(errors.join()).not.toContain(WAY_OUT);
      // Halves wouldn't arrive either, but another refusal may be about one group.
      const tries = tenant.sent().filter((line) => line.startsWith("DELETE")).length;
      expect(tries).toBe(message === "Not so." ? 5 : 1);
    },
  );

  describe("profiles whose names move", () => {
    const named = (a: string, b: string) => ({ a: profile({ name: a }), b: profile({ name: b }) });

    test("a swap needs a third name and two runs, and the message says so", async () => {
      const engine = start({ parallel: 1 });
      await engine.up(named("one", "two"));
      const { errors } = await failed(engine.up(named("two", "one")));
      expect(errors[0]).toMatch(/^a: PATCH \/connection-profiles\/\S+ answered 409/);
      expect(errors[0]).toContain(
        '"b" still had the name "two". Profiles that swap names need two runs: give one of them a third name and run ' +
          "`pulumi up`, then its final name and run it again.",
      );
      await engine.up(named("one", "three"));
      await engine.up(named("two", "three"));
      await engine.up(named("two", "one"));
      expect((await engine.preview(named("two", "one"))).steps).toEqual([]);
    });

    test("a name that the other gives up is free in the next run", async () => {
      const engine = start({ parallel: 1 });
      await engine.up(named("one", "two"));
      const { errors } = await failed(engine.up(named("two", "three"), { continueOnError: true }));
      expect(errors.join()).toContain('"b" still had the name "two". It is free once that is done');
      await engine.up(named("two", "three"));
      expect(tenant.profiles().map(({ name }) => name)).toEqual(["two", "three"]);
    });
  });
});
