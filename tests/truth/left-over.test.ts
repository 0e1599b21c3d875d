import { catchLines } from "../../testkit/hosts/host-in-process";
import { assignment } from "../../testkit/engine";
import { type Outcome, StandIn } from "../../testkit/worlds/stage";
import { Story } from "./story";
import { GROUPS, ROLES } from "../../testkit/worlds/universe";

/*
 * Proves that the claim can fail: an engine that forgets its deletes leaves the role to groups that nothing
 * names.
 */

const [role = "", group = "", other = ""] = [ROLES[0], GROUPS[0], GROUPS[1]];
const program = { a: assignment({ roleId: role, groupIds: [group] }) };

catchLines();

/** Once state has something, it sends nothing, shows this and empties its state. */
class Forgetful extends StandIn {
  constructor(
    private readonly output: string,
    ...settings: ConstructorParameters<typeof StandIn>
  ) {
    super(...settings);
  }

  override async up(...run: Parameters<StandIn["up"]>): Promise<Outcome> {
    if (this.standIn.state.size === 0) return super.up(...run);
    this.standIn.state.clear();
    return { errors: [], output: this.output };
  }
}

async function leftOver(output: string, ...[last]: Parameters<Story["judge"]>): Promise<string[]> {
  const story = await Story.begin({}, [], (...settings) => new Forgetful(output, ...settings));
  try {
    expect(await story.up(program)).toEqual([]);
    const { outcome, sent, violations } = await story.judge(last);
    expect({ outcome, sent }).toEqual({ outcome: "judged", sent: [] });
    return violations.filter(({ claim }) => claim === "left over").map(({ text }) => text);
  } finally {
    await story.end();
  }
}

test("a group that has a role, of which neither program nor state nor the run tells, is left over", async () => {
  expect(await leftOver("deleted", {})).toEqual([
    `main ${role} ${group} has the role; neither program nor state nor the run names it`,
  ]);
});

test("what the run or the program names is not", async () => {
  expect(await leftOver(`a: ${group} keeps it`, {})).toEqual([]);
  expect(await leftOver("deleted", program)).toEqual([]);
});

test("what an option leaves is not", async () => {
  const retained = { a: { ...program.a, retainOnDelete: true } };
  const story = await Story.begin({});
  try {
    expect(await story.up(retained)).toEqual([]);
    const { sent, violations } = await story.judge({});
    expect({ sent, violations }).toEqual({ sent: [], violations: [] });
  } finally {
    await story.end();
  }
});

test("what moved to one that never got it stays when both are removed, and is nobody's", async () => {
  const story = await Story.begin({});
  try {
    const donor = (...groupIds: string[]) => assignment({ roleId: role, groupIds });
    expect(await story.up({ a: donor(group, other) })).toEqual([]);
    expect(await story.up({ a: donor(other), b: donor(group) }, { target: ["a"] })).toEqual([]);

    const { review, sent, violations } = await story.judge({});

    expect(sent).toEqual([`main: DELETE /roles/${role}/groups ${JSON.stringify({ groups: [other] })} 204`]);
    expect(review?.access.map(({ effect, group }) => [effect, group])).toEqual([["loses", other]]);
    expect(violations).toEqual([]);
  } finally {
    await story.end();
  }
});
