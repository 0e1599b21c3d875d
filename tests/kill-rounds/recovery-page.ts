import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The scripts of docs/recovery.md, so that the rounds try exactly what the page says. */
export interface RecoveryPage {
  repairFileBackend: string;
  unlock: string;
  destroy: string;
  refresh: string;
  find: string;
  complete: string;
  check: string;
}

export function readRecoveryPage(): RecoveryPage {
  const page = readFileSync(join(__dirname, "../../docs/recovery.md"), "utf8");
  const scripts = [...page.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, block = ""]) =>
    block.trim().replace(/^ +/gm, ""),
  );
  const [repairFileBackend, unlock, destroy, refresh, find, complete, check, ...others] = scripts;
  if (
    !repairFileBackend ||
    !unlock ||
    !destroy ||
    !refresh ||
    !find ||
    !complete ||
    !check ||
    others.length > 0
  ) {
    throw new Error(`docs/recovery.md is expected to have seven scripts; it has ${scripts.length}.`);
  }
  return { repairFileBackend, unlock, destroy, refresh, find, complete, check };
}
