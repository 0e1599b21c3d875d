import { type CodeHost, type Environment, type HostName } from "../../cli/code-host/host";
import { type RunOutcome } from "../../cli/review/input/options";
import { markerText, type ReviewMarker } from "../../cli/review/output/marker";
import { outcomeText, postOutcome } from "../../cli/review/output/outcome";
import {
  type Beside,
  differenceFromReviewed,
  openCodeHost,
  postComment,
  postIssue,
} from "../../cli/review/output/publish";

/* What `review` posts to a code host, by a run with this environment. It gives up sooner than a job. */

export { type Beside, type HostName, markerText, type ReviewMarker, type RunOutcome };

export const HOSTS: readonly HostName[] = ["github", "gitlab"];

export class Poster {
  constructor(
    readonly name: HostName,
    readonly environment: Environment,
    readonly seconds = { request: 1, wait: 5 },
  ) {}

  /** `gone`: stacks that don't exist any more. */
  comment(
    marker: ReviewMarker,
    body: (beside: Beside) => string,
    gone: readonly string[] = [],
  ): Promise<Beside> {
    return this.#on((host) => postComment(host, marker, { body, areGone: areGoneOf(gone) }));
  }

  issue(
    marker: ReviewMarker,
    { isDrifted, body, gone = [] }: { isDrifted: boolean; body: (beside: Beside) => string; gone?: string[] },
  ): Promise<Beside> {
    const given = { title: "Drift", isDrifted, body, areGone: areGoneOf(gone) };
    return this.#on((host) => postIssue(host, marker, given));
  }

  /** `left`: the rows that a preview after the run has; null if it failed. */
  outcome(
    reviewed: ReviewMarker,
    outcome: RunOutcome,
    left: string | null = "",
  ): Promise<string | undefined> {
    const found = {
      hasEffects: left !== "",
      isFailed: left === null,
      text: (most: number) => (left ?? "").slice(0, most),
    };
    const text = (room: number) => outcomeText(outcome, found, this.environment, room);
    return this.#on((host) => postOutcome(host, reviewed, { name: this.name, outcome, text }));
  }

  difference(reviewed: ReviewMarker): Promise<string | undefined> {
    return this.#on((host) => differenceFromReviewed(host, reviewed));
  }

  isHead(): Promise<boolean> {
    return this.#on((host) => host.isHead());
  }

  async #on<Result>(ask: (host: CodeHost) => Promise<Result>): Promise<Result> {
    const host = openCodeHost(this.name, this.environment, this.seconds);
    try {
      return await ask(host);
    } finally {
      await host.close();
    }
  }
}

function areGoneOf(gone: readonly string[]) {
  return (stacks: readonly string[]) => Promise.resolve(stacks.every((stack) => gone.includes(stack)));
}
