import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_CONTRACTORS as CONTRACTORS,
  OTHER_ROLE_ID as VIEWER,
} from "../../simulator/default-seed";
import {
  assignment,
  Engine,
  failed,
  profile,
  type Program,
  removal,
  secret,
  type Transform,
} from "../engine";
import { groupsUrl } from "../role-group-assignment/made";
import { useTenant } from "../tenant";

const tenant = useTenant();

/** A transformation of the stack makes these inputs secret; the program itself gives them in clear. */
const hides =
  (...names: string[]): Transform =>
  (_name, inputs) =>
    Object.fromEntries(
      Object.entries(inputs).map(([key, value]) => [key, names.includes(key) ? secret(value) : value]),
    );

/** Whatever a person at the CLI sees of a run. */
const shown = (run: { messages: string[]; errors: string[]; stderr: string }) =>
  [...run.messages, ...run.errors, run.stderr].join("\n");

describe("values that a transformation makes secret are in no message", () => {
  test("groups, in the lines of a change", async () => {
    await tenant.outside("POST", groupsUrl(VIEWER), { groups: [CONTRACTORS] });
    const engine = new Engine(tenant);
    const transform = hides("groupIds");
    const program = (...groupIds: string[]): Program => ({
      a: assignment({ roleId: VIEWER, groupIds, exclusive: true }),
    });

    const runs = [
      await engine.preview(program(ADMINS, BILLING), { transform }),
      await engine.up(program(ADMINS, BILLING), { transform }),
    ];
    for (const run of runs) {
      expect(run.messages).toHaveLength(2);
      expect(shown(run)).not.toContain(ADMINS);
      expect(shown(run)).not.toContain(BILLING);
    }
  });

  test("a group that the service refuses, in the error", async () => {
    const ghost = "grp_9999999999999999zz";
    const program = { a: assignment({ roleId: VIEWER, groupIds: [ghost] }) };

    const open = await failed(new Engine(tenant).up(program));
    expect(shown(open)).toContain(ghost);

    const run = await failed(new Engine(tenant).up(program, { transform: hides("groupIds") }));
    expect(run.errors).toHaveLength(1);
    expect(shown(run)).not.toContain(ghost);
  });

  test("a name, in the line of an adoption and in errors", async () => {
    const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
    tenant.seed({ connection_profiles: [{ id, name: "theirs" }, { name: "taken by another" }] });
    const program = { p: profile({ name: "taken by another", adopt: id }) };
    const transform = hides("name");

    const preview = await new Engine(tenant).preview(program, { transform });
    expect(preview.messages).toEqual([expect.stringContaining(`adopts connection profile ${id}`)]);
    expect(shown(preview)).not.toContain("taken by another");

    const up = await failed(new Engine(tenant).up(program, { transform }));
    expect(up.errors).toEqual([expect.stringContaining("answered 409")]);
    expect(shown(up)).not.toContain("taken by another");
  });

  test("an invalid value, in the reason", async () => {
    const program = { p: profile({ name: "a", connectionNamePrefixTemplate: "--hidden--" }) };

    const run = await failed(
      new Engine(tenant).preview(program, { transform: hides("connectionNamePrefixTemplate") }),
    );

    expect(run.errors).toHaveLength(1);
    expect(shown(run)).not.toContain("--hidden--");
  });

  test("an id, in what a refresh or a destroy says, which know nothing but state", async () => {
    const engine = new Engine(tenant);
    const [id = ""] = tenant.credentials();

    const runs = [
      await engine.up({ r: removal(id) }, { transform: hides("deviceCredentialId") }),
      await engine.refresh(),
      await engine.destroy(),
    ];

    expect(runs.at(-1)?.messages).toEqual([expect.stringContaining("stays deleted")]);
    for (const run of runs) expect(shown(run)).not.toContain(id);
  });
});
