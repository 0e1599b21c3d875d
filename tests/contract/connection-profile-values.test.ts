import { type BehaviourInput } from "../../simulator";
import { type Engine, profile, secret } from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { type Tenant, TOKEN, useTenant } from "../../testkit/tenant";
import { ways } from "../../testkit/ways";

/*
 * Services that show a setting in another form than it was sent, in their answers or in reads. Drift is what
 * differs from how the last write was answered, or from how it was shown when looked at again: nothing is
 * sent for ever, and no change by somebody else is missed.
 */

const tenant = useTenant();
catchLines();
const WAYS = ways(tenant).filter(([way]) => way !== "the classes of /plugin");

/** One `up` of the program. */
interface Run {
  /** What has happened before it. */
  since?: (scene: { tenant: Tenant; url: string; engine: Engine }) => unknown;
  /** The program from now on. */
  becomes?: Values;
  /** False for an `up` without `--refresh`. */
  refresh?: false;
  /** Its requests: the refresh, a look before an object is changed, the change, a look after it. */
  sent: string;
  /** The places that its line names, with how the service shows them. */
  says?: string;
  /** In state afterwards. */
  shown?: Values;
}

interface Case {
  behaviour?: BehaviourInput;
  given: Values;
  runs: readonly Run[];
}

const MADE = "POST";
const QUIET = { sent: "GET" };
const named = (more: Values) => ({ name: "a", ...more });
const BOTH = { showAsButton: "none", assignMembershipOnLogin: "required" };
const both = named({ organization: BOTH });
const LOGIN = { assignMembershipOnLogin: "required" };
const login = named({ organization: LOGIN });
const hosts = (...all: string[]) => named({ strategyOverrides: { okta: { provisioning: { hosts: all } } } });
const SORTED = hosts("https://a.example.com/", "https://b.example.com/");
const NOT_NONE = 'organization.showAsButton is not set, not "none"';
/** A write of the organization by somebody else. */
const patched =
  (body: Values): Run["since"] =>
  ({ tenant, url }) =>
    tenant.outside("PATCH", url, body);
const removed = patched({ organization: { assign_membership_on_login: "required" } });
const lag =
  (reads: number): Run["since"] =>
  ({ tenant }) =>
    tenant.reseed({ behaviour: { read_lag: reads } });

const tidied = { profile_values: "tidied" } as const;
const completed = { profile_values: "completed" } as const;
const withoutNone = { profile_reads: "without_none" } as const;
/** Made, and found as wanted at once. */
const LEARNT: readonly Run[] = [
  { sent: MADE },
  { sent: "GET GET PATCH GET", says: NOT_NONE, shown: { organization: LOGIN } },
  { ...QUIET, shown: { organization: LOGIN } },
];

/** The service answers the first write in another form: it's said once, and no drift. */
const answered = (behaviour: BehaviourInput, given: Values, asShown: Values, says: string): Case => {
  const [setting = ""] = Object.keys(given).filter((name) => given[name] !== asShown[name]);
  const shown = { [setting]: asShown[setting] };
  return {
    behaviour,
    given,
    runs: [
      { sent: MADE, says, shown },
      { refresh: false, sent: "", shown },
      { ...QUIET, shown },
      { becomes: asShown, sent: "GET" },
      QUIET,
    ],
  };
};

const CASES: Record<string, Case> = {
  "a sorted list": answered(
    tidied,
    hosts("https://b.example.com", "https://a.example.com"),
    SORTED,
    'strategyOverrides.okta.provisioning.hosts is ["https://a.example.com/","https://b.example.com/"], not ["https://b.example.com","https://a.example.com"]',
  ),
  "a trimmed name": answered(
    tidied,
    { name: "partners " },
    { name: "partners" },
    'name is "partners", not "partners "',
  ),
  "a template in lower case": answered(
    tidied,
    named({ connectionNamePrefixTemplate: "Con" }),
    named({ connectionNamePrefixTemplate: "con" }),
    'connectionNamePrefixTemplate is "con", not "Con"',
  ),
  "a default that all answers leave out": answered(tidied, both, login, NOT_NONE),
  "a default that is added": answered(
    completed,
    login,
    both,
    'organization.showAsButton is "none", which wasn\'t sent',
  ),
  "a default that reads leave out": {
    behaviour: withoutNone,
    given: both,
    runs: [...LEARNT, { becomes: login, sent: "GET" }, QUIET],
  },
  "… and the program changes the rest of it": {
    behaviour: withoutNone,
    given: both,
    runs: [
      ...LEARNT,
      {
        becomes: named({ organization: { ...BOTH, assignMembershipOnLogin: "optional" } }),
        sent: "GET GET PATCH GET",
        shown: { organization: { assignMembershipOnLogin: "optional" } },
      },
      { ...QUIET, shown: { organization: { assignMembershipOnLogin: "optional" } } },
    ],
  },
  "… and somebody else changes the rest of it": {
    behaviour: withoutNone,
    given: both,
    runs: [
      ...LEARNT,
      {
        since: patched({ organization: { show_as_button: "none", assign_membership_on_login: "optional" } }),
        sent: "GET GET PATCH GET",
      },
      { sent: "GET GET PATCH GET", says: NOT_NONE, shown: { organization: LOGIN } },
      { ...QUIET, shown: { organization: LOGIN } },
    ],
  },
  "a value changed by somebody else": {
    given: named({ enabledFeatures: ["scim"] }),
    runs: [
      { sent: MADE },
      { since: patched({ enabled_features: ["universal_logout"] }), sent: "GET PATCH GET" },
      QUIET,
    ],
  },
  "a value removed by somebody else, three times": {
    given: both,
    runs: [{ sent: MADE }, ...Array<Run>(3).fill({ since: removed, sent: "GET GET PATCH GET" }), QUIET],
  },
  "a value removed by somebody else, and a look that lags": {
    given: both,
    runs: [
      { sent: MADE },
      {
        since: async (scene) => {
          await removed?.(scene);
          lag(1)?.(scene);
        },
        sent: "GET GET PATCH GET",
        says: NOT_NONE,
        shown: { organization: LOGIN },
      },
      QUIET,
      {
        since: async (scene) => {
          await removed?.(scene);
          lag(0)?.(scene);
        },
        sent: "GET GET PATCH GET",
      },
      QUIET,
    ],
  },
};

const line = (id: string, says: string) =>
  `Connection profile ${id}: the service doesn't show ${says.split(/[ .]/)[0]} as it was sent: ${says}. ` +
  "Write it like that in the program. Until you do, the difference isn't reported as drift.";

describe.each(WAYS)("through %s", (_way, start) => {
  test.each(Object.entries(CASES))("%s", async (_title, { behaviour = {}, given, runs }) => {
    tenant.behave(behaviour);
    const engine = start();
    let program = given;
    for (const [index, { since, becomes = program, refresh = true, sent, says, shown }] of runs.entries()) {
      program = becomes;
      const id = engine.state.get("p")?.id ?? "";
      tenant.sent();
      await since?.({ tenant, url: `/connection-profiles/${id}`, engine });
      const { messages } = await engine.up({ p: profile(program) }, { refresh: refresh && index > 0 });
      const { id: now, outputs } = engine.resource("p");
      expect({
        run: index + 1,
        sent: tenant
          .sent()
          .filter((request) => request !== TOKEN)
          .map((request) => request.split(" ")[0])
          .join(" "),
        messages,
        outputs,
      }).toMatchObject({
        run: index + 1,
        sent,
        messages: says === undefined ? [] : [line(now, says)],
        outputs: program,
      });
      expect([outputs["shown"], outputs["lacking"]]).toEqual([shown, undefined]);
    }
  });

  test("a secret is named without its value, and state doesn't have it in another form", async () => {
    tenant.behave({ ...tidied, ...withoutNone });
    const engine = start();
    const program = {
      p: profile({ name: "a", connectionNamePrefixTemplate: secret("SeCrEt"), organization: secret(BOTH) }),
    };

    const { messages } = await engine.up(program);

    const said = (name: string) =>
      expect.stringMatching(
        new RegExp(`doesn't show ${name} as it was sent\\. Its value is secret`),
      ) as string;
    expect(messages).toEqual([said("organization"), said("connectionNamePrefixTemplate")]);
    expect(messages.join()).not.toMatch(/secret"|none/i);
    expect(engine.resource("p").outputs).not.toHaveProperty("shown");

    await engine.up(program, { refresh: true });
    await engine.refresh();
    for (const name of ["shown", "lacking"]) expect(engine.resource("p").outputs).not.toHaveProperty(name);
  });
});
