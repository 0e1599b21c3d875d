import { Border, LONGEST_TEXT, sanitize } from "../../provider/border";
import { type Fact, factIn, factsOf, formatFact } from "../../provider/review/facts";
import { hostileTexts } from "../../testkit/hostile-texts";
import fc from "../../testkit/properties";
import { openIds } from "../../testkit/unusual-ids";

const id = fc.stringMatching(/^grp_[1-9A-Za-z]{4,22}$/);
const groups = fc.uniqueArray(id, { maxLength: 40 });
const says = fc.constantFrom("may revoke" as const, "may hand over" as const, "hands over" as const);
const optional = <Of>(of: fc.Arbitrary<Of>) => fc.option(of, { nil: undefined });
/** The border changes none of them. */
const texts = fc.oneof(
  fc.stringMatching(/^[\w .,:{}[\]"'\\→-]{0,40}$/),
  fc.constantFrom(' {"a":1}', ' {"exclusive":"rol_1","takes":[]}', '"} {"', "}", " {"),
);
const values = fc.oneof(texts, fc.array(texts), fc.dictionary(texts, texts), fc.constant(null));
const facts: fc.Arbitrary<Fact> = fc.oneof(
  fc.record({ exclusive: openIds, takes: groups, more: optional(fc.nat()) }),
  fc.record({ notAsked: openIds, why: texts }),
  fc.record({ leaving: openIds, groups: fc.dictionary(id, says), more: optional(fc.nat()) }),
  fc.record({
    adopts: openIds,
    name: texts,
    changes: fc.dictionary(fc.stringMatching(/^[a-zA-Z]{1,9}$/), fc.tuple(values, values)),
    removes: optional(fc.array(texts)),
  }),
  fc.record({ tenant: fc.domain(), not: fc.domain() }),
  fc.record({ kept: texts, on: optional(fc.domain()), groups: optional(texts) }),
);

const plain = (fact: Fact): unknown => JSON.parse(JSON.stringify(fact));

test("a fact is read back from its line, whatever the words before it are", () => {
  fc.assert(
    fc.property(fc.oneof(texts, hostileTexts), facts, (words, fact) => {
      const line = sanitize(formatFact(`a: ${words}`, fact));
      expect(factIn(line)).toEqual(plain(fact));
      expect(factIn(line.slice(0, -1))).toBeUndefined();
      expect(factIn(`${line}.`)).toBeUndefined();
    }),
  );
});

test("its members come in one order", () => {
  const [more, takes, exclusive] = [2, ["grp_a"], "rol_1"];
  const line = formatFact("a", { exclusive, takes, more });
  expect(line).toBe('a {"exclusive":"rol_1","takes":["grp_a"],"more":2}');
});

test("hidden characters, which are made visible on the way, are read back as they were", () => {
  const fact: Fact = { adopts: "cop_1", name: "x\u0007y", changes: { name: ["a\u202eb\u200b", "c"] } };
  const line = sanitize(formatFact("p: adopts it", fact));
  expect(line).toContain("a\\u202eb");
  expect(factIn(line)).toEqual(fact);
});

test("what the border has cut is none, wherever it was cut", () => {
  for (let length = LONGEST_TEXT - 100; length < LONGEST_TEXT + 100; length++) {
    const fact: Fact = { notAsked: "rol_1", why: "} ".repeat(length).slice(0, length) };
    const line = formatFact("a:", fact);
    expect(factIn(sanitize(line))).toEqual(line.length > LONGEST_TEXT ? undefined : fact);
  }
});

test("what was never cut is none either, if it is longer than a line", () => {
  expect(factIn(formatFact("a:", { notAsked: "rol_1", why: "x".repeat(LONGEST_TEXT) }))).toBeUndefined();
});

test("a secret is no id of a group", () => {
  const border = new Border(["grp_aaaaaaaaaaaaaa"]);
  const line = formatFact("a:", { exclusive: "rol_1", takes: ["grp_aaaaaaaaaaaaaa"] });
  expect(factIn(border.clean(line))).toBeUndefined();
});

const NONE = [
  "",
  "{}",
  'a: {"exclusive":"rol_1"}',
  'a: {"exclusive":"rol_1","takes":["grp_a"],"more":"2"}',
  'a: {"exclusive":"rol_1","takes":["grp_a"],"less":2}',
  'a: {"exclusive":"rol_1","takes":["a b"]}',
  'a: {"exclusive":"rol_1","takes":"grp_a"}',
  'a: {"exclusive":["rol_1"],"takes":["grp_a"]}',
  'a: {"exclusive":"rol_1","takes":["grp_a"],"notAsked":"rol_1","why":""}',
  'a: [{"exclusive":"rol_1","takes":["grp_a"]}]',
  'a: {"of":{"exclusive":"rol_1","takes":["grp_a"]}}',
  'a: {"of": {"exclusive":"rol_1","takes":["grp_a"]}}',
  'a: {"exclusive":"rol_1","takes":["grp_a"]} and more',
  'a:{"exclusive":"rol_1","takes":["grp_a"]}',
  'a: {"leaving":{"a":1}}',
  'a: {"leaving":"rol_1","groups":{"grp_a":"stays"}}',
  'a: {"leaving":"rol_1","groups":{"[secret]":"may revoke"}}',
  'a: {"leaving":"rol_1","groups":["grp_a", {}]}',
  'a: {"adopts":"cop_1","name":"x","changes":["name"]}',
  'a: {"adopts":"cop_1","name":"x","changes":{"name":["theirs"]}}',
  'a: {"adopts":"cop_1","name":"x"}',
  'a: {"tenant":"x"}',
  'a: {"kept":{}}',
  'a: {"__proto__":{"kept":"x"}}',
  `a: ${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`,
  ` {"a":`.repeat(1_000),
];

test("anything else is none", () => {
  for (const line of NONE) expect([line, factIn(line)]).toEqual([line, undefined]);
});

test("facts are told apart by their first member", () => {
  const takes: Fact = { exclusive: "rol_1", takes: ["grp_a"] };
  const all: Fact[] = [takes, { leaving: "rol_1", groups: {} }, { notAsked: "rol_1", why: "503" }];
  expect(factsOf(all, "exclusive")).toEqual([takes]);
  expect(factsOf(all, "kept")).toEqual([]);
});
