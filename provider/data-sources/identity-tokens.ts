/** True for `access_token`, `accessTokenSecret`, `id-token`, `tokens` and whatever else speaks of a token. */
export function speaksOfToken(name: string): boolean {
  return /token/i.test(name);
}

/** A value without the fields, at any depth, whose names speak of a token. */
export function withoutTokens<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withoutTokens) as Value;
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !speaksOfToken(name));
  return Object.fromEntries(kept.map(([name, child]) => [name, withoutTokens<unknown>(child)])) as Value;
}
