import { UNKNOWN_VALUE } from "../../../../provider/seen";
import { z } from "zod";
import { commandsOf, gitlabReport } from "../../../../cli/review/output/annotate";
import { findingsOf } from "../../../../cli/review/output/findings";
import { readPreview } from "../../../../cli/review/input/preview";
import { type Review, reviewOf } from "../../../../cli/review/review";
import { withRules } from "../../../../cli/review/rules";
import { sarifOf } from "../../../../cli/review/output/sarif";
import { readRules } from "../../../../cli/rules/file";
import { NO_WORKPLACE } from "../../../../cli/places";
import { say } from "../../../../provider/sentence";
import fc from "../../../../testkit/properties";
import { failedText, previewText, step } from "../../../../testkit/cli/previews";

/* Findings on the lines of the program: as SARIF, and as shown by jobs of GitHub and GitLab. */

const GROUP = "grp_AAAAAAAAAAAAAA";
const OTHER = "grp_BBBBBBBBBBBBBB";
const assignment = (groupIds: unknown) => ({ roleId: "rol_1", groupIds, exclusive: false });
const at = (line: number) => ({ stackTrace: [{ sourcePosition: `project:///src/index.ts#${line},3` }] });
const removal = (name: string, line: number) =>
  step({
    kind: "DeviceCredentialRemoval",
    name,
    after: { deviceCredentialId: `dcr_${line}` },
    state: at(line),
  });

function reviewed(steps: readonly object[], rules?: string): Review[] {
  const preview = readPreview(previewText(steps));
  const review = reviewOf(preview, false);
  if (rules === undefined) return [review];
  return withRules(
    [{ review, preview, answers: undefined }],
    readRules({ file: "rules.yaml", text: rules }),
    new Date(),
  );
}

const everything = () =>
  reviewed(
    [
      step({ name: "a", id: "rol_1", before: assignment([GROUP]), after: assignment([OTHER]), state: at(9) }),
      step({ name: "b", after: assignment(UNKNOWN_VALUE), state: at(12) }),
      removal("phone", 30),
      step({ kind: "ConnectionProfile", name: "old", id: "cop_1", before: { name: "old" } }),
    ],
    "allow:\n  rol_1: []\n",
  );
const found = (reviews = everything(), names: Record<string, string> = { [GROUP]: "support-desk" }) =>
  findingsOf(reviews, names, NO_WORKPLACE);

test("each removal, broken rule, loss and doubt is one, the worst first, with the line that causes it", () => {
  expect(found().map(({ type, text, file, line }) => `${type} ${file}:${line} ${text}`)).toEqual([
    "removal Pulumi.yaml:1 the connection profile old cop_1 is deleted for good",
    "removal src/index.ts:30 phone removes the device credential dcr_30 for good",
    `rule src/index.ts:9 ${OTHER} has rol_1, which rules.yaml:2 doesn't allow`,
    expect.stringMatching(
      /^loss src\/index\.ts:9 support-desk grp_A+ (may lose rol_1, unless .+|loses rol_1)$/,
    ),
    expect.stringMatching(/^doubt src\/index\.ts:12 b: /),
    `old-rule src/index.ts:9 support-desk ${GROUP} has rol_1, which rules.yaml:2 doesn't allow`,
  ]);
});

test("a grant that ends on another day is one, whether later or earlier", () => {
  const ending = (until?: string) => ({ ...assignment([GROUP]), ...(until !== undefined && { until }) });
  const moved = (name: string, [before, after]: [object, object], line: number) =>
    step({
      name,
      before: before as ReturnType<typeof assignment>,
      after: after as ReturnType<typeof assignment>,
      state: at(line),
    });
  const other = (values: object) => ({ ...values, roleId: "rol_2" });
  const findings = found(
    reviewed([
      moved("a", [ending("2199-12-31"), ending()], 9),
      moved("b", [other(ending()), other(ending("2199-12-31"))], 12),
    ]),
  );
  expect(findings.map(({ type, text, line }) => `${type} ${line} ${text}`)).toEqual([
    `end 9 support-desk ${GROUP} keeps rol_1, now without an end (was 2199-12-31)`,
    `end 12 support-desk ${GROUP} keeps rol_2, now ends on 2199-12-31 (had no end)`,
  ]);
  const { runs } = sarif.parse(JSON.parse(sarifOf(findings, ABOUT)));
  expect(runs[0].results.map(({ ruleId, level: how }) => [ruleId, how])).toEqual([
    ["end", "warning"],
    ["end", "warning"],
  ]);
  expect(commandsOf(findings)).toContain(
    "::warning file=src/index.ts,line=9,title=A grant ends on another day::",
  );
});

test("those of one type go by their lines", () => {
  const reviews = reviewed([removal("c", 9), removal("b", 30), removal("a", 12)]);
  expect(found(reviews).map(({ line }) => line)).toEqual([9, 12, 30]);
});

const text = z.string().min(1);
const message = z.strictObject({ text });
const level = z.enum(["error", "warning", "note", "none"]);
/** The part of the SARIF 2.1.0 schema that we write: strict, to catch anything else. */
const sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal("2.1.0"),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: text,
          version: text,
          informationUri: z.url(),
          rules: z.array(
            z.strictObject({
              id: text,
              shortDescription: message,
              fullDescription: message,
              help: message,
              helpUri: z.url(),
              defaultConfiguration: z.strictObject({ level }),
            }),
          ),
        }),
      }),
      automationDetails: z.strictObject({ id: z.string().regex(/^pulumi-identity\/\S+\/$/) }),
      invocations: z.tuple([
        z.strictObject({
          executionSuccessful: z.boolean(),
          toolExecutionNotifications: z.tuple([z.strictObject({ level, message })]).optional(),
        }),
      ]),
      columnKind: z.enum(["utf16CodeUnits", "unicodeCodePoints"]),
      results: z.array(
        z.strictObject({
          ruleId: text,
          ruleIndex: z.int().min(0),
          level,
          message,
          locations: z.tuple([
            z.strictObject({
              physicalLocation: z.strictObject({
                artifactLocation: z.strictObject({ uri: z.string().regex(/^[\w.~%/!*'()-]+$/) }),
                region: z.strictObject({ startLine: z.int().min(1) }),
              }),
            }),
          ]),
          partialFingerprints: z.record(text, z.string().regex(/^[0-9a-f]{64}$/)),
        }),
      ),
    }),
  ]),
});

const ABOUT = "review/access/prod";

test("SARIF is valid, and each result names its rule", () => {
  const { runs } = sarif.parse(JSON.parse(sarifOf(found(), ABOUT)));
  const [{ tool, results }] = runs;
  expect(results).toHaveLength(6);
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
  const clean = sarif.parse(JSON.parse(sarifOf([], ABOUT)));
  expect(clean.runs[0].invocations).toEqual([{ executionSuccessful: true }]);
  expect(clean.runs[0].automationDetails.id).toBe("pulumi-identity/review/access/prod/");
});

test("SARIF holds 25,000 results, the worst, and says how many are only in the review", () => {
  const types = ["rule", "loss"] as const;
  const findings = types.flatMap((type) =>
    Array.from({ length: 12_600 }, (_, line) => ({ type, text: "t", whole: `${line}`, file: "a.ts", line })),
  );
  const said: string[] = [];
  const [{ invocations, results }] = sarif.parse(
    JSON.parse(sarifOf(findings, ABOUT, (sentence) => said.push(sentence))),
  ).runs;
  expect(results).toHaveLength(25_000);
  expect(results.filter(({ ruleId }) => ruleId === "rule")).toHaveLength(12_600);
  const sentence = "200 findings more are only in the review: a SARIF file holds 25,000.";
  expect(said).toEqual([sentence]);
  expect(invocations[0].toolExecutionNotifications).toEqual([
    { level: "warning", message: { text: sentence } },
  ]);
});

test("a preview that failed is no clean bill", () => {
  const preview = readPreview(failedText([]));
  const findings = found([reviewOf(preview, false)]);
  expect(findings).toEqual([{ type: "failure", text: "no", whole: "no", file: "Pulumi.yaml", line: 1 }]);
  const [{ invocations, results }] = sarif.parse(JSON.parse(sarifOf(findings, ABOUT))).runs;
  expect(invocations).toEqual([{ executionSuccessful: false }]);
  expect(results).toMatchObject([{ ruleId: "failure", level: "error" }]);
  expect(commandsOf(findings)).toMatch(/^::error file=Pulumi.yaml,line=1,title=The preview failed::no\n$/);
});

test("a deletion that may not come to that says why", () => {
  const before = { name: "old" };
  const steps = [step({ kind: "ConnectionProfile", name: "old", id: "cop_1", before })];
  const [review] = reviewed(steps);
  const profiles = review!.profiles.map((row) => ({ ...row, unless: say`another one takes it over` }));
  expect(found([{ ...review!, profiles }]).map(({ text }) => text)).toEqual([
    "the connection profile old cop_1 may be deleted for good, unless another one takes it over",
  ]);
});

test("the name of a file is inert, too", () => {
  const finding = {
    type: "loss",
    file: "src/x\u001b[31m\u202e\n::error::y.ts",
    line: 1,
    text: "a",
    whole: "a",
  } as const;
  const report = JSON.parse(gitlabReport([finding])) as [{ location: { path: string } }];
  for (const text of [commandsOf([finding]).trimEnd(), report[0].location.path]) {
    expect(text).toContain("src/x");
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
  const plain = { ...finding, file: "src/[ü] a-b_c.ts" };
  expect(gitlabReport([plain])).toContain('"path": "src/[ü] a-b_c.ts"');
});

test("names of 500 characters leave room for the role and the rule, and two breaches of a line stay two", () => {
  const steps = [step({ name: "a", after: assignment([GROUP, OTHER]), state: at(9) })];
  const long = "n".repeat(500);
  const findings = found(reviewed(steps, "allow:\n  rol_1: []\n"), {
    [GROUP]: long,
    [OTHER]: long,
    rol_1: "r".repeat(500),
  });
  expect(findings.map(({ type }) => type)).toEqual(["rule", "rule"]);
  for (const [index, id] of [GROUP, OTHER].entries()) {
    const { text } = findings[index]!;
    expect(text).toMatch(
      new RegExp(
        `^n{70,}… \\(cut: 500 characters\\) ${id} has r{70,}… \\(cut: 500 characters\\) rol_1, which rules.yaml:2 doesn't allow$`,
      ),
    );
  }
  const prints = sarif
    .parse(JSON.parse(sarifOf(findings, ABOUT)))
    .runs[0].results.map((one) => one.partialFingerprints);
  expect(prints[0]).not.toEqual(prints[1]);
});

test("a finding stays the same one when its line moves", () => {
  const prints = [9, 90].map((line) => {
    const log = sarif.parse(
      JSON.parse(
        sarifOf(
          found(reviewed([step({ name: "b", after: assignment(UNKNOWN_VALUE), state: at(line) })])),
          ABOUT,
        ),
      ),
    );
    return log.runs[0].results.map(({ partialFingerprints }) => partialFingerprints);
  });
  expect(prints[0]).toEqual(prints[1]);
});

test("GitHub: at most ten a step, the worst first, and the others are counted", () => {
  const many = Array.from({ length: 14 }, (_, index) =>
    step({ name: `a${index}`, after: assignment(UNKNOWN_VALUE), state: at(index + 1) }),
  );
  const lines = commandsOf(found(reviewed([...many, removal("phone", 30)]))).split("\n");
  expect(lines[0]).toBe(
    "::error file=src/index.ts,line=30,title=Something is removed for good::phone removes the device credential dcr_30 for good",
  );
  expect(lines.filter((line) => line.startsWith("::"))).toHaveLength(10);
  expect(lines.at(-2)).toBe("5 more findings are only in the review.");
});

test("GitLab: a report of code quality", () => {
  const report = JSON.parse(gitlabReport(found())) as object[];
  expect(report[1]).toEqual({
    description: "phone removes the device credential dcr_30 for good",
    check_name: "pulumi-identity/removal",
    fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    severity: "critical",
    location: { path: "src/index.ts", lines: { begin: 30 } },
  });
});

test("no text of a stranger becomes a command, a link or an argument", () => {
  const hostile = fc.array(
    fc.oneof(
      fc.constantFrom(
        "::error::",
        "\n",
        "\r",
        "%0A",
        "%",
        ",",
        ":",
        "[a](https://example.com)",
        "{0}",
        "\u202e",
        "\\",
        "##[error]",
      ),
      fc.string(),
    ),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const name = parts.join("");
      const finding = { type: "loss" as const, file: `src/${name}`, line: 1, text: "", whole: "" };
      const steps = [step({ name: "a", after: assignment(UNKNOWN_VALUE), state: at(1) })];
      const [review] = reviewed(steps);
      const [row] = review!.unknown;
      const [told] = found([{ ...review!, unknown: [{ ...row!, name }] }]);
      const lines = commandsOf([{ ...finding, text: told!.text }]).split("\n");
      expect(lines).toHaveLength(2);
      const [, properties = "", data = ""] = /^::warning (.*?)::(.*)$/.exec(lines[0]!) ?? [];
      expect(properties.split(",").map((one) => one.split("=")[0])).toEqual(["file", "line", "title"]);
      expect(`${properties}${data}`).not.toMatch(/[\r\n]|%(?!25|0A|0D|2C|3A)/);
      const log = sarif.parse(JSON.parse(sarifOf([{ ...told!, file: told!.file }], ABOUT)));
      const shown = log.runs[0].results[0]!.message.text;
      expect(shown.replace(/\\[\\[\]]|\{\{|\}\}/g, "")).not.toMatch(/[[\]{}]|[\p{Cc}\p{Cf}]/u);
    }),
  );
});
