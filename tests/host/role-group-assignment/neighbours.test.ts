import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { assignment, Engine, failed, secret } from "../../../testkit/engine";
import { useTenant } from "../../../testkit/tenant";
import { exactly, groupsUrl, made, viewers } from "../../../testkit/assignments";

/*
 * The handlers' knowledge of a program's other assignments, beyond conflicts that the program itself refuses.
 */

const tenant = useTenant();
const ignoring = (...groupIds: string[]) =>
  assignment({ roleId: VIEWER, groupIds }, { ignoreChanges: ["groupIds"] });

describe("an assignment that ignores changes of its groups", () => {
  const both = `both list ${BILLING} for the role ${VIEWER}. Let one of them own it: list the groups in one assignment.`;

  test("has those of state: another one that lists one of them is refused", async () => {
    const engine = await made(tenant, ADMINS, BILLING);

    const { errors } = await failed(engine.preview({ a: ignoring(ADMINS), b: viewers(BILLING) }));

    expect(errors).toEqual([`b: RoleGroupAssignment "a" and "b" ${both}`]);
  });

  test("does not have those that the program lists in vain: another one may", async () => {
    const engine = await made(tenant, ADMINS);

    await engine.up({ a: ignoring(ADMINS, BILLING), b: viewers(BILLING) });

    expect(tenant.groupsOf(VIEWER)).toEqual([ADMINS, BILLING].sort());
    expect(engine.resource("a").outputs["groupIds"]).toEqual([ADMINS]);
  });

  test.each(["exclusive", "ignoring"])(
    "is refused beside an exclusive one of its role, declared first: %s",
    async (first) => {
      const engine = await made(tenant, ADMINS);
      // In the program, it has another role.
      const a = assignment({ roleId: AGENT, groupIds: [ADMINS] }, { ignoreChanges: ["roleId"] });
      const program = first === "exclusive" ? { b: exactly(BILLING), a } : { a, b: exactly(BILLING) };

      const { errors } = await failed(engine.preview(program));

      const [, second] = Object.keys(program);
      expect(errors).toEqual([
        `${second}: RoleGroupAssignment "a" and "b" share the role ${VIEWER}, but "b" is exclusive. ` +
          "Let one of them own it: list the groups in one assignment.",
      ]);
    },
  );

  test("keeps a secret of the one from the message about the other", async () => {
    const engine = new Engine(tenant);
    await engine.up({ a: assignment({ roleId: VIEWER, groupIds: secret([BILLING]) }) });

    const hidden = assignment({ roleId: VIEWER, groupIds: secret([ADMINS]) });
    const program = { a: { ...hidden, ignoreChanges: ["groupIds"] }, b: viewers(BILLING) };

    const { errors } = await failed(engine.preview(program));
    expect(errors.join()).toContain("both list a group for one role");
    expect(errors.join()).not.toContain(BILLING);
  });
});

describe("two assignments of one name, under components of different types", () => {
  const named = (parent: string, roleId: string, ...groupIds: string[]) =>
    assignment({ roleId, groupIds }, { parent, name: "a" });
  const crew = "acme:index:Crew";
  const team = "acme:index:Team";

  test("both say what becomes of them", async () => {
    const engine = new Engine(tenant);
    const before = { first: named(crew, VIEWER, ADMINS, BILLING), second: named(team, AGENT, ADMINS) };
    await engine.up(before);

    const after = { first: named(crew, VIEWER, ADMINS), second: named(team, AGENT, ADMINS, BILLING) };
    expect((await engine.preview(after)).messages).toEqual([
      `a: role ${VIEWER}: − ${BILLING}`,
      `a: role ${AGENT}: + ${BILLING}`,
    ]);
  });

  test("a new one is not taken for the replacement of the other, and is counted", async () => {
    const engine = await made(tenant, ADMINS, BILLING);
    await tenant.outside("POST", groupsUrl(AGENT), { groups: [SUPPORT] });
    const fresh = assignment(
      { roleId: AGENT, groupIds: [ADMINS], exclusive: true },
      { parent: crew, name: "a" },
    );
    engine.config["identity:maxRevocations"] = "1";

    const { errors, messages } = await failed(engine.preview({ a: viewers(ADMINS), fresh }));

    expect(messages).toContain(
      `a: role ${AGENT}: exclusive, takes the role from 1 group that others gave it to: ${SUPPORT}`,
    );
    expect(errors.join()).toMatch(/would revoke at least 2 /);
  });
});
