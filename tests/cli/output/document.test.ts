import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accessView } from "../../../page/access-view";
import { reviewView } from "../../../page/review-view";
import { textOf, type View } from "../../../page/view";
import { BROKEN, type Document, NEVER_CUT, type Section } from "../../../cli/output/document";
import { toMarkdown } from "../../../cli/output/markdown";
import { toText } from "../../../cli/output/text";
import { type AccessJson } from "../../../cli/access/model";
import { type ReviewJson, reviewSchema } from "../../../provider/review/model";
import { say, type Sentence } from "../../../provider/sentence";
import { accessShown, everything, inPage, organizations, reviewShown } from "../../../testkit/cli/pages";

/* A document is filled once. In tests/page/browser.mjs, Chromium shows the pages of these. */

const golden = join(__dirname, "../../e2e/review/golden/everything.json");
const review = reviewSchema.parse(JSON.parse(readFileSync(golden, "utf8")));
const { tenant, role, by } = review.access[0]!;
const unlikely: ReviewJson = {
  ...review,
  access: review.access.map((one) => ({ ...one, unless: "others list it" })),
  direct: [{ tenant, role, by, user: "auth0|carol", effect: "gains", unless: "it stays" }],
  permissions: [
    {
      ...{ tenant, role, effect: "gains", permission: "delete:tickets" },
      ...{
        resourceServer: "https://api.example.com",
        name: "may",
        line: null,
        reason: "is new",
        unless: "not",
      },
    },
  ],
  pending: [{ kind: "ConnectionProfile", name: "partners", line: { file: "index.ts", line: 9 } }],
  errors: [{ name: "agents", message: "no" }],
  counts: { ...review.counts, others: 3 },
};

interface Case {
  documents: readonly Document[];
  viewOf: (documents: readonly Document[]) => View;
}

function reviewCase(json: ReviewJson): Case {
  const { documents } = reviewShown(json);
  return { documents, viewOf: (shown) => reviewView(inPage({ json: [json], documents: shown })) };
}

function accessCase(json: AccessJson): Case {
  const { documents } = accessShown(json);
  return { documents, viewOf: (shown) => accessView(inPage({ json, documents: shown })) };
}

const CASES: readonly [string, Case][] = [
  ["a review", reviewCase(review)],
  ["a review of what may happen", reviewCase(unlikely)],
  ["a drift", reviewCase({ ...review, kind: "drift" })],
  ["an audit", accessCase(everything())],
  ["an audit of organizations", accessCase(organizations())],
];

/** A sentence as a page has it where there is room for a text only. */
const plain = (sentence: Sentence) => textOf(sentence.parts, new Map());

test.each(CASES)(
  "%s gains a section once, and text, Markdown and the page have it",
  (_, { documents, viewOf }) => {
    const section: Section = {
      ...{ id: "news", title: say`News of ${"somebody"}`, ...BROKEN },
      rows: [
        { cells: [say`role ${{ id: "rol_1" }} is new`], rank: NEVER_CUT, details: [say`in ${"a place"}`] },
      ],
    };
    const [document] = documents;
    const more = [{ ...document!, sections: [...document!.sections, section] }];
    expect(toText(more)).toContain("\nNews of somebody:\n  - role rol_1 is new\n      in a place\n");
    expect(toMarkdown(more, { names: { rol_1: "agent" } })).toContain(
      "\n#### News of `somebody`\n\n- role **`agent`** `rol_1` is new\n  - in `a place`\n",
    );
    const { title, ...shown } = viewOf(more).before.find(({ id }) => id === "news")!;
    expect(textOf(title, new Map())).toBe("News of somebody");
    expect(shown).toMatchObject({
      kind: "broken",
      rows: [{ cells: [["role ", { id: "rol_1" }, " is new"]], details: [["in ", { value: "a place" }]] }],
    });
  },
);

test.each(CASES)("all that Markdown says of %s, its page says", (_, { documents, viewOf }) => {
  const view = viewOf(documents);
  const [document] = documents;
  const { title, summary, gaps, remarks, sections } = document!;
  const around = sections.filter(({ place }) => place !== "matrix");
  const said = [
    ...[title, ...summary, ...gaps, ...remarks],
    ...around.map((section) => section.title),
    ...sections.flatMap(({ total }) => total ?? []),
    ...sections.flatMap(({ place, rows }) =>
      rows
        .filter(({ edges = [] }) => place !== "matrix" || edges.length === 0)
        .flatMap(({ cells, details = [] }) => [...cells, ...details]),
    ),
  ];
  const shown = [
    ...view.heads.flatMap((head) => [head.title, ...head.remarks]),
    ...view.gaps,
    ...[...view.before, ...view.after].flatMap((section) => [
      section.title,
      ...section.totals,
      ...section.rows.flatMap(({ cells, details }) => [...cells, ...details]),
    ]),
  ];
  expect(said.length).toBeGreaterThan(8);
  expect(shown.map((words) => textOf(words, new Map()))).toEqual(expect.arrayContaining(said.map(plain)));
  // The matrix has the other rows: their words are those of the cell.
  const whys = view.cells.map(({ why }) => textOf(why, new Map()));
  for (const { place, rows, isGrouped = false } of sections)
    for (const { cells, edges = [] } of rows) {
      if (place !== "matrix" || edges.length === 0) continue;
      const words = (isGrouped ? cells.slice(1).filter((_cell, at) => at !== 1) : cells.slice(-1)).map(plain);
      expect(whys).toContain(words.join(": "));
    }
});
