/**
 * Returns the variable that names the proxy for https, with undici's precedence; undefined if none does.
 */
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
