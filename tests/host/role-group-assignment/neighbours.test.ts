import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  GROUP_SUPPORT as SUPPORT,
  OTHER_ROLE_ID as VIEWER,
  ROLE_ID as AGENT,
} from "../../../simulator/default-seed";
import { assignment, Engine, failed } from "../../../testkit/engine";
import { useTenant } from "../../../testkit/tenant";
import { groupsUrl, made, viewers } from "../../../testkit/assignments";

/*
 * The handlers' knowledge of a program's other assignments, beyond conflicts that the program itself refuses.
 */

const tenant = useTenant();

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
