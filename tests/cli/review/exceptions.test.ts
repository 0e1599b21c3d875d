import { documentOf } from "../../../cli/review/output/document";
import { findingsOf } from "../../../cli/review/output/findings";
import { toJson } from "../../../cli/review/output/json";
import { reviewMarkdown } from "../../../cli/review/output/markdown";
import { reviewText } from "../../../cli/review/output/text";
import { type Review } from "../../../cli/review/review";
import { htmlPage } from "../../../cli/html/page";
import { AGENT, BILLING, SUPPORT } from "../../../simulator/default-seed";
import { adds, appearanceOf, AskedTenant, assignment, MAKING } from "../../../testkit/cli/asked";
import { step } from "../../../testkit/cli/previews";

/* Exceptions in a review: shown beside what they let pass, and no excuse of a pull request for itself. */

const tenant = AskedTenant.forTests();
beforeEach(() => tenant.seed({ roles: [{ id: AGENT, name: "support-agent", groups: [SUPPORT] }] }));

const RULE = `allow:\n  ${AGENT}: [${SUPPORT}]\n`;
const exception = (more = "reason: the desk is short, owner: ops@example.com, until: 2026-12-31") =>
  `exceptions:\n  - { role: ${AGENT}, group: ${BILLING}, ${more} }\n`;
const gains = [adds("a", AGENT, [BILLING])];
const deletes = step({ name: "a", id: AGENT, before: assignment(AGENT, [BILLING]) });
const PASSES = "; rules.yaml:4 lets it pass until 2026-12-31: the desk is short (owner: ops@example.com)";

const markdownOf = (review: Review) =>
  reviewMarkdown([documentOf(review, ["rules"])], "", appearanceOf(review));
const textOf = (review: Review) => reviewText([documentOf(review, ["rules"])], appearanceOf(review));

test("it stands beside the breach in every format, and nothing waits for an approval", async () => {
  const review = await tenant.reviewedAlone(gains, { rules: RULE + exception() });
  expect(review.categories).not.toContain("rules");
  const text = textOf(review);
  expect(text).toContain(`which rules.yaml:2 doesn't allow, through a${PASSES}`);
  expect(text).toContain("Breaks a rule, and an exception lets it pass:");
  expect(text).not.toContain("⛔");
  expect(markdownOf(review)).toContain(
    "`rules.yaml:4` lets it pass until `2026-12-31`: `the desk is short` (owner: `ops@example.com`)",
  );
  expect(toJson(review, MAKING).rules?.breaches).toMatchObject([
    {
      rule: "allow",
      isNew: true,
      exception: { line: 4, reason: "the desk is short", owner: "ops@example.com", until: "2026-12-31" },
    },
  ]);
  const workplace = { projectFile: "Pulumi.yaml", inRepository: () => ({ file: "Pulumi.yaml", line: 1 }) };
  const findings = findingsOf([review], review.names, workplace as never);
  expect(findings.find(({ type }) => type === "excepted-rule")?.text).toContain(PASSES);
  expect(findings.filter(({ type }) => type === "rule")).toEqual([]);
});

test("one that doesn't count is listed with the breach, and one that the change makes needless is new", async () => {
  const ended = await tenant.reviewedAlone(gains, {
    rules: RULE + exception("reason: a, owner: b, until: 2026-11-25"),
  });
  expect(ended.categories).toContain("rules");
  expect(ended.rules?.breaches.map(({ rule, isNew }) => [rule, isNew])).toEqual([
    ["allow", true],
    ["exception", false],
  ]);
  expect(textOf(ended)).toMatch(
    /Broke a rule before:\n {2}- the exception of rules\.yaml:4, for .* has ended/,
  );
  tenant.seed({ roles: [{ id: AGENT, groups: [BILLING] }] });
  const unused = await tenant.reviewedAlone([deletes], { rules: RULE + exception() });
  expect(unused.rules?.breaches).toMatchObject([{ rule: "exception", isNew: true }]);
  expect(unused.categories).toContain("rules");
});

test("what a file says is text: no markup, no mention, no command of a pipeline", async () => {
  const hostile = "@org/team [x](https://example.com) <img src=x onerror=alert(1)> `a`\\n\\u202e::error::x";
  const rules = RULE + exception(`reason: "${hostile}", owner: "<b>@owner</b>", until: 2026-12-31`);
  const review = await tenant.reviewedAlone(gains, { rules });
  const shown = [markdownOf(review), textOf(review)];
  for (const text of shown) expect(text).not.toMatch(/(?![\n\r])\p{Cc}|\p{Cf}|::error::/u);
  // A span of code ends with as many backticks as it begins with.
  const outside = shown[0]?.replace(/(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, "");
  expect(outside).not.toMatch(/@org|@owner|<img|<b>|\]\(https:\/\/example/);
  expect(outside).toContain("lets it pass until");
  const json = toJson(review, MAKING);
  const page = htmlPage("review", { json: [json], documents: [documentOf(review, ["rules"])] });
  expect(page).not.toMatch(/<img|<b>@owner/);
});

describe("a pull request doesn't excuse itself", () => {
  async function judged(own: string, base: string | undefined, steps: readonly object[] = gains) {
    const review = await tenant.reviewedByBoth(own, base, steps);
    return {
      isFound: review.categories.includes("rules"),
      breaches: (review.rules?.breaches ?? []).map(
        ({ rule, reason, passing, isNew }) =>
          `${isNew ? "" : "old: "}${rule} ${String(reason)}${String(passing)}`,
      ),
      judgedBy: (review.judgedBy ?? []).map(String),
    };
  }
  const only = (result: Awaited<ReturnType<typeof judged>>) => [result.isFound, result.breaches.length];
  const PENDING = "The exception of rules.yaml:4 counts once main has it";

  test("an exception that only its own file has doesn't count, and the review says so", async () => {
    const result = await judged(RULE + exception(), RULE);
    expect(result.isFound).toBe(true);
    expect(result.breaches).toEqual([expect.stringMatching(/^allow .*which rules\.yaml:2 doesn't allow$/)]);
    expect(result.judgedBy).toContain(PENDING);
  });

  test("nor does it without a file on the branch", async () => {
    const result = await judged(RULE + exception(), undefined);
    expect([result.isFound, result.judgedBy.at(-1)]).toEqual([true, PENDING]);
  });

  test("one that both have counts, on whatever line", async () => {
    expect(await judged(RULE + exception(), RULE + exception())).toMatchObject({ isFound: false });
    const moved = await judged(RULE + exception(), `${RULE}# moved\n${exception()}`);
    expect(moved.isFound).toBe(false);
    expect(moved.breaches).toEqual([
      expect.stringContaining(PASSES.replace("rules.yaml:4", "main:rules.yaml:5")),
    ]);
    const later = exception("reason: a, owner: b, until: 2027-01-31");
    expect((await judged(RULE + later, RULE + exception())).breaches).toEqual([
      expect.stringContaining("main:rules.yaml:4 lets it pass until 2026-12-31"),
    ]);
    expect(moved.judgedBy).not.toContain(PENDING);
  });

  test("one that goes on for longer ends with the branch's, and one that is removed is gone", async () => {
    const ended = RULE + exception("reason: a, owner: b, until: 2026-11-25");
    const longer = await judged(RULE + exception(), ended);
    expect(longer.isFound).toBe(true);
    expect(longer.breaches).toEqual([expect.stringMatching(/^allow .*main:rules\.yaml:2 doesn't allow$/)]);
    expect(only(await judged(RULE, RULE + exception()))).toEqual([true, 1]);
  });

  test("what is wrong with the branch's exceptions can be put right; a new one must be whole", async () => {
    const lacking = RULE + exception("owner: b, until: 2026-12-31");
    const unchanged = [step({ name: "a", op: "same", id: AGENT, before: assignment(AGENT, [SUPPORT]) })];
    expect(await judged(RULE, lacking, unchanged)).toMatchObject({ isFound: false, breaches: [] });
    // Whoever ends the breach takes out its exception, too.
    tenant.seed({ roles: [{ id: AGENT, groups: [BILLING] }] });
    expect(await judged(RULE, RULE + exception(), [deletes])).toMatchObject({ isFound: false, breaches: [] });
    const added = await judged(lacking, RULE, unchanged);
    expect(added.isFound).toBe(true);
    expect(added.breaches).toEqual([
      expect.stringMatching(/^exception .* has no reason, so it lets nothing pass$/),
    ]);
  });

  test("a role that must be kept stays required, whatever its own file says", async () => {
    const required = `${RULE}require:\n  ${AGENT}: [${SUPPORT}]\n`;
    const loses = [step({ name: "a", id: AGENT, before: assignment(AGENT, [SUPPORT]) })];
    const result = await judged(RULE, required, loses);
    expect(result.isFound).toBe(true);
    expect(result.breaches).toEqual([
      expect.stringMatching(/^require .*, which main:rules\.yaml:4 requires$/),
    ]);
  });
});
