import { join } from "node:path";
import { documentOf } from "../../../../cli/review/output/document";
import { reviewMarkdown } from "../../../../cli/review/output/markdown";
import { reviewText } from "../../../../cli/review/output/text";
import { appearanceOf, markerOf } from "../../../../testkit/cli/asked";
import { made, step } from "../../../../testkit/cli/previews";
import { expectGolden } from "../../../../testkit/golden";

/* The review on a terminal: each file in golden/ has been read by a person. */

const golden = (name: string, text: string) => expectGolden(join(__dirname, "golden", name), text);

const at = (line: number) => ({
  stackTrace: [{ sourcePosition: `project:///src/access/index.ts#${line},3` }],
});
const grant = (name: string, roleId: string, groupIds: string[], line: number) =>
  step({ name, after: { roleId, groupIds, exclusive: false }, state: at(line) });
const review = made([
  grant(
    "support-agents",
    "rol_4hNkVx8QmTz2bRcW",
    ["grp_8HvYs4eMk3ZpLfDr6tXbNj", "grp_2fGhJkMnPqRsTuVwXyZaBc"],
    9,
  ),
  grant("billing", "rol_9sJdYp3LfGe7uXaK", ["grp_5BmRd9aSj2WqTgFx7cUkEn"], 14),
  step({ name: "old", before: { roleId: "rol_4hNkVx8QmTz2bRcW", groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"] } }),
  step({
    kind: "DeviceCredentialRemoval",
    name: "laptop",
    after: { deviceCredentialId: "dcr_2GjRf8mYd5LcVt7K" },
    state: at(30),
  }),
]);
const names = {
  rol_4hNkVx8QmTz2bRcW: "support-agent",
  rol_9sJdYp3LfGe7uXaK: "billing-viewer",
  grp_8HvYs4eMk3ZpLfDr6tXbNj: "contractors",
  grp_2fGhJkMnPqRsTuVwXyZaBc: "audit-team",
};

/** Signs are two columns wide; only a word that is longer than a line sticks out. */
function expectToFit(text: string, columns: number): void {
  for (const line of text.split("\n")) {
    const wide = line.length + [...line.matchAll(/[➕➖⛔⏳]/gu)].length;
    expect(wide <= columns || !line.trim().includes(" ")).toBe(true);
  }
}

test("a review without changes is one line", () => {
  const none = made([]);
  expect(reviewText([documentOf(none, [])], appearanceOf(none))).toBe(
    `Access review: no change of access, connection profiles or device credentials\n\nfingerprint ${"0".repeat(32)}\n`,
  );
});

test.each([60, 80, 120])("%d columns", (columns) => {
  const appearance = { ...appearanceOf(review), names };
  const text = reviewText([documentOf(review, ["revoke", "removal"])], appearance, undefined, columns);
  if (columns === 80) golden("80-columns.txt", text);
  expectToFit(text, columns);
  // No word is cut.
  for (const id of Object.keys(names)) expect(text).toContain(id);
});

describe("ends that move", () => {
  const ending = (roleId: string, groupIds: string[], until?: string) => ({
    roleId,
    groupIds,
    exclusive: false,
    ...(until !== undefined && { until }),
  });
  const moves = (name: string, [before, after]: [object, object], line: number) =>
    step({
      name,
      before: before as ReturnType<typeof ending>,
      after: after as ReturnType<typeof ending>,
      state: at(line),
    });
  const [agent, viewer] = ["rol_4hNkVx8QmTz2bRcW", "rol_9sJdYp3LfGe7uXaK"] as const;
  const [contractors, audit] = ["grp_8HvYs4eMk3ZpLfDr6tXbNj", "grp_2fGhJkMnPqRsTuVwXyZaBc"] as const;
  const billing = "grp_5BmRd9aSj2WqTgFx7cUkEn";
  const moved = made([
    moves(
      "contractors",
      [ending(agent, [contractors], "2199-12-31"), ending(agent, [contractors, audit])],
      9,
    ),
    moves("viewers", [ending(viewer, [billing]), ending(viewer, [billing], "2199-06-30")], 14),
    moves("auditors", [ending(viewer, [audit], "2199-12-31"), ending(viewer, [audit], "2200-12-31")], 20),
  ]);
  const appearance = { ...appearanceOf(moved), names: { ...names, [billing]: "billing-team" } };
  const documents = [documentOf(moved, ["grant", "revoke"])];

  test.each([80, 120, 200])("%d columns", (columns) =>
    expectToFit(reviewText(documents, appearance, undefined, columns), columns),
  );

  test("Markdown", () => {
    golden("ends.md", reviewMarkdown(documents, markerOf(moved), appearance));
  });
});
