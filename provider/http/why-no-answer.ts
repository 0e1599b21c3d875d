import { readFileSync } from "node:fs";
import { isLoopback } from "./settings";

export type SystemError = Error & { code?: string };

interface Suspects {
  /** Name of the setting, or of the proxy's variable, that people should check. */
  setting: string;
  origin: string;
}

/** Returns why the host or the proxy gave no answer, and what to do. */
export function whyNoAnswer(error: SystemError, suspects: Suspects): string {
  const { name, code = "" } = error;
  const { setting } = suspects;
  if (code === "ECONNREFUSED")
    return `the connection was refused, as nothing listens there. Check ${setting}.`;
  if (code === "UND_ERR_CONNECT_TIMEOUT") return `it took too long. Check ${setting}.`;
  if (code === "ENOTFOUND") return `no such host is known. Correct ${setting}.`;
  if (code === "EAI_AGAIN")
    return `no name server answered for the host name. Check ${setting}, the network and its name servers.`;
  const ofTls = tlsFault(error, suspects);
  if (ofTls !== undefined) return ofTls;
  if (name === "HTTPParserError" || code === "ERR_ASSERTION")
    return `what came back is no HTTP answer. Check ${setting}, and what stands before it.`;
  if (["ECONNRESET", "UND_ERR_SOCKET", "EPIPE"].includes(code))
    return "the connection broke before an answer came. Check the network and run this again.";
  return `${code === "" ? "no connection" : code}. Check ${setting}, the network and, where one is used, the proxy.`;
}

function tlsFault({ code = "", message }: SystemError, { setting, origin }: Suspects): string | undefined {
  if (code === "CERT_HAS_EXPIRED")
    return "the host's certificate has expired. Have it renewed; if it is new, set this machine's clock.";
  if (code === "CERT_NOT_YET_VALID")
    return "the host's certificate is not valid yet. Set this machine's clock.";
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const names = /cert's altnames: (.*)/.exec(message)?.[1]?.replaceAll("DNS:", "").trim();
    return `the host's certificate is only for ${names ?? "another host"}. Check ${setting}.`;
  }
  if (/certificate|CERT|self.signed/i.test(`${code} ${message}`))
    return `the host's certificate is not trusted (${code}). ${adviceOnTrust(setting)}`;
  return /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code)
    ? `the host does not speak TLS as expected (${code}). ${adviceOnTls(code, origin, setting)}`
    : undefined;
}

function adviceOnTrust(setting: string): string {
  const file = process.env["NODE_EXTRA_CA_CERTS"] ?? "";
  if (file === "")
    return `Check ${setting}; if a certificate authority of your own signed it, name its file in NODE_EXTRA_CA_CERTS.`;
  try {
    readFileSync(file);
  } catch {
    return `NODE_EXTRA_CA_CERTS names ${file}, which can't be read: correct it.`;
  }
  return (
    `Check ${setting}; if it is right, add the certificate authority that signed it to ${file}, which ` +
    "NODE_EXTRA_CA_CERTS names."
  );
}

function adviceOnTls(code: string, origin: string, setting: string): string {
  const { host, hostname } = new URL(origin);
  if (/HANDSHAKE_FAILURE|BAD_CERTIFICATE/.test(code))
    return `Check ${setting}. If the host wants a client certificate: pulumi-identity can't send one.`;
  return isLoopback(hostname)
    ? `If it speaks plain HTTP, as a simulator does, set ${setting} to http://${host}.`
    : `Check ${setting}.`;
}

export function wantsCertificate(setting: string): string {
  return (
    "the host wants a client certificate, and pulumi-identity can't send one. Set " +
    `${setting} to a host name of the tenant that asks for none.`
  );
}
