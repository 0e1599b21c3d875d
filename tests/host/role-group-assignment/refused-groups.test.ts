import { type BehaviourInput } from "../../../simulator";
import { OTHER_ROLE_ID as VIEWER } from "../../../simulator/default-seed";
import { Engine, failed } from "../../../testkit/engine";
import { TOKEN, useTenant } from "../../../testkit/tenant";
import { exactly, groupsUrl, manyGroups, viewers } from "../../../testkit/assignments";

/* One refused group doesn't keep any other from getting or losing the role. */

const tenant = useTenant();
const GROUPS = manyGroups(60);
const FIFTY = GROUPS.slice(0, 50);
const [LEAVER = ""] = GROUPS.slice(-1);
const without = (groups: readonly string[], ...gone: string[]) =>
  groups.filter((group) => !gone.includes(group));

/** A tenant with these groups, one of which has the role. */
function seed(groups: readonly string[], behaviour: BehaviourInput = {}, has: readonly string[] = [LEAVER]) {
  tenant.seed({ groups: groups.map((id) => ({ id })), roles: [{ id: VIEWER, groups: [...has] }], behaviour });
}

/** An engine with the leaving group in state. */
async function afterLeaver(groups: readonly string[], behaviour?: BehaviourInput): Promise<Engine> {
  seed(groups);
  const engine = new Engine(tenant);
  await engine.up({ a: viewers(LEAVER) });
  seed(groups, behaviour);
  return engine;
}

const owned = (engine: Engine) => engine.resource("a").outputs["groupIds"];

test.each([24, 49])("50 groups, of which number %i no longer exists", async (index) => {
  const gone = FIFTY[index]!;
  const engine = await afterLeaver(without(GROUPS, gone));

  const { errors } = await failed(engine.up({ a: viewers(...FIFTY) }));

  expect(tenant.groupsOf(VIEWER)).toEqual(without(FIFTY, gone));
  expect(owned(engine)).toEqual(without(FIFTY, gone));
  expect(errors).toEqual([
    `a: Group ${gone} doesn't exist on ${tenant.host}: POST ${groupsUrl(VIEWER)} answered 404: The group ${gone} does ` +
      'not exist. Take the id out of the program, or look the group up by its name, getGroup({ name: "…" }): a group ' +
      "that its directory has made anew has a new id. 49 other groups got the role.",
  ]);
  const sent = tenant.sent().filter((line) => line !== TOKEN);
  const calls = sent.filter((line) => line.startsWith("POST"));
  // One for all, and two for each halving of a refused part.
  expect(calls.length).toBeLessThanOrEqual(1 + 12);
  expect(sent.filter((line) => line.startsWith("GET"))).toHaveLength(2);
  expect(sent.filter((line) => line.startsWith("DELETE"))).toHaveLength(1);

  // In the next run only the refused one is left to do.
  await failed(engine.up({ a: viewers(...FIFTY) }));
  expect(tenant.sent().filter((line) => line.startsWith("POST"))).toHaveLength(1);
  expect((await engine.up({ a: viewers(...without(FIFTY, gone)) })).errors).toEqual([]);
  expect((await engine.refresh()).steps).toEqual([]);
});

test.each([400, 403, 422])("a create, of which one group is refused by %i", async (status) => {
  const [, , third = ""] = FIFTY;
  seed(GROUPS, { refused_groups: { [third]: status } }, []);
  const engine = new Engine(tenant);
  const { errors } = await failed(engine.up({ a: viewers(...FIFTY) }));
  expect(tenant.groupsOf(VIEWER)).toEqual(without(FIFTY, third));
  expect(owned(engine)).toEqual(without(FIFTY, third));
  expect(errors).toEqual([
    expect.stringMatching(
      new RegExp(`^a: Group ${third} .*answered ${status}.* 49 other groups got the role\\.$`),
    ),
  ]);
});

test("a group at its limit of 10 roles: the limit is named, and no scope", async () => {
  const [full = "", other = ""] = GROUPS;
  const roles = Array.from({ length: 10 }, (_, i) => ({ id: `rol_${i}`, groups: [full] }));
  tenant.seed({ groups: GROUPS.map((id) => ({ id })), roles: [...roles, { id: VIEWER }] });
  const engine = new Engine(tenant);
  const { errors } = await failed(engine.up({ a: viewers(full, other) }));
  expect(tenant.groupsOf(VIEWER)).toEqual([other]);
  expect(errors).toEqual([
    expect.stringMatching(
      new RegExp(
        `^a: Group ${full} didn't get the role: .* 10 roles on a group, and 100 .*deleteBeforeReplace: true\\. 1 other group got the role`,
      ),
    ),
  ]);
  expect(errors[0]).not.toContain("create:group_roles");
});

test("60 groups in two calls, each with one that is gone: both are named in one sentence", async () => {
  const gone = [GROUPS[3]!, GROUPS[55]!];
  seed(without(GROUPS, ...gone), {}, []);
  const engine = new Engine(tenant);
  const { errors } = await failed(engine.up({ a: viewers(...GROUPS) }));
  expect(tenant.groupsOf(VIEWER)).toEqual(without(GROUPS, ...gone));
  expect(errors[0]).toContain(`Groups ${gone.join(", ")} don't exist on `);
  expect(errors[0]).toMatch(/58 other groups got the role\.$/);
});

test("an exclusive assignment: the others get the role, and foreign groups lose it", async () => {
  const [gone = ""] = FIFTY;
  seed(without(GROUPS, gone));
  const engine = new Engine(tenant);
  await failed(engine.up({ a: exactly(...FIFTY) }));
  expect(tenant.groupsOf(VIEWER)).toEqual(without(FIFTY, gone));
  expect((await engine.up({ a: exactly(...without(FIFTY, gone)) })).errors).toEqual([]);
});

test.each([400, 404])("of the groups that leave, one keeps the role, by %i: state has it", async (status) => {
  seed(GROUPS, {}, []);
  const engine = new Engine(tenant);
  const [stays = "", stuck = "", ...leave] = GROUPS.slice(0, 10);
  await engine.up({ a: viewers(stays, stuck, ...leave) });
  seed(GROUPS, { refused_groups: { [stuck]: status } }, tenant.groupsOf(VIEWER));
  const { errors } = await failed(engine.up({ a: viewers(stays) }));
  expect(tenant.groupsOf(VIEWER)).toEqual([stays, stuck]);
  expect(owned(engine)).toEqual([stays, stuck]);
  expect(errors).toEqual([
    expect.stringMatching(
      new RegExp(`^a: Group ${stuck} still has the role: .*8 other groups lost the role\\.$`),
    ),
  ]);
  // It doesn't keep the resource from ending, once the role can be revoked.
  seed(GROUPS, {}, tenant.groupsOf(VIEWER));
  await engine.destroy();
  expect(tenant.groupsOf(VIEWER)).toEqual([]);
});

test("a refusal of all alike is no matter of single groups: it ends after 15 calls, with the service's words", async () => {
  const roles = Array.from({ length: 100 }, (_, i) => ({ id: `rol_${i}`, groups: [GROUPS[55 + (i % 5)]!] }));
  tenant.seed({ groups: GROUPS.map((id) => ({ id })), roles: [...roles, { id: VIEWER }] });
  const engine = new Engine(tenant);
  const { errors } = await failed(engine.up({ a: viewers(...FIFTY) }));
  expect(errors).toEqual([
    expect.stringMatching(/^a: POST .* 100 roles are already assigned to groups.* 100 different roles/),
  ]);
  expect(tenant.sent().filter((line) => line.startsWith("POST"))).toHaveLength(15);
  expect(engine.state.size).toBe(0);
});

test("a client that may not list the role gives it to the others, and says what it can't know", async () => {
  const [gone = ""] = FIFTY;
  tenant.withoutScopes("read:group_roles");
  const { clients } = tenant.simulator.state();
  tenant.seed({ clients, groups: without(GROUPS, gone).map((id) => ({ id })), roles: [{ id: VIEWER }] });
  const engine = new Engine(tenant);
  const { errors } = await failed(engine.up({ a: viewers(...FIFTY) }));
  expect(tenant.groupsOf(VIEWER)).toEqual(without(FIFTY, gone));
  expect(owned(engine)).toEqual(without(FIFTY, gone));
  expect(errors[0]).toMatch(
    new RegExp(`Group ${gone} .*It may have the role all the same, .*Grant read:group_roles`),
  );
});

test("an answer that is lost among the parts is looked into, as any other", async () => {
  const gone = FIFTY[7]!;
  seed(without(GROUPS, gone), {}, []);
  const engine = new Engine(tenant);
  tenant.fail({ method: "POST", path: `*${groupsUrl(VIEWER)}`, after: 2, action: { drop: "after" } });
  await failed(engine.up({ a: viewers(...FIFTY) }));
  expect(tenant.groupsOf(VIEWER)).toEqual(without(FIFTY, gone));
  expect(owned(engine)).toEqual(without(FIFTY, gone));
});
