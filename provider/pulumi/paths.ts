/** A place among inputs, as messages name it: `strategyOverrides.okta.enabledFeatures[0]` */
export function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the inputs";
  return path.reduce<string>(
    (text, key) =>
      typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`,
    "",
  );
}
