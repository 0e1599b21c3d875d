/** Whether a version is in a range of the forms `>=20.19` and `^3.216.0`; undefined if one of them has another form. */
export function isInRange(version: string, range: string): boolean | undefined {
  const [, kind, least] = /^(>=|\^)\s*([\d.]+)$/.exec(range.trim()) ?? [];
  const found = partsOf(version);
  const needed = partsOf(least ?? "");
  if (found === undefined || needed === undefined) return undefined;
  if (kind === "^" && found[0] !== needed[0]) return false;
  const differing = [0, 1, 2].find((index) => found[index] !== needed[index]) ?? 0;
  return (found[differing] ?? 0) >= (needed[differing] ?? 0);
}

/** Of `v3.257.0-alpha` 3, 257 and 0; what is left out is 0. */
function partsOf(version: string): readonly number[] | undefined {
  const [, major, minor = "0", patch = "0"] =
    /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:[-+].*)?$/.exec(version.trim()) ?? [];
  return major === undefined ? undefined : [major, minor, patch].map(Number);
}
