/** The variable that names the proxy for https, with the precedence that the client's transport has. */
export function proxyVariable(environment: NodeJS.ProcessEnv): { name: string; value: string } | undefined {
  for (const names of [
    ["https_proxy", "HTTPS_PROXY"],
    ["http_proxy", "HTTP_PROXY"],
  ]) {
    const name = names.find((one) => environment[one] !== undefined) ?? "";
    const value = environment[name];
    if (value) return { name, value };
  }
  return undefined;
}

/** User name and password of a proxy: no message may repeat them. */
export function proxySecrets(environment: NodeJS.ProcessEnv): string[] {
  const value = proxyVariable(environment)?.value ?? "";
  const [, credentials = ""] = /^(?:[a-z]+:\/\/)?([^@/]+)@/i.exec(value) ?? [];
  const [, password = ""] = /:(.*)/.exec(credentials) ?? [];
  return [credentials, password];
}
