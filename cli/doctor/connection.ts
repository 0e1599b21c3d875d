import { readFileSync } from "node:fs";
import { type ConnectionAttempt, type Probe, type SystemError } from "./probe";
import { type Finding, ok, unchecked, warning, failure } from "./report";
import { proxyVariable } from "../../provider/http/proxy";
import { isLoopback, type TenantSettings } from "../../provider/http/settings";
import { adviceOnTls, whyUnresolved } from "../../provider/http/errors";

const DAY_MS = 24 * 60 * 60_000;
const CERTIFICATE_NOTICE_DAYS = 14;

/** Checks name, proxy, connection, TLS and clock: everything between this machine and the tenant. */
export function connectionFindings(
  probe: Probe,
  settings: TenantSettings,
  environment: NodeJS.ProcessEnv,
): Finding[] {
  const route = new Route(probe, settings, environment);
  const findings = [route.host(), route.proxy(), route.connect(), route.tls()];
  const failed = findings.find(({ status }) => status === "error");
  return [...findings, failed === undefined ? clockFinding(probe) : unchecked("connection.clock")];
}

class Route {
  readonly #url: URL;
  /** Undefined if the connection to the tenant is direct. */
  readonly #proxied: ConnectionAttempt | undefined;
  readonly #made: ConnectionAttempt | undefined;
  readonly #error: SystemError | undefined;

  constructor(
    private readonly probe: Probe,
    private readonly settings: TenantSettings,
    private readonly environment: NodeJS.ProcessEnv,
  ) {
    this.#url = new URL(settings.origin);
    const { attempts } = probe;
    this.#proxied = attempts.find(({ host }) => host !== this.#url.host);
    this.#made = attempts.find(({ host, error }) => host === this.#url.host && error === undefined);
    const failed = attempts.find(({ error }) => error !== undefined);
    this.#error = this.#made === undefined ? failed?.error : undefined;
  }

  host(): Finding {
    const id = "connection.host";
    const { addresses } = this.probe;
    const { hostname } = this.#url;
    if (addresses === undefined) return ok(id, `${hostname} is an address`);
    // A proxy may know more host names.
    if (this.probe.noClient !== undefined) return unchecked(id);
    if (this.#proxied !== undefined) return ok(id, `${hostname} is left to the proxy to resolve`);
    if (Array.isArray(addresses)) return ok(id, `${hostname} resolves to ${addresses.join(", ")}`);
    const { code = addresses.message } = addresses;
    const { nameOf } = this.settings;
    const why = whyUnresolved(code, nameOf("domain")) ?? {
      says: code,
      advice: `Correct ${nameOf("domain")}.`,
    };
    return failure(id, `${hostname} does not resolve: ${why.says}`, why.advice);
  }

  proxy(): Finding {
    const id = "connection.proxy";
    const { noClient, attempts } = this.probe;
    if (noClient !== undefined)
      return failure(id, noClient.message, "Correct HTTPS_PROXY in the environment.");
    const variable = proxyVariable(this.environment);
    if (variable === undefined) return ok(id, "none: HTTPS_PROXY is not set");
    if (isLoopback(this.#url.hostname)) return ok(id, `none: ${this.#url.hostname} is this machine`);
    if (attempts.length === 0) return unchecked(id);
    if (this.#proxied === undefined) return ok(id, `none: NO_PROXY has ${this.#url.hostname}`);
    const says = `${this.#proxied.host}, by ${variable.name}`;
    const problem = this.#proxyProblem();
    if (problem === undefined) return ok(id, says);
    const advice = problem.includes("407")
      ? `Put user name and password into ${variable.name}.`
      : `Correct ${variable.name}, or add ${this.#url.hostname} to NO_PROXY if it needs no proxy.`;
    return failure(id, `${says}: ${problem}`, advice);
  }

  connect(): Finding {
    const id = "connection.connect";
    if (this.#made !== undefined) return ok(id, `${this.#url.host} answers${this.#at(this.#made)}`);
    if (this.#error === undefined || this.host().status === "error" || this.#proxyProblem() !== undefined) {
      return unchecked(id);
    }
    if (isTls(this.#error)) return ok(id, `${this.#url.host} answers`);
    const { code = this.#error.message } = this.#error;
    const { nameOf } = this.settings;
    if (code === "ECONNREFUSED") {
      const advice = `Correct ${nameOf("domain")}, host or port; if it is right, start the service.`;
      return failure(id, `nothing listens at ${this.#url.host} (${code})`, advice);
    }
    const advice = `Check ${nameOf("domain")}, firewalls, and HTTPS_PROXY if this network has a proxy.`;
    return failure(id, `no connection to ${this.#url.host} (${code})`, advice);
  }

  tls(): Finding {
    const id = "connection.tls";
    if (this.#url.protocol === "http:") return ok(id, "none: http:// to this machine");
    if (this.#error !== undefined && isTls(this.#error)) return this.#tlsProblem(this.#error);
    if (this.#made === undefined) return unchecked(id);
    if (this.environment["NODE_TLS_REJECT_UNAUTHORIZED"] === "0") {
      const says = "certificates are not checked: anybody on the way can read the credentials";
      const advice = "Remove NODE_TLS_REJECT_UNAUTHORIZED; name your own CA in NODE_EXTRA_CA_CERTS.";
      return warning(id, says, advice);
    }
    const { validTo } = this.#made;
    if (validTo === undefined) return ok(id, "the certificate is trusted");
    const says = `the certificate is trusted, and valid until ${validTo.toISOString().slice(0, 10)}`;
    const isEnding = validTo.getTime() - Date.now() < CERTIFICATE_NOTICE_DAYS * DAY_MS;
    return isEnding ? warning(id, says, "Have the tenant's certificate renewed.") : ok(id, says);
  }

  #at({ address }: ConnectionAttempt): string {
    const isKnown = address === undefined || this.#proxied !== undefined || address === this.#url.hostname;
    return isKnown ? "" : ` at ${address}`;
  }

  #proxyProblem(): string | undefined {
    if (this.#proxied === undefined || this.#made !== undefined) return undefined;
    const { code, message = "" } = this.#error ?? {};
    const [, status] = /Proxy response \((\d+)\)/.exec(message) ?? [];
    if (status !== undefined) return `it answered ${status}`;
    return this.#proxied.error === undefined ? undefined : `no connection (${code ?? message})`;
  }

  #tlsProblem(error: SystemError): Finding {
    const id = "connection.tls";
    const domain = this.settings.nameOf("domain");
    const about = errorText(error);
    const { code = "", message } = error;
    if (/CERT_HAS_EXPIRED/.test(about)) {
      const advice = "Have it renewed; if it is new, set this machine's clock.";
      return failure(id, "the certificate has expired", advice);
    }
    if (/CERT_NOT_YET_VALID/.test(about)) {
      return failure(id, "the certificate is not valid yet", "Set this machine's clock.");
    }
    if (/ALTNAME|altnames/.test(about)) {
      const [, names = "another host"] = /cert's altnames: (.*)/.exec(about) ?? [];
      const says = `the certificate is not for ${this.#url.hostname}, but for ${names.replaceAll("DNS:", "").trim()}`;
      return failure(id, says, `Set ${domain} to a host name that the certificate has.`);
    }
    if (/SELF.SIGNED|UNABLE_TO|UNTRUSTED|ISSUER|self-signed|local issuer/i.test(about)) {
      return failure(id, `the certificate is not trusted (${code || message})`, this.#adviceOnTrust());
    }
    const advice = adviceOnTls(code, this.settings.origin, domain);
    return failure(id, `the host does not speak TLS as expected (${code || message})`, advice);
  }

  #adviceOnTrust(): string {
    const file = this.environment["NODE_EXTRA_CA_CERTS"];
    if (file === undefined || file === "") {
      return "If a CA of your own signed it, set NODE_EXTRA_CA_CERTS to the file with that CA's certificate, here and for pulumi.";
    }
    try {
      readFileSync(file);
    } catch {
      return `NODE_EXTRA_CA_CERTS names ${file}, which can't be read: correct it.`;
    }
    return `The CA in NODE_EXTRA_CA_CERTS (${file}) did not sign it: add the one that did.`;
  }
}

function isTls(error: SystemError): boolean {
  return /CERT|certificate|self.signed|\bERR_SSL|\bERR_TLS|\bEPROTO|altname/i.test(errorText(error));
}

/** Errors behind a proxy have the original as their cause. */
function errorText({ code = "", message, cause }: SystemError): string {
  return `${code} ${message} ${(cause as Error | undefined)?.message ?? ""}`;
}

function clockFinding(probe: Probe): Finding {
  const id = "connection.clock";
  const error = clockErrorMs(probe);
  if (error === undefined) return unchecked(id, "no answer came with a date");
  if (!isClockOff(probe)) return ok(id, "within a minute of the tenant's");
  const says = `${duration(Math.abs(error))} ${error > 0 ? "behind" : "ahead of"} the tenant's`;
  return warning(id, says, "Set the clock of this machine: signed tokens and expiries depend on it.");
}

const LARGEST_CLOCK_ERROR_MS = 60_000;

/**
 * Returns how far the tenant's clock is ahead of ours, by the Date of its first answer; undefined without
 * one.
 */
function clockErrorMs({ answers }: Probe): number | undefined {
  const errors = answers.map(({ headers, at }) => Date.parse(headers["date"] ?? "") - at);
  return errors.find((error) => !Number.isNaN(error));
}

/** Dates of answers are in whole seconds, and take a while to arrive. */
export function isClockOff(probe: Probe): boolean {
  return Math.abs(clockErrorMs(probe) ?? 0) > LARGEST_CLOCK_ERROR_MS;
}

/** `10 min`, `3 h`, `2 days`. */
export function duration(ms: number): string {
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 2 * 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 2 * DAY_MS) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / DAY_MS)} days`;
}
