import { accessCommand } from "../../cli/access/command";
import { adoptCommand } from "../../cli/adopt/command";
import { doctorCommand } from "../../cli/doctor/command";
import { doctorText, type Report } from "../../cli/doctor/report";
import { initCommand } from "../../cli/init/command";
import { tokenCommand } from "../../cli/token";
import { reviewCommand } from "../../cli/review/command";
import { rulesCommand } from "../../cli/rules/command";
import { documentOf } from "../../cli/review/output/document";
import { reviewText as reviewText } from "../../cli/review/output/text";
import { appearanceOf } from "../../testkit/cli/asked";
import { groups, made, step } from "../../testkit/cli/previews";

/* The output at a terminal. */

test.each(
  [
    reviewCommand(),
    adoptCommand(),
    accessCommand(),
    rulesCommand(),
    doctorCommand(),
    tokenCommand(),
    initCommand(),
  ].map((one) => [one.name(), one]),
)("the help of %s takes 80 columns", (_, command) => {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 80 });
  command.outputHelp();
  expect(help).toContain("Exit codes: 0 ok");
  expect(help.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

/** Marks the coloured parts. */
const marked: NonNullable<Parameters<typeof doctorText>[2]> = (format, text) =>
  `<${[format].flat().join(" ")}>${text}</>`;
const unmarked = (text: string) => text.replace(/<[a-z ]+>(.*?)<\/>/g, "$1");

describe("colour", () => {
  const finding = { id: "access.token", says: "<red>", do: "<bold>" } as const;
  const report: Report = {
    version: 1,
    package: "1.2.3",
    status: "error",
    first: "this",
    findings: [
      { ...finding, status: "error" },
      { ...finding, id: "access.api", status: "ok" },
      { ...finding, id: "scopes.granted", status: "unchecked" },
    ],
  };
  const review = made([
    step({ name: "➕ a", after: groups("grp_a") }),
    step({ name: "b", before: groups("grp_b") }),
    step({ kind: "ConnectionProfile", name: "p", id: "cop_1", before: { name: "p" } }),
  ]);
  const appearance = appearanceOf(review);

  test("is on the doctor's words and on nothing that it quotes, and moves nothing", () => {
    const text = doctorText(report, 80, marked);
    expect(text).toContain("  <red bold>error  </>  token");
    expect(text).toContain("  <green>ok     </>  api");
    expect(text).toContain("<red bold>The doctor found 1 error. Fix this first: <bold></>");
    expect(unmarked(text)).toBe(unmarked(doctorText(report, 80)));
  });

  test("is on the signs of a review and on no value, and moves nothing", () => {
    const documents = [documentOf(review, [])];
    const text = reviewText(documents, appearance, marked);
    expect(text).toContain("<green>➕ 1 grant</> · <red>➖ 1 revocation</> · <red>⛔ 1 profile deleted</>");
    expect(text).toContain("<bold red>This can't be undone:</>");
    expect(text).toMatch(/rol_1 {2}<green>➕ gains<\/> {2}grp_a {2}➕ a$/m);
    expect(text).toMatch(/rol_1 {2}<red>➖ loses<\/> {2}grp_b/);
    expect(unmarked(text)).toBe(reviewText(documents, appearance));
  });
});
