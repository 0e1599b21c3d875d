import { Sentence } from "../../provider/sentence";

/** Returns JSON for programs, which has a text in place of each sentence. */
export function withTexts(json: unknown): unknown {
  if (json instanceof Sentence) return json.toString();
  if (Array.isArray(json)) return json.map(withTexts);
  if (typeof json !== "object" || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, withTexts(value)]));
}
