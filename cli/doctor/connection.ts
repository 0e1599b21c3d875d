import { DAY_MS } from "../../provider/access/until";
import { ConfigurationError, NetworkError } from "../../provider/http/errors";
import { type TenantSettings } from "../../provider/http/settings";
import { type Finding, ok, unchecked, warning, failure } from "./report";
import { type Visit } from "./visit";

const CERTIFICATE_NOTICE_DAYS = 14;

/** Checks everything between this machine and the tenant. */
export function connectionFindings(
  visit: Visit,
  { origin }: TenantSettings,
  environment: NodeJS.ProcessEnv,
): Finding[] {
  const url = new URL(origin);
  const connect = connectFinding(visit, url);
  return connect.status === "error"
    ? [connect, unchecked("connection.tls"), unchecked("connection.clock")]
    : [connect, tlsFinding(visit, url, environment), clockFinding(visit)];
}

function connectFinding({ connections, answers, error }: Visit, { host }: URL): Finding {
  const id = "connection.connect";
  // A proxy that can't be used is a wrong configuration, too.
  const isOfWay = error instanceof NetworkError || error instanceof ConfigurationError;
  if (isOfWay && answers.length === 0) return failure(id, error.message);
  const proxy = connections.find((made) => made.host !== host);
  return ok(id, `${host} answers${proxy === undefined ? "" : ` through the proxy ${proxy.host}`}`);
}

function tlsFinding(
  { connections }: Visit,
  { host, protocol }: URL,
  environment: NodeJS.ProcessEnv,
): Finding {
  const id = "connection.tls";
  if (protocol === "http:") return ok(id, "none: http:// to this machine");
  if (environment["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
    const says = "certificates are not checked: anybody on the way can read the credentials";
    const advice = "Remove NODE_TLS_REJECT_UNAUTHORIZED; name your own CA in NODE_EXTRA_CA_CERTS.";
    return warning(id, says, advice);
  }
  const validTo = connections.find((made) => made.host === host)?.validTo;
  if (validTo === undefined) return ok(id, "the certificate is trusted");
  const says = `the certificate is trusted, and valid until ${validTo.toISOString().slice(0, 10)}`;
  const isEnding = validTo.getTime() - Date.now() < CERTIFICATE_NOTICE_DAYS * DAY_MS;
  return isEnding ? warning(id, says, "Have the tenant's certificate renewed.") : ok(id, says);
}

/** Dates of answers are in whole seconds, and take a while to arrive. */
const LARGEST_CLOCK_ERROR_MS = 60_000;

/** By the Date of the tenant's first answer. */
function clockFinding({ answers }: Visit): Finding {
  const id = "connection.clock";
  const error = answers
    .map(({ headers, at }) => Date.parse(headers["date"] ?? "") - at)
    .find((each) => !Number.isNaN(each));
  if (error === undefined) return unchecked(id, "no answer came with a date");
  if (Math.abs(error) <= LARGEST_CLOCK_ERROR_MS) return ok(id, "within a minute of the tenant's");
  const says = `${duration(Math.abs(error))} ${error > 0 ? "behind" : "ahead of"} the tenant's`;
  return warning(id, says, "Set the clock of this machine: signed tokens and expiries depend on it.");
}

/** `10 min`, `3 h`, `2 days`. */
export function duration(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 2 * DAY_MS) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / DAY_MS)} days`;
}
