import { partOf, valueOf } from "../../../cli/tenant/reader";
import { Progress } from "../../../cli/terminal";
import { AGENT, BILLING, DEFAULT_SEED, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import { reading } from "../../../testkit/cli/reading";
import { useSimulator } from "../../../testkit/simulator";

const simulator = useSimulator();
beforeEach(() => {
  simulator.seed(DEFAULT_SEED);
  simulator.reset();
});

const members = (...groups: string[]) => groups.map((id) => `/groups/${id}/members`);

test("each question is asked once, whatever asks it, also while it is being answered", async () => {
  const asked = await reading(simulator, async (reader) => {
    await Promise.all([reader.roles(), reader.roles(), reader.groupsOfRoles([AGENT, AGENT])]);
    await reader.groupsOfRoles([AGENT, VIEWER]);
    await reader.membersOfGroups([SUPPORT]);
    await reader.membersOfGroups([SUPPORT, BILLING]);
  });
  expect(asked.sort()).toEqual(
    ["/roles", `/roles/${AGENT}/groups`, `/roles/${VIEWER}/groups`, ...members(SUPPORT, BILLING)].sort(),
  );
});

test("a missing scope is found out once, and is the answer for the others too", async () => {
  simulator.seed({ ...DEFAULT_SEED, clients: clientsWithout("read:group_members") });
  const asked = await reading(simulator, async (reader) => {
    const all = [SUPPORT, BILLING];
    // Both at once: whatever asks first, the others wait for its answer.
    const answers = [all, [...all].reverse()].map((groups) => reader.membersOfGroups(groups));
    for (const answer of await Promise.all(answers))
      expect([...answer.values()]).toEqual(
        all.map(() => expect.objectContaining({ reason: "needs read:group_members" }) as unknown),
      );
  });
  expect(asked).toEqual(members(SUPPORT));
});

test("a part of a list is no answer, and is there for whoever only shows it", async () => {
  simulator.seed({ ...DEFAULT_SEED, behaviour: { max_numbered_entries: 1, max_page_size: 1 } });
  await reading(simulator, async (reader) => {
    const roles = await reader.roles();
    expect(roles).toMatchObject({ reason: "the list can't be read whole" });
    expect(partOf(roles).items).toMatchObject([{ id: AGENT }]);
    expect(() => valueOf(roles)).toThrow("GET /roles can't be read whole");
  });
});

test("an object that isn't there and a list that the tenant doesn't know have words of their own", async () => {
  await reading(simulator, async (reader) => {
    const [gone] = (await reader.groupsOfRoles(["rol_gone"])).values();
    expect(gone).toMatchObject({ reason: "404: not on the tenant" });
    expect(await reader.rolesOfUser("auth0|nobody")).toMatchObject({
      reason: "404: the tenant does not know this list",
    });
  });
});

test("after a refusal of the client itself, nothing more is sent", async () => {
  simulator.fail({ path: "/api/v2/roles", times: 9, action: { status: 401 } });
  const asked = await reading(simulator, async (reader) => {
    const refused = { reason: "the tenant refused the credentials" };
    expect(await reader.roles()).toMatchObject(refused);
    const [answer] = (await reader.groupsOfRoles([AGENT])).values();
    expect(answer).toMatchObject(refused);
  });
  expect(new Set(asked)).toEqual(new Set(["/roles"]));
});

test("it shows how many of so many are answered", async () => {
  let shown = "";
  const write = (text: string | Uint8Array) => {
    shown += String(text);
    return true;
  };
  const progress = new Progress({ isTTY: true, write, columns: 80 });
  await reading(
    simulator,
    async (reader) => {
      await reader.membersOfGroups([SUPPORT, BILLING]);
      await reader.groupsOfRoles([AGENT]);
    },
    progress,
  );
  progress.clear();
  expect(shown.split("\r\u001b[K").filter((text) => text !== "")).toEqual([
    "Reading members of groups 0 of 2 …",
    "Reading members of groups 1 of 2 …",
    "Reading members of groups 2 of 2 …",
    "Reading groups of roles …",
    "Reading groups of roles …",
  ]);
});
