export declare const pulumiVersion: string;
export declare const minimumVersion: string;

export interface PulumiCli {
  /** For example "3.257.0". */
  version: string;
  /** Absolute path of the executable. */
  bin: string;
  /** "path": was there already. "installer": Pulumi's own download. "go": built from the pinned Go modules. */
  source: "path" | "installer" | "go";
  /** To spread into a child's environment, so that `pulumi` and the plugins beside it are found. */
  env: { PATH: string };
}

/**
 * The Pulumi CLI to run: from the PATH, from an earlier download or build, from Pulumi's installer, or built with Go.
 * Downloads and builds are kept in `$PULUMI_IDENTITY_CACHE` (default `$XDG_CACHE_HOME/pulumi-identity`, and
 * `~/.cache/pulumi-identity` without it).
 *
 * @throws {Error} One sentence that says what was tried, what came back and what to install.
 */
export declare function ensurePulumi(options: {
  /** Takes sentences on the progress. */
  log: (sentence: string) => void;
  /** Where PATH, HOME and the cache folder are looked up; default `process.env`. */
  env?: Record<string, string | undefined>;
  /** A script that is called with version and folder instead of Pulumi's installer. */
  installer?: string;
}): Promise<PulumiCli>;
