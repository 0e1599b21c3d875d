import { type BehaviourInput } from "../../simulator";
import { Engine, profile, type Program, secret } from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { TOKEN, useTenant } from "../../testkit/tenant";

/*
 * What a service may do to values, over several runs. tests/contract/connection-profile.test.ts has what one
 * operation does.
 */

const tenant = useTenant();
catchLines();

const ORGANIZATION = { showAsButton: "optional", assignMembershipOnLogin: "required" };
/** The same on the tenant. */
const ORGANIZATION_THERE = { show_as_button: "optional", assign_membership_on_login: "required" };

/** An engine that has made the resource `p`, and the id of its profile. */
async function made(inputs: Values): Promise<{ engine: Engine; id: string; url: string }> {
  const engine = new Engine(tenant, { startHost: inProcess });
  await engine.up({ p: profile(inputs) });
  tenant.sent();
  const { id } = engine.resource("p");
  return { engine, id, url: `/connection-profiles/${id}` };
}

describe("drift", () => {
  test("a setting that somebody has emptied and set again is as wanted", async () => {
    const wanted = { name: "a", enabledFeatures: ["scim"], organization: { showAsButton: "none" } };
    const { engine, url } = await made(wanted);
    await tenant.outside("PATCH", url, { enabled_features: [], organization: {} });
    expect((await engine.refresh()).steps).toEqual(["drift p: enabledFeatures, organization"]);

    tenant.sent();
    await tenant.outside("PATCH", url, {
      enabled_features: ["scim"],
      organization: { show_as_button: "none" },
    });
    await engine.refresh();
    expect((await engine.preview({ p: profile(wanted) })).steps).toEqual([]);
  });
});

describe("removal", () => {
  /** It's undocumented how a PATCH treats nested values, and null: each combination is a possible service. */
  const SERVICES: BehaviourInput[] = (["replace", "merge"] as const).flatMap((nested_patch) =>
    (["clear", "keep", "reject"] as const).map((null_in_patch) => ({ nested_patch, null_in_patch })),
  );

  const okta = { enabledFeatures: ["scim"] };
  const oidc = { enabledFeatures: ["universal_logout"] };
  const BEFORE: Program = {
    value: profile({ name: "value", organization: ORGANIZATION }),
    object: profile({ name: "object", organization: { showAsButton: "optional" } }),
    strategy: profile({ name: "strategy", strategyOverrides: { okta, oidc } }),
  };
  const AFTER: Program = {
    value: profile({ name: "value", organization: { showAsButton: "optional" } }),
    object: profile({ name: "object" }),
    strategy: profile({ name: "strategy", strategyOverrides: { oidc } }),
  };

  test.each(SERVICES)(
    "removal of one value inside an object, of the whole object, and of one strategy among two, where the service has %j",
    async (behaviour) => {
      /** A merging service that ignores null can't remove anything inside an object. */
      const keepsNested = behaviour.nested_patch === "merge" && behaviour.null_in_patch !== "clear";
      tenant.behave(behaviour);
      const engine = new Engine(tenant, { parallel: 1, startHost: inProcess });
      await engine.up(BEFORE);

      const { steps, messages } = await engine.up(AFTER);

      expect(steps).toEqual([
        "update value: organization",
        "update object: organization",
        "update strategy: strategyOverrides",
      ]);
      const kept = [
        "organization.assignMembershipOnLogin",
        "organization.showAsButton",
        "strategyOverrides.okta",
      ].map((path) => expect.stringContaining(`the service kept ${path}`) as string);
      expect(messages).toEqual(keepsNested ? kept : []);
      const left = (key: string) => tenant.profile(engine.resource(key).id);
      const [optional, nothing] = [{ show_as_button: "optional" }, {}];
      expect(left("value")?.["organization"]).toEqual(keepsNested ? ORGANIZATION_THERE : optional);
      expect(left("object")?.["organization"] ?? nothing).toEqual(keepsNested ? optional : nothing);
      expect(left("strategy")?.["strategy_overrides"]).toMatchObject({
        oidc: { enabled_features: ["universal_logout"] },
      });
      const drift = [
        "drift value: organization",
        "drift object: organization",
        "drift strategy: strategyOverrides",
      ];

      await engine.up(BEFORE);
      expect(left("value")?.["organization"]).toEqual(ORGANIZATION_THERE);
      expect((await engine.up(BEFORE)).steps).toEqual([]);

      await engine.up(AFTER);
      await expectSettled(engine, AFTER, keepsNested ? drift : []);
    },
  );

  /** Nothing more happens now. After a refresh nothing either, or values that the service kept are drift. */
  async function expectSettled(engine: Engine, program: Program, drift: string[] = []): Promise<void> {
    tenant.sent();
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
    expect((await engine.refresh()).steps).toEqual(drift);
    if (drift.length > 0) return;
    tenant.sent();
    expect((await engine.up(program)).steps).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  }
});

describe("values that the service stores in another form", () => {
  /* A service that stores values in another form: reported once, recorded, and not drift. */

  const provisioning = (hosts: string[]) => ({ strategyOverrides: { okta: { provisioning: { hosts } } } });

  interface Case {
    behaviour: BehaviourInput["profile_values"];
    given: Values;
    /** The message's suggestion for the program. */
    says: string;
    asStored: Values;
  }

  const CASES: Record<string, Case> = {
    "a trimmed name": {
      behaviour: "tidied",
      given: { name: "partners " },
      says: 'name is "partners", not "partners "',
      asStored: { name: "partners" },
    },
    "a sorted list, and a URL with a slash": {
      behaviour: "tidied",
      given: { name: "a", ...provisioning(["https://b.example.com", "https://a.example.com"]) },
      says: 'strategyOverrides.okta.provisioning.hosts is ["https://a.example.com/","https://b.example.com/"], not ["https://b.example.com","https://a.example.com"]',
      asStored: { name: "a", ...provisioning(["https://a.example.com/", "https://b.example.com/"]) },
    },
    "a default that isn't stored": {
      behaviour: "tidied",
      given: { name: "a", organization: { showAsButton: "none", assignMembershipOnLogin: "required" } },
      says: 'organization.showAsButton is not set, not "none"',
      asStored: { name: "a", organization: { assignMembershipOnLogin: "required" } },
    },
    "a default that is added": {
      behaviour: "completed",
      given: { name: "a", organization: { assignMembershipOnLogin: "required" } },
      says: `organization.showAsButton is "none", which wasn't sent`,
      asStored: {
        name: "a",
        organization: { showAsButton: "none", assignMembershipOnLogin: "required" },
      },
    },
  };

  test.each(Object.entries(CASES))(
    "%s is said once, is no drift, and costs no request to write as the service has it",
    async (_, { behaviour, given, says, asStored }) => {
      tenant.behave({ ...(behaviour && { profile_values: behaviour }) });
      const engine = new Engine(tenant, { startHost: inProcess });
      const { messages } = await engine.up({ p: profile(given) });
      const { id } = engine.resource("p");
      expect(messages).toEqual([
        `Connection profile ${id}: the service doesn't store ${says.split(/[ .]/)[0]} as it was sent: ${says}. ` +
          "Write it like that in the program. Until you do, the difference isn't reported as drift.",
      ]);
      tenant.sent();

      expect((await engine.up({ p: profile(given) })).steps).toEqual([]);
      expect(tenant.sent()).toEqual([]);
      const again = await engine.up({ p: profile(given) }, { refresh: true });
      expect([again.steps, again.messages]).toEqual([[], []]);
      expect(tenant.sent()).toEqual([TOKEN, `GET /connection-profiles/${id} 200`]);

      expect((await engine.up({ p: profile(asStored) })).messages).toEqual([]);
      expect(tenant.sent().filter((line) => !line.startsWith("GET") && line !== TOKEN)).toEqual([]);
      expect((await engine.up({ p: profile(asStored) }, { refresh: true })).steps).toEqual([]);
    },
  );

  describe("reads that leave out a default, which the answers to writes have", () => {
    const wanted = {
      name: "a",
      organization: { showAsButton: "none", assignMembershipOnLogin: "required" },
    };
    const shown = { assign_membership_on_login: "required" };
    const program = { p: profile(wanted) };

    async function made() {
      tenant.seed();
      const engine = new Engine(tenant, { startHost: inProcess });
      await engine.up(program);
      const { id } = engine.resource("p");
      const url = `/connection-profiles/${id}`;
      /** From now on, reads show the profile like this. */
      const reads = (organization: object) =>
        tenant.fail({
          method: "GET",
          path: `*${url}`,
          times: 99,
          action: { status: 200, body: { id, name: "a", organization } },
        });
      tenant.sent();
      return { engine, url, reads };
    }
    const patches = () => tenant.sent().filter((line) => line.startsWith("PATCH")).length;

    test("are drift twice; then it is said once, and nothing is sent any more", async () => {
      const { engine, url, reads } = await made();
      reads(shown);
      const messages: string[][] = [];
      const steps: string[][] = [];
      for (let run = 0; run < 5; run++) {
        const up = await engine.up(program, { refresh: true });
        messages.push(up.messages);
        steps.push(up.steps);
      }
      expect(patches()).toBe(2);
      expect(steps.slice(2)).toEqual([[], [], []]);
      expect(messages).toEqual([
        [],
        [
          `Connection profile ${url.slice(21)}: the service answers a write with organization.showAsButton, and leaves it out of reads. ` +
            "It isn't reported as drift.",
        ],
        [],
        [],
        [],
      ]);
      expect(engine.resource("p").outputs).not.toHaveProperty("notShown");
      // Anything else in that setting still is.
      tenant.clear();
      tenant.sent();
      await tenant.outside("PATCH", url, { organization: { assign_membership_on_login: "optional" } });
      expect((await engine.refresh()).steps).toEqual(["drift p: organization"]);
    });

    test("what somebody removes twice is drift each time", async () => {
      const { engine, url } = await made();
      for (let run = 0; run < 3; run++) {
        tenant.sent();
        await tenant.outside("PATCH", url, { organization: shown });
        const { steps, messages } = await engine.up(program, { refresh: true });
        expect([steps.at(-1), messages]).toEqual(["update p: organization", []]);
      }
      expect((await engine.refresh()).steps).toEqual([]);
      expect(engine.resource("p").outputs).not.toHaveProperty("notShown");
    });
  });

  test("a secret is named without its value, and state doesn't have it in another form", async () => {
    tenant.behave({ profile_values: "tidied" });
    const given = { name: "a", connectionNamePrefixTemplate: secret("SeCrEt") };
    const engine = new Engine(tenant, { startHost: inProcess });

    const { messages } = await engine.up({ p: profile(given) });

    expect(messages).toEqual([
      expect.stringMatching(
        /doesn't store connectionNamePrefixTemplate as it was sent\. Its value is secret/,
      ),
    ]);
    expect(messages.join()).not.toMatch(/secret"/i);
    expect(engine.resource("p").outputs).not.toHaveProperty("storedAs");
  });
});
