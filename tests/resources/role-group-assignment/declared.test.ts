import * as pulumi from "@pulumi/pulumi";
import { createHash } from "node:crypto";
import { Provider, RoleGroupAssignment } from "../../../provider";
import { runInline } from "../../../testkit/inline-engine";

/*
 * The listing that each assignment of a program sends about the others: hashes of groups, and a question mark
 * if some aren't known. A host of another release reads it, so its form stays.
 */

const ROLE = "rol_1";
const OTHER = "rol_2";
const [A, B, C] = ["grp_a", "grp_b", "grp_c"] as const;
const EU = { domain: "eu.example.com", accessToken: "given" };

interface Assignment {
  roleId?: unknown;
  groupIds?: unknown;
  provider?: pulumi.ProviderResource;
  ignoreChanges?: string[];
  until?: string;
}

/** Declares the assignments of one program, and returns the listings that they send, in that order. */
async function listings(declare: () => Assignment[]): Promise<unknown[]> {
  const program = () => {
    declare().forEach(({ provider, ignoreChanges, ...given }, place) => {
      const inputs = { roleId: ROLE, groupIds: [A], ...given } as { roleId: string; groupIds: string[] };
      const options = { ...(provider && { provider }), ...(ignoreChanges && { ignoreChanges }) };
      new RoleGroupAssignment(`assignment ${place}`, inputs, options);
    });
    return Promise.resolve({});
  };
  const run = await runInline({ stack: "test", isPreview: true, config: {}, program });
  expect(run.errors).toEqual([]);
  return Object.keys(run.inputs)
    .sort()
    .map((name) => {
      const text = run.inputs[name]?.["__listedElsewhere"] as string;
      // The role that the program gives stands in front, and those of other roles behind.
      const own = text.replace(/^.*=/, "").replace(/\/.*$/, "");
      return { listed: own.match(/[\w-]{8}/g)?.sort() ?? [], isComplete: !own.endsWith("?") };
    });
}

const hashOf = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 8);
const complete = (...groups: string[]) => ({ listed: groups.map(hashOf).sort(), isComplete: true });
const incomplete = (...groups: string[]) => ({ ...complete(...groups), isComplete: false });
const twice = <Of>(one: Of): Of[] => [one, one];

/** An Output that is unknown in a preview. */
const unknown = () => {
  const Output = pulumi.Output as unknown as new (...args: unknown[]) => pulumi.Output<string>;
  const no = Promise.resolve(false);
  return new Output(new Set(), Promise.resolve(undefined), no, no, Promise.resolve(new Set()));
};

test.each<[string, () => Assignment[], unknown[]]>([
  [
    "what all assignments of the role under one provider list, also as Outputs",
    () => [{ groupIds: [A, B] }, { groupIds: pulumi.output([C]) }],
    twice(complete(A, B, C)),
  ],
  ["nothing of another role", () => [{}, { roleId: OTHER, groupIds: [B] }], [complete(A), complete(B)]],
  [
    "what assignments under another provider of one domain list",
    () => [
      { provider: new Provider("first", EU) },
      { groupIds: [B], provider: new Provider("second", { ...EU, domain: "https://eu.example.com/" }) },
    ],
    twice(complete(A, B)),
  ],
  [
    "nothing of another tenant",
    () => [
      {},
      { groupIds: [B], provider: new Provider("eu", EU) },
      { groupIds: [C], provider: new Provider("us", { ...EU, domain: "us.example.com" }) },
    ],
    [complete(A), complete(B), complete(C)],
  ],
  [
    "nothing of an assignment whose end the engine puts in place of the program's",
    () => [{ until: "2026-12-31", ignoreChanges: ["until"] }, { groupIds: [C] }],
    twice(incomplete(C)),
  ],
  ["no gap of a list, which the provider names", () => [{ groupIds: [A, undefined] }], [complete(A)]],
  ["nothing where a role is no text", () => [{ roleId: null }], [incomplete()]],
  [
    "that the role of another is not known, which could be this one, and nothing of it",
    () => [{}, { roleId: unknown(), groupIds: [B] }],
    [incomplete(A), incomplete()],
  ],
  ["that the groups of another are not known", () => [{}, { groupIds: unknown() }], twice(incomplete(A))],
  ["… or one of them", () => [{}, { groupIds: [unknown(), B] }], twice(incomplete(A))],
  [
    "nothing of that for a role of its own",
    () => [{}, { roleId: OTHER, groupIds: unknown() }],
    [complete(A), incomplete()],
  ],
  ...["groupIds", "*"].map((path): [string, () => Assignment[], unknown[]] => [
    // The engine substitutes the groups in state, and only tells the handlers.
    `that an assignment ignores changes of ${path}`,
    () => [{}, { groupIds: [B], ignoreChanges: [path] }],
    twice(incomplete(A)),
  ]),
  [
    "nothing of changes of something else that are ignored",
    () => [{}, { groupIds: [B], ignoreChanges: ["exclusive"] }],
    twice(complete(A, B)),
  ],
])("a listing holds %s", async (_title, declare, expected) => {
  expect(await listings(declare)).toEqual(expected);
});

test("a listing holds what has not ended yet, by the clock of the program", async () => {
  const both = () => listings(() => [{ until: "2026-12-31" }, { groupIds: [B] }]);
  const clock = jest.spyOn(Date, "now").mockReturnValue(Date.parse("2026-12-31T23:59:59Z"));
  expect(await both()).toEqual(twice(complete(A, B)));
  clock.mockReturnValue(Date.parse("2027-01-01T00:00:00Z"));
  expect(await both()).toEqual(twice(complete(B)));
  clock.mockRestore();
});
