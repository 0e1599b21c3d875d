import { type Edge } from "../../../provider/access/edge";
import { type Effects } from "../../../cli/review/kinds/effects";
import { fingerprintOf } from "../../../cli/review/fingerprint";
import { say } from "../../../provider/sentence";
import { told } from "../../../testkit/facts";
import { groups, made, step } from "../../../testkit/cli/previews";

const grant = { name: "a", after: groups("grp_a", "grp_b") };
const removal = {
  kind: "DeviceCredentialRemoval",
  name: "phone",
  after: { deviceCredentialId: "dcr_1" },
};
const profile = {
  kind: "ConnectionProfile",
  name: "p",
  after: { name: "p", connectionConfig: { a: 1, b: 2 } },
};
const print = (...steps: object[]) => made(steps).fingerprint;
const whole = print(step(grant), step(removal), step(profile));

test("it is the same in another order, under other names, on other lines, in other assignments", () => {
  expect(print(step(profile), step(removal), step(grant))).toBe(whole);
  const renamed = [grant, removal, profile].map((one) => step({ ...one, name: `${one.name}-2` }));
  expect(print(...renamed)).toBe(whole);
  const stackTrace = [{ sourcePosition: "project:///index.ts#9,3" }];
  expect(print(step({ ...grant, state: { stackTrace } }), step(removal), step(profile))).toBe(whole);
  const [one, other] = ["grp_b", "grp_a"].map((group) => step({ name: group, after: groups(group) }));
  expect(print(one ?? {}, other ?? {}, step(removal), step(profile))).toBe(whole);
  const keys = { name: "p", connectionConfig: { b: 2, a: 1 } };
  expect(print(step(grant), step(removal), step({ ...profile, after: keys }))).toBe(whole);
});

test("it is the same for a resource that gets another name, with and without the move", () => {
  const same = groups("grp_a");
  const moved = [step({ name: "a", before: same }), step({ name: "b", after: same })];
  expect(print(...moved)).toBe(print());
});

test.each<[string, object[]]>([
  ["a group less", [step({ ...grant, after: groups("grp_a") }), step(removal), step(profile)]],
  [
    "another role",
    [
      step({ ...grant, after: { ...groups("grp_a", "grp_b"), roleId: "rol_2" } }),
      step(removal),
      step(profile),
    ],
  ],
  [
    "another credential",
    [step(grant), step({ ...removal, after: { deviceCredentialId: "dcr_2" } }), step(profile)],
  ],
  ["another value", [step(grant), step(removal), step({ ...profile, after: { name: "p2" } })]],
  // Reviewed as +2; by now the state has one of the groups already, and a third one that goes.
  [
    "a state that moved",
    [step({ ...grant, op: "update", before: groups("grp_a", "grp_c") }), step(removal), step(profile)],
  ],
  [
    "a resource of another package",
    [
      step(grant),
      step(removal),
      step(profile),
      {
        op: "create",
        urn: "urn:pulumi:prod::access::aws:s3:Bucket::b",
        newState: { type: "aws:s3:Bucket", custom: true },
      },
    ],
  ],
])("it is another one with %s", (_, steps) => {
  expect(print(...steps)).not.toBe(whole);
});

test("it is another one once the tenant gives another answer", () => {
  const exclusive = step({ name: "x", after: { ...groups("grp_a"), exclusive: true } });
  const answer = (...takes: string[]) =>
    made([exclusive], [told("x", { exclusive: "rol_1", takes })]).fingerprint;
  const one = answer("grp_b");
  expect(answer()).not.toBe(one);
  expect(answer("grp_c")).not.toBe(one);
});

const NO_EFFECTS: Effects = {
  access: [],
  permissions: [],
  profiles: [],
  removals: [],
  signOuts: [],
  unknown: [],
  notes: [],
  categories: [],
};
const of = (effects: Partial<Effects>) =>
  fingerprintOf({ ...NO_EFFECTS, ...effects, isDrift: false, errors: [], others: 0 });

test.each<[string, (tenant: string) => Partial<Effects>]>([
  [
    "access",
    (tenant) => ({
      access: [{ tenant, role: "rol_1", holder: { group: "grp_a" }, effect: "gains", by: [] }],
    }),
  ],
  [
    "a profile",
    (tenant) => ({
      profiles: [
        { tenant, op: "create", id: undefined, name: "p", line: undefined, reason: say``, changes: [] },
      ],
    }),
  ],
  [
    "a sign-out",
    (tenant) => ({ signOuts: [{ tenant, user: "u", client: undefined, name: "s", line: undefined }] }),
  ],
  ["a removal", (tenant) => ({ removals: [{ tenant, id: "dcr_1", name: "r", line: undefined }] })],
  [
    "what can't be told",
    (tenant) => ({
      unknown: [
        { tenant, name: "a", line: undefined, reason: say`its role is secret`, categories: ["grant"] },
      ],
    }),
  ],
  ["a note", (tenant) => ({ notes: [{ tenant, name: "a", reason: say`nothing is sent` }] })],
])("it is another one for %s on another tenant", (_, effects) => {
  expect(of(effects("eu.example.com"))).not.toBe(of(effects("us.example.com")));
});

test("it is another one for a user than for a group, and in an organization than in the tenant", () => {
  const gains = (edge: Partial<Edge>) =>
    of({ access: [{ role: "rol_1", holder: { group: "a" }, effect: "gains", by: [], ...edge }] });
  const all = [gains({}), gains({ holder: { user: "a" } }), gains({ organization: "org_1" })];
  expect(new Set(all).size).toBe(3);
});

test("it is another one for a key with a dot than for a key within a key", () => {
  const fields = (connectionConfig: object) =>
    print(step({ kind: "ConnectionProfile", name: "p", after: { name: "p", connectionConfig } }));
  const all = [{ "a.b": 1 }, { a: { b: 1 } }, { 'a["b"]': 1 }, { a: { "": { b: 1 } } }, { "a.": { b: 1 } }];
  expect(new Set(all.map(fields)).size).toBe(all.length);
});

test("it is another one where another resource loses its protection", () => {
  const unprotected = (name: string) =>
    step({ name, before: groups("grp_a"), after: groups("grp_a"), old: { protect: true } });
  expect(print(unprotected("a"))).not.toBe(print(unprotected("b")));
});

test("it has 128 bits", () => {
  expect(whole).toMatch(/^[0-9a-f]{32}$/);
});
