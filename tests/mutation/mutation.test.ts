import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { described, type Mutant, mutated } from "./mutants";
import { nearestTests } from "./nearest-tests";
import { Score } from "./score";
import { shuffled } from "./shuffle";

const root = resolve(__dirname, "../..");

describe("a sample", () => {
  const numbers = Array.from({ length: 200 }, (_, index) => index);

  test("is the same for the same seed, and another for another", () => {
    expect(shuffled(numbers, 7)).toEqual(shuffled(numbers, 7));
    expect(shuffled(numbers, 7)).not.toEqual(shuffled(numbers, 8));
  });

  test("loses and repeats nothing", () => {
    expect(shuffled(numbers, 7).sort((one, other) => one - other)).toEqual(numbers);
  });

  test("prefers no place of the list", () => {
    const firstTens = Array.from({ length: 200 }, (_, seed) => shuffled(numbers, seed).slice(0, 10)).flat();
    const inFirstHalf = firstTens.filter((number) => number < 100).length / firstTens.length;
    expect(inFirstHalf).toBeGreaterThan(0.4);
    expect(inFirstHalf).toBeLessThan(0.6);
  });
});

test("a mutant replaces exactly what it names", () => {
  const mutant: Mutant = {
    file: "provider/x.ts",
    line: 1,
    operator: "LogicalOperator",
    start: 5,
    end: 11,
    replacement: "(b && c)",
  };
  expect(mutated("a || b || c;", mutant)).toBe("a || (b && c);");
  expect(described(mutant, "a || b || c;")).toBe("provider/x.ts:1 LogicalOperator: b || c → (b && c)");
});

test("the score counts by folder and by operator", () => {
  const score = new Score();
  score.add("provider/http", "Regex", true);
  score.add("provider/http", "Regex", false);
  score.add("provider/pulumi", "StringLiteral", true);
  expect(score.table().split("\n")).toEqual([
    "provider/http: 1 of 2 killed (50 %)",
    "provider/pulumi: 1 of 1 killed (100 %)",
    "Regex: 1 of 2 killed (50 %)",
    "StringLiteral: 1 of 1 killed (100 %)",
    "all: 2 of 3 killed (66 %)",
  ]);
});

describe("the tests of a source file", () => {
  test("begin with those of the same name", () => {
    expect(nearestTests(root, "provider/http/retry.ts")[0]).toBe("http/retry.test.ts");
    expect(nearestTests(root, "provider/resources/connection-profile/fields.ts")[0]).toBe(
      "resources/connection-profile/fields.test.ts",
    );
  });

  test.each(["http", "pulumi", "resources"])("are there for each file of %s", (folder) => {
    const names = readdirSync(resolve(root, "provider", folder), { recursive: true, encoding: "utf8" });
    for (const name of names.filter((name) => name.endsWith(".ts"))) {
      expect(nearestTests(root, `provider/${folder}/${name}`)).not.toEqual([]);
    }
  });
});
