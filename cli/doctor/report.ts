import { type Border } from "../../provider/border";
import { PACKAGE_VERSION } from "../../provider/http/package-version";
import { type Finding, type Status } from "./finding";

/**
 * What `--json` prints. Fields may be added; `version` changes if one is removed or changes its meaning.
 *
 * @example
 * ```json
 * { "version": 1, "package": "0.1.0", "status": "wrong", "first": "Run `pulumi login`.",
 *   "findings": [{ "id": "settings.domain", "status": "fine", "says": "tenant.example.com", "source": "stack" }] }
 * ```
 */
export interface Report {
  version: 1;
  /** Version of pulumi-identity. */
  package: string;
  /** The worst that was found. */
  status: Exclude<Status, "unchecked">;
  /** The one thing to do; absent if nothing is wrong, and there is no warning. */
  first?: string;
  findings: Finding[];
}

/** The report as it may be printed: all that it says passes the border. */
export function reportOf(findings: readonly Finding[], border: Border): Report {
  const printable = findings.map((finding) => ({
    ...finding,
    says: border.quote(finding.says),
    ...(finding.do !== undefined && { do: border.quote(finding.do) }),
  }));
  const [worst] = [...withStatus(printable, "wrong"), ...withStatus(printable, "warning")];
  return {
    version: 1,
    package: PACKAGE_VERSION,
    status: worst?.status === "wrong" || worst?.status === "warning" ? worst.status : "fine",
    ...(worst?.do !== undefined && { first: worst.do }),
    findings: printable,
  };
}

export function withStatus(findings: readonly Finding[], status: Status): Finding[] {
  return findings.filter((finding) => finding.status === status);
}
