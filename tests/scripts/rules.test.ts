import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { entriesOf, isSaid, textsIn } from "../../scripts/rules/messages";
import { stateOf } from "../../scripts/rules/module-state";
import { problemsOf } from "../../scripts/rules/workflow-problems";

/* The rules of scripts/rules/ that judge by more than a comparison find what breaks them. */

const ci = readFileSync(join(resolve(__dirname, "../.."), ".github/workflows/ci.yml"), "utf8");

test.each<[what: string, from: string | RegExp, to: string, problem: RegExp]>([
  ["a tag instead of a digest", /actions\/checkout@\w+ # v6.0.2/, "actions/checkout@v6", /^No digest/],
  ["a digest alone", / # v6.0.2/, "", /no version beside it/],
  ["pull_request_target", "pull_request:", "pull_request_target:", /strangers/],
  ["no permissions", "permissions:\n  contents: read\n", "", /read-only/],
  ["write permissions", "contents: read", "contents: write", /read-only/],
  [
    "a job that may write",
    "    timeout-minutes",
    "    permissions: write-all\n    timeout-minutes",
    /may write/,
  ],
  [
    "a title in a command",
    "run: .ci/run",
    "run: echo ${{ github.event.pull_request.title }}",
    /into a command/,
  ],
  ["a secret", "persist-credentials: false", "token: ${{ secrets.TOKEN }}", /secret/],
])("%s is found", (_what, from, to, problem) => {
  const changed = ci.replace(from, to);
  expect(changed).not.toBe(ci);
  expect(problemsOf(changed)).toContainEqual(expect.stringMatching(problem));
});

test.each([
  ["", /over its checkout/],
  ["          path: .\n", /over its checkout/],
  ["          path: ./\n", /over its checkout/],
  ["          path: ${{ github.workspace }}\n", /over its checkout/],
  ["          path: ${{ runner.temp }}/report\n", undefined],
  ["          path: built\n", undefined],
])("an artifact that lands on the sources is found: %j", (path, problem) => {
  const step = `      - uses: actions/download-artifact@${"0".repeat(40)} # v8.0.1\n        with:\n          name: a\n${path}`;
  expect(problemsOf(ci.replace("      - run: .ci/run", `${step}$&`))).toEqual(
    problem === undefined ? [] : [expect.stringMatching(problem)],
  );
});

test.each([
  ["let count = 0;", ["count"]],
  ["var count = 0;", ["count"]],
  ["export let count: number;", ["count"]],
  ["const [a] = [1], b: string[] = [];", ["b"]],
  ["const known = new Map<string, string>();", ["known"]],
  ["const known: WeakMap<object, string> = new WeakMap();", ["known"]],
  ["const known = new Set(['a']) as Set<string>;", ["known"]],
  ["const names = ['a', 'b'];", ["names"]],
  ["const none = {};", ["none"]],
  ["const state = { running: false };", ["state"]],
  ["const words: Record<string, string> = { a: 'b' };", ["words"]],
  [
    "class Client { static shared?: Client; static readonly all = new Map(); static readonly most = 3; }",
    ["shared", "all"],
  ],
  ["const names = ['a', 'b'] as const;", []],
  ["const names: readonly string[] = ['a'];", []],
  ["const names: ReadonlySet<string> = new Set(['a']);", []],
  ["const words: Readonly<Record<string, string>> = { a: 'b' };", []],
  ["const words = { a: 'b' } as const satisfies Record<string, string>;", []],
  ["const words = Object.freeze({ a: 'b' });", []],
  ["const kind: ResourceKind<Inputs> = { create() { let tries = 0; } };", []],
  ["const most = 3, pattern = /a/, schema = z.object({});", []],
  ["function count() { let n = 0; const seen = new Map(); }", []],
])("%s", (text, names) => {
  expect(stateOf(text)).toEqual(names);
});

test("a message that the code can't print would be found", () => {
  const source = "throw new IdentityError(`${name} was not sent: ` + `the run was ${why}, try again later`);";
  const said = textsIn(source);
  const entries = entriesOf("- `grp_1 was not sent: the run was …`, `no such words`: why\n- not a message\n");
  expect(entries).toEqual(["grp_1 was not sent: the run was …", "no such words"]);
  expect(
    ["… was not sent: the run was …, try again", ...entries].map((entry) => isSaid(entry, said)),
  ).toEqual([true, false, false]);
});
