/** A place among inputs, as messages name it: `strategyOverrides.okta.enabledFeatures[0]`. No two places have one name. */
export function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the inputs";
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const name = String(key);
    if (/[.[\]]|^$/.test(name)) return `${text}[${JSON.stringify(name)}]`;
    return text === "" ? name : `${text}.${name}`;
  }, "");
}
