import { inAddress } from "../../cli/escape";
import { type Place } from "../../provider/sentence";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { reviewMarkdown } from "../../cli/review/output/markdown";
import { markerOf, markerText } from "../../cli/review/output/marker";
import { documentOf } from "../../cli/review/output/document";
import { reviewSchema } from "../../provider/review/model";
import { violations } from "../../testkit/json-schemas";
import { readPreview } from "../../cli/review/input/preview";
import { NoPreview } from "../../cli/review/input/raw-preview";
import { reviewOf } from "../../cli/review/review";
import { toJson } from "../../cli/review/output/json";
import { reviewText } from "../../cli/review/output/text";
import { Engine } from "../../testkit/engine";
import { catchLines, inProcess } from "../../testkit/hosts/host-in-process";
import { OUTSIDER, useTenant } from "../../testkit/tenant";
import { SEED, STORY } from "../../testkit/test/preview-story";
import fc from "../../testkit/properties";
import { hostileText, hostileValue } from "./hostile";
import { expectCases, search } from "./search";

/*
 * Any text in place of Pulumi's preview: the command ends in a review or in a sentence. It starts from the
 * previews of a story, and from two that the tests' engine can't make: the folder has them as the real CLI
 * printed them, without most frames of their stack traces.
 */

type Path = readonly (string | number)[];
type Tree = Record<string | number, unknown>;

const tenant = useTenant();
catchLines();

const folder = join(__dirname, "previews");
const previews = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));

beforeAll(async () => {
  tenant.seed(SEED);
  const eu = { "identity:domain": tenant.url, "identity:accessToken": OUTSIDER };
  const engine = new Engine(tenant, { startHost: inProcess, providers: { eu } });
  for (const { program, options = {}, taint = [], faults = [] } of STORY) {
    for (const key of taint) engine.taint(key);
    previews.push(await engine.previewJson(program, options));
    tenant.fail(...faults);
    // Some of the runs fail.
    await engine.up(program, { ...options, continueOnError: true }).catch(() => undefined);
  }
  places.push(...previews.map((text) => placesIn(JSON.parse(text)).filter(({ length }) => length > 0)));
});

function placesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path];
  const children = Object.entries(value).flatMap(([key, child]) =>
    placesIn(child, [...path, Array.isArray(value) ? Number(key) : key]),
  );
  return [path, ...children];
}

const places: Path[][] = [];

const deep = fc.constantFrom(400, 501, 5_000).map((depth) => `${"[".repeat(depth)}1${"]".repeat(depth)}`);
/** As JSON, which holds neither NaN nor undefined. */
const value = fc.oneof(
  fc.constantFrom(
    "null",
    "true",
    "0",
    "-1e999",
    "[]",
    "{}",
    "[null]",
    '{"constructor":{"a":1}}',
    '"[secret]"',
  ),
  fc.constantFrom(
    '"create"',
    '"delete"',
    '"replace"',
    '"delete-replaced"',
    '"refresh"',
    '"import"',
    '"\\ud800"',
  ),
  hostileText.map((text) => JSON.stringify(text)),
  hostileValue.map((tree) => stringify(tree)),
  deep,
);
const key = fc.constantFrom(
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "groupIds",
  "\ud800",
  "",
);

function stringify(tree: unknown): string {
  try {
    return JSON.stringify(tree) ?? "null";
  } catch {
    // Nested too deeply even for that.
    return "[]";
  }
}

const mutation = fc.oneof(
  fc.record({ kind: fc.constant("replace" as const), at: fc.nat(), value }),
  fc.record({ kind: fc.constant("add" as const), at: fc.nat(), key, value }),
  fc.record({
    kind: fc.constant("insert" as const),
    at: fc.nat(),
    where: fc.nat(),
    text: fc.constantFrom("\ud800", "::", "$", "\u0000", "|", "`", "\n", "x".repeat(2_000)),
  }),
  fc.record({ kind: fc.constant("remove" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("wrap" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("swap" as const), at: fc.nat(), other: fc.nat() }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

const MARK = "\u0001";

/**
 * Returns a preview's text after some mutations. Values are inserted as text, since they may be too deep for
 * a tree.
 */
function mutated(which: number, mutations: readonly Mutation[]): string {
  const at = which % previews.length;
  const preview = JSON.parse(previews[at] ?? "") as unknown;
  const values: string[] = [];
  const hold = (text: string) => `${MARK}${values.push(text) - 1}${MARK}`;
  const placeAt = (index: number) => places[at]?.[index % places[at].length] ?? [];
  for (const change of mutations) {
    const place = placeAt(change.at);
    const parent = valueAt(preview, place.slice(0, -1));
    const last = place.at(-1) ?? "";
    // An earlier mutation may have taken it away.
    if (!isTree(parent) || !Object.hasOwn(parent, last)) continue;
    const present = parent[last];
    if (change.kind === "replace") parent[last] = hold(change.value);
    else if (change.kind === "add") {
      const tree = isTree(present) ? present : parent;
      if (Array.isArray(tree)) tree.push(hold(change.value));
      else
        Object.defineProperty(tree, change.key, {
          value: hold(change.value),
          enumerable: true,
          configurable: true,
          writable: true,
        });
    } else if (change.kind === "insert") {
      if (typeof present !== "string") continue;
      const index = change.where % (present.length + 1);
      parent[last] = present.slice(0, index) + change.text + present.slice(index);
    } else if (change.kind === "remove") {
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete parent[last];
    } else if (change.kind === "wrap") parent[last] = [present];
    else parent[last] = structuredClone(valueAt(preview, placeAt(change.other)) ?? null);
  }
  return JSON.stringify(preview).replace(
    /"\\u0001(\d+)\\u0001"/g,
    (_, index: string) => values[Number(index)] ?? "",
  );
}

function valueAt(tree: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (isTree(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    tree,
  );
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}

/** Undefined if the text is refused with a sentence. */
function reviewed(text: string, isDrift: boolean) {
  let review;
  try {
    review = reviewOf(readPreview(text), isDrift);
  } catch (error) {
    if (!(error instanceof NoPreview)) throw error;
    expect(error.message).toMatch(/^(is|has|holds) [^\n]+$/);
    return undefined;
  }
  const marked = markerOf([review]);
  const appearance = {
    names: {},
    source: ({ file, line }: Place) => `${inAddress("https://example.com/", file)}#L${line}`,
    commit: undefined,
    fingerprint: marked.fingerprint,
    maxLength: 5_000,
  };
  const documents = [documentOf(review, ["removal", "unknown"])];
  const markdown = reviewMarkdown(documents, markerText(marked, isDrift ? "drift" : "review"), appearance);
  const json = toJson(review, { made: new Date(), unknownAccepted: false, environmentTenant: undefined });
  expect(violations("review", json)).toEqual([]);
  return {
    json: reviewSchema.parse(json),
    markdown,
    text: reviewText(documents, appearance),
  };
}

test("the previews have each kind of step, and are reviewed as they are", () => {
  const steps = previews.flatMap((text) => (JSON.parse(text) as { steps: { op: string }[] }).steps);
  expect([...new Set(steps.map(({ op }) => op))].sort()).toEqual([
    ...["create", "create-replacement", "delete", "delete-replaced", "discard", "discard-replaced"],
    ...["read", "read-replacement", "refresh", "replace", "same", "update"],
  ]);
  for (const text of previews) {
    expect(readPreview(text).lacks).toBeUndefined();
    const review = reviewed(text, false);
    expect(review?.json.counts).not.toMatchObject({ gains: 0, loses: 0, changed: 0, unknown: 0 });
  }
});

test("a preview in which anything is something else ends in a review or in a sentence", async () => {
  let refused = 0;
  await search(
    4_000,
    fc.tuple(fc.nat(), fc.array(mutation, { minLength: 1, maxLength: 3 }), fc.boolean()),
    ([which, mutations, isDrift]) => {
      const review = reviewed(mutated(which, mutations), isDrift);
      if (review === undefined) return void refused++;
      expect(review.markdown.length).toBeLessThanOrEqual(5_000);
    },
  );
  // Most mutations leave something to review.
  expect(refused).toBeLessThan(2_000);
});

expectCases(4_000);
