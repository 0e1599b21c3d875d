import { type AccessJson } from "../../cli/access/model";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { newState, type ResourceState } from "../../testkit/engine/state";
import { type Simulator, startSimulator } from "../../simulator";
import { CLIENT_ID } from "../../simulator/default-seed";
import { accessClaims, answerOf } from "./access";
import { type Known } from "../../testkit/worlds/stage";
import { GROUPS, ROLES, seedOf } from "../../testkit/worlds/universe";

/* Proves that the claim can fail, for each kind of answer. */

catchLines();

const [agent = "", viewer = ""] = ROLES;
const [mine = "", over = "", left = "", gone = "", byHand = "", hidden = ""] = GROUPS;
const DAY_MS = 24 * 60 * 60 * 1000;

let simulator: Simulator;
let answer: AccessJson;
let known: Known[];

beforeAll(async () => {
  const has = [mine, over, left, byHand].map((group) => ({ role: agent, group }));
  const seed = seedOf([...has, { role: viewer, group: hidden }], {}, "secret-of-this-tenant");
  simulator = await startSimulator({ seed });
  known = [
    knownOf("a", agent, { groupIds: [mine, gone], until: "2199-12-31" }),
    knownOf("b", agent, { groupIds: [over], until: new Date(Date.now() - DAY_MS).toISOString() }),
    knownOf("c", agent, { groupIds: [] }),
    knownOf("d", viewer, { groupIds: [hidden] }, { secrets: [["groupIds"]] }),
    knownOf("e", viewer, { groupIds: [], until: "2020-02-29" }),
  ];
  answer = await answerOf(
    {
      "identity:domain": simulator.url,
      "identity:clientId": CLIENT_ID,
      "identity:clientSecret": "secret-of-this-tenant",
    },
    known,
  );
});
afterAll(() => simulator.close());

function knownOf(name: string, id: string, outputs: object, more: Partial<ResourceState> = {}): Known {
  const goal = {
    kind: "RoleGroupAssignment" as const,
    inputs: {},
    provider: undefined,
    dependsOn: [],
    name,
    parent: undefined,
    protect: false,
    retainOnDelete: false,
    deletedWith: undefined,
    replaceWith: [],
    replacementTrigger: undefined,
    ignoreChanges: [],
    replaceOnChanges: [],
    importId: undefined,
    secrets: [],
  };
  const tenant = new URL(simulator.url).host;
  const state = { ...newState({ ...goal, id, outputs: { tenant, ...outputs } }), ...more };
  return { key: name, state, isPendingDelete: false };
}

function violationsOf(changed: (copy: AccessJson) => void): string[] {
  const copy = structuredClone(answer);
  changed(copy);
  const { host } = new URL(simulator.url);
  const violations = accessClaims(copy, known, { host, records: simulator.state() });
  return violations.map(({ text }) => text.replace(`${host}: `, ""));
}

const rowOf = ({ roles }: AccessJson, group: string) =>
  roles.flatMap(({ groups }) => groups).find(({ id }) => id === group)!;

test("what the tenant and state hold is what access says: managed, ended, gone, by hand, secret", () => {
  expect(violationsOf(() => {})).toEqual([]);
  expect(answer.counts).toMatchObject({
    managed: 2,
    expired: 1,
    drift: 1,
    unmanaged: 2,
    unknown: 1,
  });
});

test("any other answer is told", () => {
  const managed = `${agent} ${mine} managed: a until 2199-12-31`;
  expect(violationsOf((copy) => (rowOf(copy, mine).status = "unmanaged"))).toEqual([
    `access says, and it is not so: ${managed.replace("managed", "unmanaged")}`,
    `access does not say: ${managed}`,
  ]);
  expect(violationsOf((copy) => (rowOf(copy, over).by[0]!.expired = false))).toHaveLength(2);
  expect(violationsOf((copy) => (rowOf(copy, mine).by[0]!.until = null))).toHaveLength(2);
  expect(violationsOf((copy) => (rowOf(copy, left).status = "managed"))).toHaveLength(2);
  expect(violationsOf((copy) => rowOf(copy, gone).by.pop())).toHaveLength(2);
  expect(violationsOf((copy) => (copy.roles.find(({ id }) => id === agent)!.groups = []))).not.toHaveLength(
    0,
  );
  expect(violationsOf((copy) => (copy.roles.find(({ id }) => id === viewer)!.secret = []))).toEqual([
    `access does not say: ${viewer}: the groups of d are secret`,
  ]);
  expect(violationsOf((copy) => copy.counts.expired++)).toHaveLength(2);
  const withPeople = (copy: AccessJson) => copy.roles.filter(({ people }) => people && people.count > 0);
  expect(withPeople(answer).length).toBeGreaterThan(2);
  expect(violationsOf((copy) => (withPeople(copy)[0]!.people!.ids = []))).toHaveLength(1);
  expect(violationsOf((copy) => (withPeople(copy)[0]!.people = null))).toHaveLength(2);
});
