import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { exactly, viewers } from "../assignments";
import { type Values } from "../hosts/host";
import { assignment, type Program, type Resource } from "../engine";

/*
 * The calls that the tests' engine makes of a plugin, as the real one does: a story of runs, each starting
 * from the state left by the previous one. plugin.test.ts tells it to the tests' engine, and
 * plugin-beliefs.long.ts to the real one. beliefs.ts has what both ways in share.
 */

interface PluginBelief {
  title: string;
  run: "refresh" | "destroy" | Program;
  /** E.g. `check a`. */
  calls: string[];
  /** The groups that resources have in state afterwards. */
  left: Record<string, string[]>;
  /** Part of the error that ends the run. */
  error?: RegExp;
}

const replaced = (resource: Resource, ...replaceOnChanges: string[]): Resource => ({
  ...resource,
  replaceOnChanges,
});
const imported = (groupIds: string[], more: Values = {}) =>
  assignment({ roleId: AGENT, groupIds, ...more }, { import: AGENT, dependsOn: ["a"] });

const kept = assignment({ roleId: VIEWER, groupIds: [ADMINS], deleteOnDestroy: false });

export const PLUGIN_BELIEFS: PluginBelief[] = [
  {
    title: "up checks and creates",
    run: { a: viewers(ADMINS) },
    calls: ["check a", "create a"],
    left: { a: [ADMINS] },
  },
  {
    title: "replaceOnChanges replaces where the answer names the changed input",
    run: { a: replaced(viewers(BILLING), "groupIds") },
    calls: ["check a", "diff a", "check a", "create a", "delete a"],
    left: { a: [BILLING] },
  },
  {
    title: "… so does an asterisk",
    run: { a: replaced(viewers(ADMINS), "*") },
    calls: ["check a", "diff a", "check a", "create a", "delete a"],
    left: { a: [ADMINS] },
  },
  {
    title: "… and the name of another input updates",
    run: { a: replaced(viewers(BILLING), "exclusive") },
    calls: ["check a", "diff a", "update a"],
    left: { a: [BILLING] },
  },
  {
    title: "… of several that change, one is enough",
    run: { a: replaced(exactly(ADMINS), "exclusive") },
    calls: ["check a", "diff a", "check a", "create a", "delete a"],
    left: { a: [ADMINS] },
  },
  {
    title: "an import reads; what the program has otherwise is an update in the same run",
    run: { a: exactly(ADMINS), b: imported([SUPPORT, ADMINS], { deleteOnDestroy: false }) },
    calls: ["check a", "diff a", "read b", "check b", "diff b", "update b"],
    left: { a: [ADMINS], b: [SUPPORT, ADMINS] },
  },
  {
    title: "an import of the same is compared, too",
    run: { a: exactly(ADMINS), c: imported([SUPPORT, ADMINS]) },
    calls: ["check a", "diff a", "read c", "check c", "diff c", "delete b"],
    left: { a: [ADMINS], c: [SUPPORT, ADMINS] },
  },
  {
    title: "what is in state is imported no more",
    run: { a: exactly(ADMINS), c: imported([SUPPORT, ADMINS]) },
    calls: ["check a", "diff a", "check c", "diff c"],
    left: { a: [ADMINS], c: [SUPPORT, ADMINS] },
  },
  {
    title: "refresh reads and compares",
    run: "refresh",
    calls: ["read a", "diff a", "read c", "diff c"],
    left: { a: [ADMINS], c: [SUPPORT, ADMINS] },
  },
  {
    title: "an option of ours that lets groups keep the role is an update",
    run: { a: kept, c: imported([SUPPORT, ADMINS]) },
    calls: ["check a", "diff a", "update a", "check c", "diff c"],
    left: { a: [ADMINS], c: [SUPPORT, ADMINS] },
  },
  {
    title: "what the program has dropped is deleted last",
    run: { c: assignment({ roleId: AGENT, groupIds: [SUPPORT, ADMINS] }) },
    calls: ["check c", "diff c", "delete a"],
    left: { c: [SUPPORT, ADMINS] },
  },
  {
    title: "an import of another id replaces: what the resource was is deleted last",
    run: { c: { ...kept, import: VIEWER } },
    calls: ["read c", "check c", "diff c", "update c", "delete c"],
    left: { c: [ADMINS] },
  },
  {
    title: "… with an id that isn't imported again",
    run: { c: { ...kept, import: VIEWER } },
    calls: ["check c", "diff c"],
    left: { c: [ADMINS] },
  },
];
