export declare const pulumiVersion: string;

export interface PulumiCli {
  /** For example "3.274.1". */
  version: string;
  /** Absolute path of the executable. */
  bin: string;
  /** To spread into a child's environment, so that `pulumi` and the plugins beside it are found. */
  env: { PATH: string; PULUMI_VERSION: string };
}

/**
 * The Pulumi CLI of the version that package.json pins: the one that is there, or else downloaded by Pulumi's npm package
 * `pulumi`, or else built with Go. It is kept where that package and the Automation API keep theirs, in `versions/` of
 * `$PULUMI_HOME` (default `~/.pulumi`).
 *
 * @throws {Error} One sentence that says what was tried, what came back and what to do.
 */
export declare function ensurePulumi(options: {
  /** Takes sentences on the progress. */
  log: (sentence: string) => void;
  /** Where PATH, HOME and PULUMI_HOME are looked up; default `process.env`. */
  env?: Record<string, string | undefined>;
  /** A script that is run in place of the npm package's `run.js`. */
  downloader?: string;
  /** Also the language hosts of Go, Java and Python, which a build with Go leaves out otherwise. Default: false. */
  languages?: boolean;
}): Promise<PulumiCli>;
