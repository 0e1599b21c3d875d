import { documentOf } from "../../../cli/review/output/document";
import { findingsOf } from "../../../cli/review/output/findings";
import { readPreview } from "../../../cli/review/input/preview";
import { hasChanges, type Review, reviewOf } from "../../../cli/review/review";
import { toJson } from "../../../cli/review/output/json";
import { reviewText } from "../../../cli/review/output/text";
import { NO_WORKPLACE } from "../../../cli/places";
import { reviewSchema } from "../../../provider/review/model";
import { SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { adds, appearanceOf, AskedTenant, clientsWithout } from "../../../testkit/cli/asked";
import { previewText, step } from "../../../testkit/cli/previews";

/* What no preview shows: creates of a killed run, names that are taken, and grants that two stacks list. */

const MAKING = { made: new Date(0), unknownAccepted: false, environmentTenant: undefined };
const profile = (name: string, more = {}) =>
  step({ kind: "ConnectionProfile", name, after: { name, ...more } });
const textOf = (review: Review) => reviewText([documentOf(review, review.categories)], appearanceOf(review));

describe("pending creates", () => {
  const preview = readPreview(previewText([profile("partners")]));
  const line = { file: "index.ts", line: 9 };
  const pending = [{ kind: "ConnectionProfile" as const, name: "partners", profile: "partners", line }];
  const [review, without] = [reviewOf({ ...preview, pending }, false), reviewOf(preview, false)];

  test("are said first, with the way out", () => {
    const [, , , title, row] = textOf(review).split("\n");
    expect(title).toBe("An earlier run ended halfway:");
    expect(row).toBe(
      "  - the connection profile partners (index.ts:9) may be on the tenant already: the run that created it was " +
        "killed, and the next `pulumi up` creates it again. Look on the tenant. If it's there, adopt it or delete it " +
        "by hand. Then run `pulumi refresh --clear-pending-creates`.",
    );
    expect(textOf(without)).not.toContain("halfway");
  });

  test("are a category of their own, and no part of the fingerprint", () => {
    expect(review.categories).toEqual([...without.categories, "pending"]);
    expect(review.fingerprint).toBe(without.fingerprint);
    const json = reviewSchema.parse(toJson(review, MAKING));
    expect(json.pending).toEqual([{ kind: "ConnectionProfile", name: "partners", line }]);
    expect(json.complete).toBe(true);
    expect(reviewSchema.parse(toJson(without, MAKING)).pending).toBeUndefined();
  });

  test("make no drift, so that no issue stays open for what a good run leaves", () => {
    const drift = reviewOf({ ...readPreview(previewText([])), pending }, true);
    expect(hasChanges(drift)).toBe(false);
    expect(drift.categories).toEqual(["pending"]);
  });

  test("are a finding", () => {
    expect(findingsOf([review], {}, NO_WORKPLACE)).toMatchObject([
      { type: "pending", line: 9, text: expect.stringContaining("partners") as unknown },
    ]);
  });
});

describe("a new profile whose name is taken", () => {
  const tenant = AskedTenant.forTests();
  const seed = (...names: string[]) =>
    tenant.seed({
      behaviour: { profile_name_conflict: "allow" },
      connection_profiles: names.map((name, index) => ({
        id: `cop_${"abcdefghijk"[index]!.repeat(22)}`,
        name,
      })),
    });
  const twins = (review: Review) =>
    review.twins.map(({ name, reason }) => [name, reason.toString()].join(": "));

  test("is named with the one that has it", async () => {
    seed("partners", "others", "partners");
    const [review] = await tenant.reviewed([[profile("partners"), profile("free")]]);
    const [first, second] = ["a", "c"].map((letter) => `cop_${letter.repeat(22)}`);
    expect(twins(review!)).toEqual([
      `partners: a profile named partners already exists as ${first} and ${second}: adopt it, or choose another name`,
    ]);
    expect(textOf(review!)).toMatch(/\nAlready on the tenant:\n {2}- partners: a profile named partners/);
    const json = toJson(review!, MAKING);
    expect(json.notes[0]).toEqual({ name: "partners", reason: review!.twins[0]!.reason.toString() });
    const [plain] = await tenant.reviewed([[profile("partners"), profile("free")]], { asks: false });
    expect(review!.fingerprint).toBe(plain!.fingerprint);
  });

  test("is none if a state of these stacks has it, or a resource adopts it", async () => {
    seed("partners", "old");
    const [known, adopted] = ["a", "b"].map((letter) => `cop_${letter.repeat(22)}`);
    const held = step({
      kind: "ConnectionProfile",
      name: "p",
      op: "same",
      id: known!,
      before: { name: "partners" },
    });
    const reviews = await tenant.reviewed([
      [profile("partners"), profile("old"), profile("adopter", { adopt: adopted })],
      [held],
    ]);
    expect(reviews.flatMap(twins)).toEqual([]);
  });

  test("says if the names could not be read", async () => {
    tenant.seed({ clients: clientsWithout("read:connection_profiles") });
    const [review] = await tenant.reviewed([[profile("partners")]]);
    expect(twins(review!)).toEqual([
      ": whether the new profiles' names are free could not be read (needs read:connection_profiles)",
    ]);
  });
});

describe("a grant that two stacks list", () => {
  const tenant = AskedTenant.forTests();
  const notes = (review: Review) =>
    review.notes.flatMap(({ name, reason }) =>
      reason.toString().startsWith("lists ") ? [`${name} ${reason.toString()}`] : [],
    );

  test("is said in both reviews, and is no part of their fingerprints", async () => {
    const stacks = [[adds("a", VIEWER, [SUPPORT])], [adds("b", VIEWER, [SUPPORT])]];
    const [one, other] = await tenant.reviewed(stacks);
    const says = (from: string, to: string) =>
      `${from} lists ${SUPPORT} for ${VIEWER}, and so does ${to}: the stack that drops it takes it from both`;
    expect(notes(one!)).toEqual([says("a", "b in access/s1")]);
    expect(notes(other!)).toEqual([says("b", "a in access/s0")]);
    expect(one!.names[SUPPORT]).toBe("support-desk");
    const [alone] = await tenant.reviewed(stacks.slice(0, 1));
    expect(notes(alone!)).toEqual([]);
    expect(alone!.fingerprint).toBe(one!.fingerprint);
  });

  test.each([
    ["create", "gains", "a in access/s0 takes it away after that"],
    ["same", undefined, undefined],
  ])(
    "and that one of them takes away: what to run in the other, whose step is %s, and which may not be enough",
    async (op, effect, unless) => {
      const groups = { roleId: VIEWER, groupIds: [SUPPORT], exclusive: false };
      const drops = step({ name: "a", op: "delete", before: groups });
      const lists = step({ name: "b", op, ...(op === "same" && { before: groups }), after: groups });
      const [one, other] = await tenant.reviewed([[drops], [lists]]);
      expect(one!.access.map(({ effect }) => effect)).toEqual(["loses"]);
      expect(notes(one!)).toEqual([]);
      expect(other!.access.map((row) => [row.effect, row.unless?.toString()])).toEqual(
        effect === undefined ? [] : [[effect, unless]],
      );
      expect(notes(other!)).toEqual([
        `b lists ${SUPPORT} for ${VIEWER}, and a in access/s0 takes it away: run \`pulumi up --refresh\` here after that to give it back`,
      ]);
    },
  );

  test("is none on two tenants", async () => {
    const groups = { roleId: VIEWER, groupIds: [SUPPORT], exclusive: false };
    const elsewhere = step({
      name: "b",
      op: "same",
      before: groups,
      outputs: { tenant: "other.example.com" },
    });
    const reviews = await tenant.reviewed([[adds("a", VIEWER, [SUPPORT])], [elsewhere]]);
    expect(reviews.flatMap(notes)).toEqual([]);
  });
});
