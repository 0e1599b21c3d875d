import { documentOf } from "../../../../cli/review/output/document";
import { reviewMarkdown } from "../../../../cli/review/output/markdown";
import { reviewText } from "../../../../cli/review/output/text";
import { appearanceOf, markerOf } from "../../../../testkit/cli/asked";
import { groups, made, step } from "../../../../testkit/cli/previews";

const many = (count: number, one: (index: number) => object) =>
  Array.from({ length: count }, (_, index) => one(index));
const removals = (count: number) =>
  many(count, (index) =>
    step({
      kind: "DeviceCredentialRemoval",
      name: `removal-${index}`,
      after: { deviceCredentialId: `dcr_${String(index).padStart(16, "1")}` },
    }),
  );
const grants = (count: number) =>
  many(count, (index) =>
    step({ name: `assignment-${index}`, after: { ...groups("grp_a"), roleId: `rol_${index}` } }),
  );
const profiles = (count: number) =>
  many(count, (index) =>
    step({ kind: "ConnectionProfile", name: `p${index}`, after: { name: `p${index}` } }),
  );

function shown(steps: readonly object[], maxLength: number) {
  const review = made(steps);
  const appearance = { ...appearanceOf(review), maxLength };
  const documents = [documentOf(review, ["removal"])];
  const markdown = reviewMarkdown(documents, markerOf(review), appearance);
  return { markdown, text: reviewText(documents, appearance) };
}

test("a review of hundreds of changes takes no more characters than it may", () => {
  const { markdown } = shown([...removals(20), ...grants(500), ...profiles(100)], 5_000);
  expect(markdown.length).toBeLessThanOrEqual(5_000);
  expect(markdown).toContain("➕ 500 grants");
  for (let index = 0; index < 20; index++) expect(markdown).toContain(`by \`removal-${index}\``);
  expect(markdown).toContain("Needs an approval");
  expect(markdown).toMatch(/made by `pulumi-identity review`<\/sub>\n$/);
  const rows = [...markdown.matchAll(/\| `assignment-\d+` \|/g)].length;
  const left = /and ([\d,]+) more/.exec(markdown.slice(markdown.indexOf("| Role |")))?.[1];
  expect(rows + Number(left?.replaceAll(",", ""))).toBe(500);
});

test("no more is cut than the limit asks for", () => {
  const { length } = shown(grants(2_000), 60_000).markdown;
  expect(length).toBeLessThanOrEqual(60_000);
  expect(length).toBeGreaterThan(59_700);
  const all = shown(grants(100), 60_000).markdown;
  expect(all).not.toContain("more, which there is no room for");
});

test("a thousand removals are all named, in the fewest words, before a grant is cut", () => {
  const { markdown } = shown([...removals(1_000), ...grants(10)], 60_000);
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  for (let index = 0; index < 1_000; index++)
    expect(markdown).toContain(`\`dcr_${String(index).padStart(16, "1")}\``);
  for (let index = 0; index < 10; index++) expect(markdown).toContain(`\`assignment-${index}\``);
});

test("a terminal shows all of it", () => {
  const { text } = shown(grants(300), 1_000);
  expect([...text.matchAll(/assignment-\d+/g)]).toHaveLength(300);
});

const update = (name: string, before: Record<string, unknown>, after: Record<string, unknown>) =>
  step({ kind: "ConnectionProfile", name, before, after });
const keys = (count: number, value: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, value(index)]));

test("keys of a profile are cut before any change of access, and counted", () => {
  const connectionConfig = keys(200, (index) => `a value that takes room ${index}`);
  const { markdown } = shown([...grants(40), update("p", {}, { connectionConfig })], 6_000);
  for (let index = 0; index < 40; index++) expect(markdown).toContain(`\`assignment-${index}\``);
  const rows = [...markdown.matchAll(/connectionConfig\.key-/g)].length;
  expect(rows).toBeGreaterThan(10);
  expect(markdown).toContain(`  - … and ${200 - rows} more, which there is no room for`);
  expect(markdown).not.toContain("There is no room here for");
});

test("values that can't be told are cut before any change of access", () => {
  const [before, after] = [keys(200, () => "old"), keys(200, () => "[secret]")];
  const hidden = update("p", { connectionConfig: before }, { connectionConfig: after });
  const { markdown } = shown([hidden, ...grants(40)], 6_000);
  for (let index = 0; index < 40; index++) expect(markdown).toContain(`\`assignment-${index}\``);
});

test("gains are cut after losses, and losses after what stays", () => {
  const assignment = (name: string, op: string, ...ids: string[]) =>
    step({ name, op, [op === "delete" ? "before" : "after"]: groups(...ids) });
  const ids = (prefix: string) => Array.from({ length: 60 }, (_, index) => `grp_${prefix}${index}`);
  const { markdown } = shown(
    [
      assignment("gains", "create", ...ids("gain"), ...ids("keep")),
      assignment("loses", "delete", ...ids("loss"), ...ids("keep")),
    ],
    6_000,
  );
  expect([...markdown.matchAll(/`grp_gain/g)]).toHaveLength(60);
  expect(markdown).not.toContain("`grp_keep");
  const losses = [...markdown.matchAll(/`grp_loss/g)].length;
  expect(losses).toBeGreaterThan(0);
  expect(markdown.split("\n")[1]).toBe(
    `**❗ There is no room here for ${60 - losses} losses of access. \`--format text\` and \`--json\` show all of it.**`,
  );
});

test("where not even what can't be undone has room, the review says so in its first line and is no longer", () => {
  const { markdown } = shown([...removals(3_000), ...grants(10)], 60_000);
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  expect(markdown.length).toBeGreaterThan(59_700);
  const named = [...markdown.matchAll(/`dcr_\d+`/g)].length;
  expect(markdown.split("\n")[1]).toBe(
    `**❗ There is no room here for ${(3_000 - named).toLocaleString("en")} changes that can't be undone and ` +
      "10 gains of access. `--format text` and `--json` show all of it.**",
  );
  expect(markdown).toContain(
    `… and ${(3_000 - named).toLocaleString("en")} more, which there is no room for`,
  );
  expect(markdown).toContain("⛔ 3,000 permanent removals");
  expect(markdown).toMatch(/made by `pulumi-identity review`<\/sub>\n$/);
});

test.each([1_000, 60_000])("titles of a thousand stacks take at most %d characters", (maxLength) => {
  const review = made(grants(1));
  const documents = Array.from({ length: 1_000 }, () => documentOf(review, []));
  const markdown = reviewMarkdown(documents, "<!-- marker -->", { ...appearanceOf(review), maxLength });
  expect(markdown.length).toBeLessThanOrEqual(maxLength);
  expect(markdown).toMatch(/^<!-- marker -->\n\*\*❗ There is no room here for 1,000 gains of access\./);
  expect(markdown).toMatch(/\n… there is no room for the rest\n$/);
});

test("a drift says how to undo it, and how to keep it; an unchanged tenant needs neither", () => {
  const advice = (steps: readonly object[]) => {
    const review = made(steps, [], true);
    const markdown = reviewMarkdown([documentOf(review, [])], "", appearanceOf(review));
    return /#### What to do\n\n([^#<]*)/.exec(markdown)?.[1]?.trim().split("\n");
  };
  expect(advice([step({ name: "a", before: groups("grp_a"), after: groups("grp_b") })])).toEqual([
    "- to undo it, run `pulumi up --refresh --stack prod`",
    "- to keep it, change the program to match, and apply that",
  ]);
  expect(advice([step({ name: "a", op: "same", before: groups("grp_a") })])).toBeUndefined();
});
