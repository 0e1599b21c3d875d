import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvLines, csvOf } from "../../cli/access/csv";
import { type AccessJson } from "../../cli/access/model";
import { useFolder } from "../../testkit/folder";
import { useSimulator } from "../../testkit/simulator";
import { expectCases, search } from "../fuzz/search";
import { audited, quietly, stateOptions } from "./audit-command";
import { type RulesText } from "../../testkit/worlds/world";
import { nameOf, placeOf, roleOf, seedOf, Truth } from "./audits";
import { ACME, audit, type Case, GLOBEX } from "./audits-drawn";
import { breachesInPlaces } from "./places";
import { Judge, unsaidIn, whyNone } from "./rules";

/*
 * Audits of random tenants, some of which answer in part: whatever they didn't ask or couldn't read, they
 * don't call clean, revoked or nobody's.
 */

const CASES = 500;
const simulator = useSimulator();
const folder = useFolder();
const file = (name: string) => join(folder, name);
let [refused, judged] = [0, 0];

quietly();
afterAll(() => process.stdout.write(`${judged} audits judged, ${refused} refused\n`));

const run = (format: string, options: readonly string[], faults: Case["faults"] = []) =>
  audited(simulator, folder, format, options, faults);

interface Row {
  key: string;
  holder: string;
  decision: string;
}

/** Audits the tenant as it was, decides on the rows, and returns them. */
async function decide(states: readonly string[], decisions: readonly string[]): Promise<Row[]> {
  const { output = "" } = await run("csv", [...states, "--people", "--organization", "all"]);
  const [head = [], ...rows] = csvLines(output).map(({ cells }) => cells);
  const at = (name: string) => head.indexOf(name);
  const decided = rows.map((cells, index) => {
    const next = [...cells];
    next[at("decision")] = decisions[index] ?? "confirm";
    return next;
  });
  writeFileSync(file("decisions.csv"), csvOf([head, ...decided]));
  return decided.map((cells) => ({
    key: cells[at("role_id")] ?? "",
    holder: cells[at("group_id")] || cells[at("people")] || "",
    decision: cells[at("decision")] ?? "",
  }));
}

test("no audit calls clean, revoked or nobody's what it didn't ask or couldn't read", async () => {
  await search(CASES, audit, async (given) => {
    const { rules, decisions, only, organizations, direct, people, faults, lacks } = given;
    const { roles, members, behaviour } = given;
    const truth = new Truth(given);
    const states = stateOptions(simulator, folder, given.claims);
    simulator.seed(
      seedOf(
        { roles, members },
        given.grants.filter(({ when }) => when !== "new"),
      ),
    );
    const rows = decisions && (await decide(states, decisions));
    if (rules !== undefined) writeFileSync(file("rules.json"), JSON.stringify(rules));
    simulator.seed(seedOf({ roles, members, behaviour }, truth.edges, lacks));
    const options = [
      ...states,
      ...organizations.flatMap((organization) => ["--organization", organization]),
      ...Object.entries(only).flatMap(([name, id]) => [`--${name}`, id]),
      ...(rules === undefined ? [] : ["--rules", file("rules.json")]),
      ...(rows === undefined || rows.length === 0 ? [] : ["--decisions", file("decisions.csv")]),
      ...(direct ? [] : ["--no-direct"]),
      ...(people || (rows !== undefined && direct) ? ["--people"] : []),
    ];
    const failing = ["--fail-on", `unmanaged,drift,expired${rules === undefined ? "" : ",rules"}`];
    const json = await run("json", [...options, ...failing], faults);
    const text = await run("text", [...options, ...(rules ? ["--fail-on", "rules"] : [])], faults);
    expect(text.output === undefined).toBe(json.output === undefined);
    if (json.output === undefined || text.output === undefined) {
      refused++;
      return;
    }
    judged++;
    const answer = JSON.parse(json.output) as AccessJson;
    const said = { answer, text: text.output, code: json.code, codeOfText: text.code };
    const next = rows && csvLines((await run("csv", options, faults)).output ?? "");
    expect([
      ...rulesClaims(said, truth, rules),
      ...tenantClaims(said, given, truth),
      ...emptyClaims(said, truth),
      ...decisionClaims(said, given, truth, rows ?? []),
      ...nextClaims(next?.map(({ cells }) => cells) ?? [], truth, rows ?? []),
    ]).toEqual([]);
  });
});

expectCases(CASES);

test("most audits have an answer", () => expect(judged).toBeGreaterThan(refused));

interface Said {
  answer: AccessJson;
  text: string;
  code: number;
  codeOfText: number;
}

const untrue = (...claims: (readonly [isUntrue: boolean, text: string])[]) =>
  claims.flatMap(([isUntrue, text]) => (isUntrue ? [text] : []));

/** What the truth breaks is told, or nothing says that all is well. What is told is true. */
function rulesClaims({ answer, text, codeOfText }: Said, truth: Truth, rules?: RulesText): string[] {
  if (rules === undefined) return [];
  const judge = new Judge(rules, Date.parse(answer.made));
  const { breaches = [], gaps = [] } = answer.rules ?? {};
  const told = breachesInPlaces(breaches);
  const textsOf = (said: typeof told) => unsaidIn(said, judge, truth.standing).map((one) => one.text);
  const [all, missing] = [textsOf([]), textsOf(told)];
  const isMissing = missing.length > 0;
  return [
    ...untrue(
      [isMissing && text.includes("Nothing breaks the rules"), `nothing breaks the rules: ${missing.join()}`],
      [isMissing && answer.complete, `complete: ${missing.join()}`],
      [isMissing && gaps.length === 0, `no gaps: ${missing.join()}`],
      [all.length > 0 && codeOfText === 0, `exit 0: ${all.join()}`],
    ),
    ...told.flatMap((one) => {
      const why = whyNone(one, judge, truth.standing);
      return why === undefined ? [] : [`no breach: ${one.reason}: ${why}`];
    }),
  ];
}

/** The rows of the tenant are true, and whole where the answer doesn't say otherwise. */
function tenantClaims({ answer, code }: Said, { only, direct }: Case, truth: Truth): string[] {
  const isShown = (holder: string) => only.group === undefined || holder === only.group;
  const rows = answer.roles.flatMap(({ id, exists, incomplete, groups, people }) => {
    const there = groups.filter(({ status }) => status !== "drift").map((group) => group.id);
    const has = truth.groups(id).filter(isShown);
    const persons = truth.people(id);
    return untrue(
      ...groups.map(({ id: group, status }) => {
        const isSo = truth.has(id, group) === (status !== "drift");
        const isClaimed = truth.claims(id, group).length > 0;
        return [!isSo || isClaimed === (status === "unmanaged"), `${status}: ${id} ${group}`] as const;
      }),
      [!exists && has.length + persons.length > 0, `not on the tenant: ${id}`],
      [!incomplete && has.some((group) => !there.includes(group)), `all groups: ${id} ${there.join()}`],
      [!!people && !people.more && people.count !== persons.length, `all people: ${id} ${people?.count}`],
      [people?.ids?.some((person) => !truth.has(id, person)) ?? false, `people: ${id}`],
    );
  });
  const told = new Map(answer.roles.map((role) => [role.id, role]));
  const untold = truth.edges.filter(({ key, holder }) => {
    if (!isShown(holder) || (only.role !== undefined && roleOf(key) !== only.role)) return false;
    if (holder.startsWith("grp_")) return !told.get(key)?.groups.some(({ id }) => id === holder);
    return direct && only.group === undefined && (told.get(key)?.people?.count ?? 0) === 0;
  });
  const found = truth.findings();
  return [
    ...rows,
    ...untrue(
      [answer.complete && untold.length > 0, `complete: ${JSON.stringify(untold)}`],
      [code === 0 && found.length > 0, `exit 0: ${found.join()}`],
    ),
  ];
}

/** Nobody has what nobody is said to have, wherever the sentence is about. */
function emptyClaims({ answer, text }: Said, truth: Truth): string[] {
  const { otherOrganizations, organizations = [] } = answer;
  const asked = ["", ...(otherOrganizations === undefined ? [ACME, GLOBEX] : organizations)];
  const [sentence = ""] = /No group has .*/.exec(text) ?? [];
  const about = sentence.includes("where it was asked") ? asked : ["", ACME, GLOBEX];
  const isNamed = (role: string) => new RegExp(`\\b(?:rol_)?${nameOf(role)}\\b`).test(sentence);
  // A role that the tenant doesn't list, and which so has no name, is none of these.
  const listed = new Set(answer.roles.flatMap(({ id, name }) => (name === null ? [] : [id])));
  return truth.edges.flatMap(({ key, holder }) =>
    untrue(
      [
        holder.startsWith("grp_") && about.includes(placeOf(key)) && isNamed(roleOf(key)),
        `${sentence}: ${key} ${holder}`,
      ],
      [
        !holder.startsWith("grp_") &&
          asked.includes(placeOf(key)) &&
          (listed.has(key) || listed.has(roleOf(key))) &&
          text.includes("Nobody has one of these roles directly"),
        `nobody directly: ${key} ${holder}`,
      ],
    ),
  );
}

/** What was to be revoked, and is there, is open. */
function decisionClaims(said: Said, { direct }: Case, truth: Truth, rows: readonly Row[]): string[] {
  const { decisions } = said.answer;
  if (decisions === undefined) return [];
  const { counts, findings } = decisions;
  const open = new Set(findings.map(({ role, group, user }) => `${role} ${group ?? user ?? ""}`));
  const isOpen = ({ key, holder }: Row) => open.has(`${key} ${holder}`);
  const revoked = rows.filter(({ decision }) => decision === "revoke");
  const confirmed = rows.filter(({ decision }) => decision === "confirm");
  const standing = revoked.filter(({ key, holder }) => truth.has(key, holder));
  const decided = new Set(confirmed.map(({ key, holder }) => `${key} ${holder}`));
  const undecided = truth.edges.filter(({ key, holder }) => !decided.has(`${key} ${holder}`));
  const isAsked = ({ holder }: { holder: string }) => direct || holder.startsWith("grp_");
  const isWhole = said.text.includes("; nothing is open") && !said.text.includes("nothing is open in what");
  return untrue(
    ...standing.map((row) => [!isOpen(row), `revoked: ${row.key} ${row.holder}`] as const),
    [counts.revoked > revoked.length - standing.length, `${counts.revoked} revoked`],
    [
      counts.confirmed > confirmed.filter(({ key, holder }) => truth.has(key, holder)).length,
      `${counts.confirmed} confirmed`,
    ],
    [isWhole && undecided.some(isAsked), `nothing is open: ${JSON.stringify(undecided)}`],
    [standing.length > 0 && said.codeOfText === 0, `exit 0: ${JSON.stringify(standing)}`],
  );
}

/** The file of the next round has every decision that stands. */
function nextClaims([head = [], ...next]: string[][], truth: Truth, rows: readonly Row[]): string[] {
  const at = (cells: readonly string[], name: string) => cells[head.indexOf(name)] ?? "";
  const texts = new Set(
    next.map((cells) => {
      const holder = at(cells, "group_id") || at(cells, "people");
      return `${at(cells, "role_id")} ${holder} ${at(cells, "decision")}`;
    }),
  );
  return rows
    .filter(({ key, holder, decision }) => decision === "revoke" && truth.has(key, holder))
    .map(({ key, holder, decision }) => `${key} ${holder} ${decision}`)
    .filter((row) => !texts.has(row))
    .map((row) => `left out of the next file: ${row}`);
}
