import { RunFolder } from "../run-folder";
import { isInline, isMocked, ProgramMemory } from "./program-run";

/** Whether a copy of the package has begun to leave something, be it this one. */
const BEGUN = new ProgramMemory("run-folder/1", () => ({ isBegun: false }));
const FOLDER = new ProgramMemory(Symbol("run folder"), () => ({ folder: begin() }));

/**
 * Where a program leaves what hosts can't know. Undefined without an engine, and for inline programs: their process does not end
 * with the run, so that nothing would tell what they have left from what another run needs.
 */
export function folderOfProgram(): RunFolder | undefined {
  return FOLDER.recall()?.folder;
}

function begin(): RunFolder | undefined {
  const engine = process.env["PULUMI_NODEJS_ENGINE"];
  const program = BEGUN.recall();
  if (engine === undefined || program === undefined || isMocked() || isInline()) return undefined;
  if (!program.isBegun) RunFolder.remove(engine);
  program.isBegun = true;
  // The language host has started this process, and ends with the run.
  return RunFolder.of(engine, process.ppid);
}
