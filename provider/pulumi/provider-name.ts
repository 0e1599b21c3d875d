/**
 * Whether Pulumi itself made the provider, since the program names none: `default`, `default_0_1_0`, or by
 * where the plugin was from, as `default_github_//api.github.com/acme`.
 */
export function isDefaultName(name: string): boolean {
  return /^default(_\d.*|_.*\/\/.*)?$/s.test(name);
}
