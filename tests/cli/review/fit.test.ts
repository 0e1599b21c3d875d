import { documentOf } from "../../../provider/cli/review/document";
import { toMarkdown } from "../../../provider/cli/review/markdown";
import { markedBy, markerText } from "../../../provider/cli/review/marker";
import { toText } from "../../../provider/cli/review/text";
import { groups, made, step } from "./made";

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
  const appearance = {
    names: {},
    source: undefined,
    commit: undefined,
    fingerprint: review.fingerprint,
    maxLength,
  };
  const documents = [documentOf(review, ["removal"])];
  const markdown = toMarkdown(documents, markerText(markedBy([review]), "review"), appearance);
  return { markdown, text: toText(documents, appearance) };
}

test.each([60_000, 20_000, 5_000])("a review of thousands of changes takes at most %d characters", (most) => {
  const { markdown } = shown([...removals(20), ...grants(2_000), ...profiles(1_000)], most);
  expect(markdown.length).toBeLessThanOrEqual(most);
  expect(markdown).toContain("➕ 2,000 grants");
  for (let index = 0; index < 20; index++) expect(markdown).toContain(`by \`removal-${index}\``);
  expect(markdown).toContain("Needs an approval");
  expect(markdown).toMatch(/made by `pulumi-identity review`<\/sub>\n$/);
  const rows = [...markdown.matchAll(/\| `assignment-\d+` \|/g)].length;
  const left = /and ([\d,]+) more/.exec(markdown.slice(markdown.indexOf("| Role |")))?.[1];
  expect(rows + Number(left?.replaceAll(",", ""))).toBe(2_000);
});

test("as much is shown as there is room for", () => {
  expect(shown(grants(2_000), 60_000).markdown.length).toBeGreaterThan(59_800);
  const all = shown(grants(100), 60_000).markdown;
  expect(all).not.toContain("more, which there is no room for");
});

test("a thousand removals are all named: in the fewest words, where there is no room for more", () => {
  const { markdown } = shown([...removals(1_000), ...grants(10)], 60_000);
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  for (let index = 0; index < 1_000; index++)
    expect(markdown).toContain(`\`dcr_${String(index).padStart(16, "1")}\``);
});

test("a terminal shows all of it", () => {
  const { text } = shown(grants(3_000), 1_000);
  expect([...text.matchAll(/assignment-\d+/g)]).toHaveLength(3_000);
});
