import { GROUP_ADMINS as ADMINS, OTHER_ROLE_ID as VIEWER } from "../../../simulator/default-seed";
import { assignment, Engine, failed, UNKNOWN } from "../../../testkit/engine";
import { type Values } from "../../../testkit/hosts/host";
import { useTenant } from "../../../testkit/tenant";
import { made, viewers } from "../../../testkit/assignments";

const tenant = useTenant();

describe("bad input", () => {
  test.each<[string, Values, RegExp[]]>([
    ["nothing", {}, [/roleId: .*nothing/, /groupIds: .*nothing/]],
    ["no group", { roleId: VIEWER, groupIds: [] }, [/groupIds: must name at least one group/]],
    [
      "everything wrong at once",
      { roleId: "..", groupIds: ["grp_0", ADMINS, "x"], exclusive: "yes", extra: 1 },
      [
        /roleId: .*"\.\."/,
        /groupIds\[\d\]: .*"grp_0"/,
        /groupIds\[\d\]: .*"x"/,
        /exclusive: .*"yes"/,
        /extra: is not/,
      ],
    ],
    ["null", { roleId: null, groupIds: [null] }, [/roleId: is required/, /groupIds\[0\]: .*null/]],
    ["a group with a trailing line", { roleId: VIEWER, groupIds: [`${ADMINS}\n`] }, [/groupIds\[0\]/]],
    ["a text instead of a list", { roleId: VIEWER, groupIds: ADMINS }, [/groupIds: /]],
  ])("%s", async (_what, inputs, problems) => {
    const { errors } = await failed(new Engine(tenant).preview({ a: assignment(inputs) }));

    expect(errors).toHaveLength(problems.length);
    for (const problem of problems) expect(errors.join("\n")).toMatch(problem);
    expect(tenant.sent()).toEqual([]);
  });

  test("a role that does not exist fails and says so; nothing is recorded", async () => {
    const engine = new Engine(tenant);

    const { errors } = await failed(engine.up({ a: assignment({ roleId: "rol_none", groupIds: [ADMINS] }) }));

    // A refresh wouldn't help.
    expect(errors).toEqual([
      expect.stringMatching(/\/roles\/rol_none\/groups answered 404.*not on the tenant .*: check the ids\.$/),
    ]);
    expect(engine.state.size).toBe(0);
  });

  test("a missing scope is named", async () => {
    tenant.withoutScopes("create:group_roles");

    const { errors } = await failed(new Engine(tenant).up({ a: viewers(ADMINS) }));

    expect(errors).toEqual([expect.stringContaining("Grant create:group_roles")]);
  });
});

describe("unknown values", () => {
  const unknowns: Values[] = [
    { roleId: UNKNOWN, groupIds: [ADMINS] },
    { roleId: VIEWER, groupIds: UNKNOWN },
    { roleId: VIEWER, groupIds: [ADMINS, UNKNOWN, UNKNOWN] },
    { roleId: VIEWER, groupIds: [ADMINS], exclusive: UNKNOWN },
    { roleId: UNKNOWN, groupIds: UNKNOWN, exclusive: true },
  ];

  test.each(unknowns)("%j", async (inputs) => {
    expect((await new Engine(tenant).preview({ a: assignment(inputs) })).steps).toEqual(["create a"]);
    expect(tenant.sent()).toEqual([]);

    const engine = await made(tenant, ADMINS);
    const { steps } = await engine.preview({ a: assignment(inputs) });
    expect(steps[0]).toMatch(inputs["roleId"] === UNKNOWN ? /^replace a: .*roleId/ : /^update a: /);
    expect(tenant.sent()).toEqual([]);
  });
});
