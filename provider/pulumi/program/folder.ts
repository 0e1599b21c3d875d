import { RunFolder } from "../run-folder";
import { isInline } from "./inline";
import { isMocked } from "./mocks";

let folder: { engine: string; folder: RunFolder | undefined } | undefined;

/**
 * Where a program leaves what hosts can't know. Undefined without an engine, and for inline programs: their process does not end
 * with the run, so that nothing would tell what they have left from what another run needs.
 */
export function folderOfProgram(): RunFolder | undefined {
  const engine = process.env["PULUMI_NODEJS_ENGINE"];
  if (engine === undefined || isMocked() || isInline()) return undefined;
  if (folder?.engine !== engine) {
    RunFolder.remove(engine);
    // The language host has started this process, and ends with the run.
    folder = { engine, folder: RunFolder.of(engine, process.ppid) };
  }
  return folder.folder;
}
