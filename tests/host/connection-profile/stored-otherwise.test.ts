import { type BehaviourInput } from "../../../simulator";
import { Engine, failed, profile, secret } from "../../../testkit/engine";
import { type Values } from "../../../testkit/hosts/host";
import { catchLines, inProcess } from "../../../testkit/hosts/host-in-process";
import { TOKEN, useTenant } from "../../../testkit/tenant";

/* A service that stores values in another form: reported once, recorded, and not drift. */

const tenant = useTenant();
catchLines();

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
  "a template in lower case": {
    behaviour: "tidied",
    given: { name: "a", connectionNamePrefixTemplate: "Con-{org_id}" },
    says: 'connectionNamePrefixTemplate is "con-{org_id}", not "Con-{org_id}"',
    asStored: { name: "a", connectionNamePrefixTemplate: "con-{org_id}" },
  },
  "a sorted list, and a URL with a slash": {
    behaviour: "tidied",
    given: { name: "a", ...provisioning(["https://b.example.com", "https://a.example.com"]) },
    says: 'strategyOverrides.okta.provisioning.hosts is ["https://a.example.com/","https://b.example.com/"], not ["https://b.example.com","https://a.example.com"]',
    asStored: { name: "a", ...provisioning(["https://a.example.com/", "https://b.example.com/"]) },
  },
  "a default that isn't stored": {
    behaviour: "tidied",
    given: { name: "a", organization: { show_as_button: "none", assign_membership_on_login: "required" } },
    says: 'organization.showAsButton is not set, not "none"',
    asStored: { name: "a", organization: { assign_membership_on_login: "required" } },
  },
  "a default that is added": {
    behaviour: "completed",
    given: { name: "a", organization: { assign_membership_on_login: "required" } },
    says: `organization.showAsButton is "none", which wasn't sent`,
    asStored: { name: "a", organization: { show_as_button: "none", assign_membership_on_login: "required" } },
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

test("what others change in such a setting is drift, and is mended", async () => {
  tenant.behave({ profile_values: "tidied" });
  const given = { name: "a", connectionNamePrefixTemplate: "Con" };
  const engine = new Engine(tenant, { startHost: inProcess });
  await engine.up({ p: profile(given) });
  const { id } = engine.resource("p");
  const url = `/connection-profiles/${id}`;
  tenant.sent();
  await tenant.outside("PATCH", url, { connection_name_prefix_template: "theirs" });

  const { messages, steps } = await engine.up({ p: profile(given) }, { refresh: true });

  expect(steps).toContain("update p: connectionNamePrefixTemplate");
  expect(messages).toEqual([expect.stringContaining('is "con", not "Con"')]);
  expect(tenant.profile(id)).toMatchObject({ connection_name_prefix_template: "con" });
  expect((await engine.up({ p: profile(given) }, { refresh: true })).steps).toEqual([]);
});

test("another setting changes, and it stays as it is; it changes itself, and is said again", async () => {
  tenant.behave({ profile_values: "completed" });
  const organization = { assign_membership_on_login: "required" };
  const engine = new Engine(tenant, { startHost: inProcess });
  await engine.up({ p: profile({ name: "a", organization }) });
  const { id } = engine.resource("p");
  tenant.sent();

  expect((await engine.up({ p: profile({ name: "b", organization }) })).messages).toEqual([]);
  expect(tenant.sent()).toEqual([TOKEN, `PATCH /connection-profiles/${id} {"name":"b"} 200`]);
  expect((await engine.refresh()).steps).toEqual([]);

  const other = { assign_membership_on_login: "optional" };
  const { messages } = await engine.up({ p: profile({ name: "b", organization: other }) });
  expect(messages).toEqual([expect.stringContaining("organization.showAsButton is")]);
  expect((await engine.refresh()).steps).toEqual([]);
});

describe("reads that leave out a default, which the answers to writes have", () => {
  const wanted = {
    name: "a",
    organization: { show_as_button: "none", assign_membership_on_login: "required" },
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

test("a failed change records nothing of it", async () => {
  tenant.behave({ profile_values: "tidied" });
  const engine = new Engine(tenant, { startHost: inProcess });
  await engine.up({ p: profile({ name: "a" }) });
  const { id } = engine.resource("p");
  tenant.fail({ method: "PATCH", path: "*/connection-profiles/*", times: 9, action: { drop: "before" } });
  await failed(engine.up({ p: profile({ name: "a", connectionNamePrefixTemplate: "Con" }) }));
  expect(engine.resource("p").outputs).not.toHaveProperty("storedAs");
  tenant.clear();

  await engine.up({ p: profile({ name: "a", connectionNamePrefixTemplate: "Con" }) });
  expect(tenant.profile(id)).toMatchObject({ connection_name_prefix_template: "con" });
});

test("a secret is named without its value, and state doesn't have it in another form", async () => {
  tenant.behave({ profile_values: "tidied" });
  const given = { name: "a", connectionNamePrefixTemplate: secret("SeCrEt") };
  const engine = new Engine(tenant, { startHost: inProcess });

  const { messages } = await engine.up({ p: profile(given) });

  expect(messages).toEqual([
    expect.stringMatching(/doesn't store connectionNamePrefixTemplate as it was sent\. Its value is secret/),
  ]);
  expect(messages.join()).not.toMatch(/secret"/i);
  expect(engine.resource("p").outputs).not.toHaveProperty("storedAs");
});
