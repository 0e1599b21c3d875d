import { parseJson } from "../provider/http/shape";
import { type Fact, formatFact } from "../provider/review/facts";

/** Returns a line of a preview without the fact that it ends in. */
export function wordsOf(line: string): string {
  const [json] = / \{"(?:exclusive|leaving|notAsked|adopts|tenant|kept)":.*\}$/.exec(line) ?? [];
  return json !== undefined && parseJson(json) !== undefined ? line.slice(0, -json.length) : line;
}

/** Returns a line with a fact about a resource: its words mean nothing to the review. */
export function told(name: string, fact: Fact): string {
  return formatFact(`${name}: free words`, fact);
}
