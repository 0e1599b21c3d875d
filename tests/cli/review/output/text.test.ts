import { join } from "node:path";
import { documentOf } from "../../../../cli/review/output/document";
import { reviewText } from "../../../../cli/review/output/text";
import { appearanceOf } from "../../../../testkit/cli/asked";
import { made, step } from "../../../../testkit/cli/previews";
import { expectGolden } from "../../../../testkit/golden";

/* The review on a terminal: each file in golden/ has been read by a person. */

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

test("a review without changes is one line", () => {
  const none = made([]);
  expect(reviewText([documentOf(none, [])], appearanceOf(none))).toBe(
    `Access review: no change of access, connection profiles or device credentials\n\nfingerprint ${"0".repeat(32)}\n`,
  );
});

test.each([60, 80, 120])("%d columns", (columns) => {
  const appearance = { ...appearanceOf(review), names };
  const text = reviewText([documentOf(review, ["revoke", "removal"])], appearance, undefined, columns);
  expectGolden(join(__dirname, "golden", `${columns}-columns.txt`), text);
  // Signs are two columns wide; only a word that is longer than a line sticks out.
  for (const line of text.split("\n")) {
    const wide = line.length + [...line.matchAll(/[➕➖⛔]/g)].length;
    expect(wide <= columns || !line.trim().includes(" ")).toBe(true);
  }
  // No word is cut.
  for (const id of Object.keys(names)) expect(text).toContain(id);
});
