import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { csvLines } from "../../cli/access/csv";
import { type AccessJson } from "../../cli/access/model";
import { type Fault, type Simulator } from "../../simulator";
import { encrypted } from "../../testkit/cli/access";
import { useFolder } from "../../testkit/folder";
import { useSimulator } from "../../testkit/simulator";
import { expectCases, search } from "../fuzz/search";
import { audited, quietly, type Result, stateOptions } from "./audit-command";
import { seedOf } from "./audits";
import { ROLES } from "./audits-drawn";
import { Truth } from "./compared";
import { type Audit, pair } from "./compared-drawn";

/*
 * Random pairs of audits beside each other: each change that both can tell is told, with the lines that give
 * and gave it, and nothing else is. What one of them didn't ask for, or couldn't read, is told as that.
 */

const CASES = 200;
const [here, elsewhere] = [useSimulator(), useSimulator()];
const folder = useFolder();
const file = (name: string) => join(folder, name);
let [refused, rows, gaps] = [0, 0, 0];

quietly();
afterAll(() => process.stdout.write(`${rows} changes told, ${gaps} gaps, ${refused} audits refused\n`));

function run(
  tenant: Simulator,
  audit: Audit,
  { format, more = [], faults = [] }: { format: string; more?: string[]; faults?: Fault[] },
): Promise<Result> {
  const { names, organizations, edges } = audit.world;
  tenant.seed(seedOf({ roles: ROLES, names, organizations }, edges));
  return audited(tenant, folder, format, [...optionsOf(tenant, audit), ...more], faults);
}

function optionsOf(tenant: Simulator, { world, ask }: Audit): string[] {
  const { organizations, only, direct, people, stacks } = ask;
  const shown = world.claims.map((claim) => (claim.isHidden ? { ...claim, groups: encrypted } : claim));
  const asked = { none: [], first: world.organizations.slice(0, 1), all: ["all"] };
  return [
    ...stateOptions(tenant, folder, shown, stacks),
    ...asked[organizations].flatMap((organization) => ["--organization", organization]),
    ...Object.entries(only).flatMap(([name, id]) => [`--${name}`, id]),
    ...(direct ? [] : ["--no-direct"]),
    ...(people ? ["--people"] : []),
  ];
}

test("each change that both audits can tell is told with its lines, and nothing else is", async () => {
  await search(CASES, pair, async ({ isByName, then, now, faults }) => {
    const earlier = await run(isByName ? elsewhere : here, then, { format: "json" });
    writeFileSync(file("then.json"), earlier.output ?? "");
    const compare = ["--compare", file("then.json"), ...(isByName ? ["--by-name"] : [])];
    const more = [...compare, "--fail-on", "changes"];
    const { code, output } = await run(here, now, { format: "json", more, faults });
    if (output === undefined) {
      const { incomplete = [] } = JSON.parse(earlier.output ?? "{}") as Partial<AccessJson>;
      expect(faults.length + incomplete.length).toBeGreaterThan(0);
      refused++;
      return;
    }
    const answer = JSON.parse(output) as AccessJson;
    const { changes, gaps: uncompared } = answer.compared!;
    const answers = { then: JSON.parse(earlier.output ?? "") as AccessJson, now: answer };
    const truth = (by: "own" | "either") => new Truth([then, now], answers, isByName, by);
    const [all, told] = [truth("either").rows(), truth("own").told(changes)];
    rows += told.length;
    gaps += uncompared.length;
    const texts = (some: readonly { what: string; by: string }[]) =>
      some.map(({ what, by }) => `${what} ${by}`).sort();
    if (faults.length === 0) {
      expect(texts(told)).toEqual(
        texts(
          truth("own")
            .rows()
            .filter(({ isTold }) => isTold),
        ),
      );
      const csv = await run(here, now, { format: "csv", more: compare });
      expect(changesIn(csv.output ?? "")).toEqual(changes.map(keyOf).sort());
    }
    // What isn't true is never told, and what isn't told is never ruled out.
    const isTrue = new Set(all.map(({ what }) => what));
    expect(told.map(({ what }) => what).filter((what) => !isTrue.has(what))).toEqual([]);
    const untold = all.filter(({ what }) => !told.some((one) => one.what === what));
    expect(uncompared.length > 0 || untold.length === 0 || untold).toBe(true);
    expect(code).toBe(changes.length + uncompared.length + answer.incomplete.length > 0 ? 3 : code);
    expect(code === 0 ? all : []).toEqual([]);
  });
});

expectCases(CASES);

type Change = NonNullable<AccessJson["compared"]>["changes"][number];

function keyOf({ kind, role, group = "", user, people }: Change): string {
  const number = people === undefined ? "" : String(people.now.count);
  return [kind, role, group, user ?? number].join(" ");
}

/** The changes in a CSV file, as `keyOf` has them. */
function changesIn(csv: string): string[] {
  const [head = [], ...lines] = csvLines(csv).map(({ cells }) => cells);
  const cell = (cells: readonly string[], name: string) => cells[head.indexOf(name)] ?? "";
  return lines
    .filter((cells) => cell(cells, "change") !== "")
    .map((cells) => ["change", "role_id", "group_id", "people"].map((name) => cell(cells, name)).join(" "))
    .sort();
}
