import { type Document } from "../../output/document";
import { type MarkdownOptions, toMarkdown } from "../../output/markdown";
import { inAddress, inMarkdown } from "../../escape";
import { optional } from "../../lists";

export interface Appearance extends Pick<MarkdownOptions, "source" | "maxLength"> {
  names: Readonly<Record<string, string>>;
  commit: string | undefined;
  /** The address of the run that keeps the review as a page. */
  page?: string | undefined;
  /** Undefined if a preview failed, because its contents can't be approved. */
  fingerprint: string | undefined;
  /** Texts that this one takes the place of: `of` an author, or of former stacks. */
  outdated?: readonly { what: "review" | "drift"; of: string; url: string }[];
}

/** Returns the review with a marker on top by which its comment is found again. */
export function reviewMarkdown(
  documents: readonly Document[],
  marker: string,
  appearance: Appearance,
): string {
  const [before, after] = [[marker, ...outdatedNotices(appearance)], [footer(appearance)]];
  return toMarkdown(documents, { ...appearance, before, after });
}

/** Those of others can't be changed, and would look as good as this one. */
function outdatedNotices({ outdated = [] }: Appearance): string[] {
  return outdated.map(
    ({ what, of, url }) =>
      `**⚠️ Out of date: [the ${what} of ${inMarkdown(of)}](${inAddress(url, "")}). This one replaces it.**\n`,
  );
}

function footer({ commit, fingerprint, page }: Appearance): string {
  const made = [
    ...optional(commit).map((hash) => `for ${inMarkdown(hash.slice(0, 7))}`),
    ...optional(fingerprint).map((hash) => `fingerprint ${inMarkdown(hash)}`),
    ...optional(page).map((address) => `[as a page, in the artifacts](${inAddress(address, "")})`),
    "made by `pulumi-identity review`",
  ];
  return `<sub>${made.join(" · ")}</sub>`;
}
