import { tenantOf } from "../../../provider/pulumi/settings";
import { type Place } from "../../../provider/sentence";
import { type ReviewJson } from "../../../provider/review/model";
import { artifactsOf, commitOf, sourceOf } from "../../code-host/host";
import { inAddress, inText } from "../../escape";
import { htmlPage } from "../../html/page";
import { anyOf } from "../../lists";
import { type Document } from "../../output/document";
import { appearanceIn } from "../../terminal";
import { type Workplace } from "../../places";
import { workplaceOf } from "../../workplace";
import { type ReviewOptions } from "../input/options";
import { type Review } from "../review";
import { documentOf } from "./document";
import { type LineFinding, findingsOf } from "./findings";
import { toJson } from "./json";
import { markerOf, markerText, type ReviewMarker, stacksOf } from "./marker";
import { type Appearance, reviewMarkdown } from "./markdown";
import { type Beside } from "./publish";
import { sarifOf } from "./sarif";
import { reviewText } from "./text";

/** The reviews of all stacks, in any format. */
export class Formats {
  readonly marker: ReviewMarker;
  readonly #workplace = workplaceOf(process.cwd(), process.env);
  readonly #documents: readonly Document[];
  readonly #appearance: Appearance;

  /** `names`: by id, those that the user gives. */
  constructor(
    private readonly reviews: readonly Review[],
    private readonly names: Readonly<Record<string, string>>,
    private readonly options: ReviewOptions,
    private readonly made: Date,
  ) {
    this.marker = markerOf(reviews, process.env);
    this.#documents = reviews.map((review) => documentOf(review, options.failOn, options.people));
    this.#appearance = {
      names: Object.assign({}, ...reviews.map((review) => review.names), names) as Record<string, string>,
      source: links(options.source, this.#workplace),
      commit: commitOf(process.env),
      page: options.page === undefined ? undefined : artifactsOf(process.env),
      fingerprint: reviews.some(isFailed) ? undefined : this.marker.fingerprint,
      maxLength: options.maxLength,
    };
  }

  markdown(
    maxLength = this.options.maxLength,
    { outdated, replaced }: Beside = { outdated: [], replaced: [] },
  ): string {
    const subject = this.options.drift ? "drift" : "review";
    const mark = markerText({ ...this.marker, replaced }, subject);
    return reviewMarkdown(this.#documents, mark, {
      ...this.#appearance,
      maxLength,
      outdated: [
        ...outdated.map(({ author, url }) => ({ what: subject, of: author, url }) as const),
        ...replaced.map(
          ({ key, url }) => ({ what: subject, of: stacksOf({ key }).join(", "), url }) as const,
        ),
      ],
    });
  }

  /** For a text that another review's marker begins. */
  unmarked(maxLength: number): string {
    return reviewMarkdown(this.#documents, "", { ...this.#appearance, maxLength }).trimStart();
  }

  text(): string {
    const { style, columns } = appearanceIn(this.options.output);
    return reviewText(this.#documents, this.#appearance, style, columns);
  }

  /** One review, or a list of them for several stacks. */
  json(): string {
    const json = this.#json();
    return `${JSON.stringify(json.length === 1 ? json[0] : json, null, 2)}\n`;
  }

  html(): string {
    // All stacks have one fingerprint, which --expect takes.
    const { fingerprint } = this.marker;
    const json = this.#json().map((own) => ({ ...own, fingerprint, names: { ...own.names, ...this.names } }));
    return htmlPage("review", { json, documents: this.#documents });
  }

  #json(): ReviewJson[] {
    const making = {
      made: this.made,
      unknownAccepted: this.options.acceptUnknown === true,
      hasIds: this.options.people === true,
      environmentTenant: tenantOf({ domain: process.env["IDENTITY_DOMAIN"] }),
    };
    return this.reviews.map((review) => toJson(review, making));
  }

  sarif(): string {
    const { drift, destroy } = this.options;
    const [kind = "review"] = anyOf([drift === true, "drift"], [destroy === true, "destroy"]);
    // A URI's characters, and the slashes of the names.
    const about = `${kind}/${this.marker.key.replaceAll("%2F", "/")}`;
    return sarifOf(this.findings(), about, (sentence) => void process.stderr.write(`${sentence}\n`));
  }

  findings(): LineFinding[] {
    sayIfElsewhere(this.#workplace);
    return findingsOf(this.reviews, this.#appearance.names, this.#workplace);
  }
}

export function isFailed({ errors }: Review): boolean {
  return errors.length > 0;
}

function sayIfElsewhere({ projectFile, inRepository }: Workplace): void {
  if (inRepository({ file: projectFile, line: 1 }) !== undefined) return;
  process.stderr.write(
    "Nothing is shown on lines of code: the project is outside of the repository. Check out the repository that has it.\n",
  );
}

/** `given`: the address of the project's folder. */
function links(given: string | undefined, { inRepository }: Workplace): Appearance["source"] {
  if (given !== undefined) return (place) => addressOf(given.endsWith("/") ? given : `${given}/`, place);
  const source = sourceOf(process.env);
  if (source === undefined) return undefined;
  const unlinked = new Set<string>();
  return (place) => {
    const inside = inRepository(place);
    if (inside !== undefined) return addressOf(source, inside);
    if (!unlinked.has(place.file))
      process.stderr.write(`Not linked, because it is outside of the repository: ${inText(place.file)}\n`);
    unlinked.add(place.file);
    return undefined;
  };
}

function addressOf(source: string, { file, line }: Place): string {
  return `${inAddress(source, file)}#L${line}`;
}
