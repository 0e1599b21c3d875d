import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { findingsIn } from "../../cli/access/roles";
import { readRules } from "../../cli/rules/file";
import { formatted } from "../../cli/access/formats";
import { DEFAULT_SEED } from "../../simulator/default-seed";
import { PLAYGROUND_SEED } from "../../simulator/playground";
import { asked, jsonOf, state as exported } from "../../testkit/cli/access";
import { violations } from "../../testkit/json-schemas";
import { useSimulator } from "../../testkit/simulator";

/* The tenant of `npm run simulator`, on which the pages can be tried. */

const simulator = useSimulator({ seed: PLAYGROUND_SEED });

test("it has all that a simulator without a seed has: the same ids, and the same people in each group", () => {
  const { users = [], roles = [], groups = [], device_credentials = [] } = DEFAULT_SEED;
  const state = simulator.state();
  expect(state.roles.slice(0, roles.length)).toMatchObject(roles.map((role) => ({ groups: [], ...role })));
  expect(state.groups.slice(0, groups.length)).toMatchObject(groups);
  expect(state.device_credentials).toMatchObject(device_credentials);
  const members = (all: readonly { user_id: string; groups?: string[] }[]) =>
    groups.map(({ id }) => all.flatMap((user) => (user.groups?.includes(id) ? [user.user_id] : [])));
  expect(members(state.users)).toEqual(members(users));
});

test("the rules in docs/rules.md can be judged there as printed, and three of them are broken", async () => {
  const page = readFileSync(join(resolve(__dirname, "../.."), "docs/rules.md"), "utf8");
  const [, text = ""] = /\n```yaml\n([\s\S]+?)```/.exec(page) ?? [];
  const rules = readRules({ file: "rules.yaml", text });
  const exports = [exported(new URL(simulator.url).host, "access/prod", {})];
  const json = jsonOf(await asked(simulator, { exports, rules }));
  expect(json.rules?.gaps).toEqual([]);
  expect(json.rules?.breaches.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/^1 person has payment-creator .* and payment-approver /),
    expect.stringMatching(/^1 person has admin .* directly/),
    expect.stringMatching(/^directory-admins .* has admin .* without an end/),
  ]);
});

test("the example of rules breaks nothing there, until its exceptions end", async () => {
  const file = readFileSync(join(resolve(__dirname, "../.."), "examples/rules/rules.yaml"), "utf8");
  const exports = [exported(new URL(simulator.url).host, "access/prod", {})];
  const answerWith = (days: number) => {
    const until = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const text = file.replace(/until: .*/g, `until: ${until}`);
    expect(violations("rules", parse(text))).toEqual([]);
    return asked(simulator, { exports, rules: readRules({ file: "rules.yaml", text }) });
  };
  const answer = await answerWith(1);
  expect(findingsIn(answer)).not.toContain("rules");
  expect(formatted(answer, "text")).toContain(
    "Nothing breaks the rules of rules.yaml, and exceptions let 2 breaches pass\n",
  );
  const ended = await answerWith(-1);
  expect(ended.rules?.breaches.map(({ rule }) => rule)).toEqual(["end", "end", "exception", "exception"]);
});
