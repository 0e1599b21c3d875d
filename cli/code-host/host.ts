import { CODE_HOST_FAILED, CommandError } from "../errors";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What commands need of GitHub and GitLab. Comments and issues are those that the owner of the token has written: what
 * others write is never read, changed or counted.
 */
export interface CodeHost {
  /** What messages call it: `GitHub`. */
  readonly name: string;
  /** The pull request that this run is for. Rejects if there is none. */
  change(): Promise<ChangeRequest>;
  /** The merged pull request that brought the commit of this run. */
  mergedChange(): Promise<ChangeRequest | undefined>;
  /** Whether the commit of this run is the last one of the default branch. */
  isHead(): Promise<boolean>;
  addComment(change: ChangeRequest, body: string): Promise<void>;
  editComment(change: ChangeRequest, comment: Comment, body: string): Promise<void>;
  removeComment(change: ChangeRequest, comment: Comment): Promise<void>;

  /** The open ones, the oldest first. */
  issues(): Promise<Issue[]>;
  addIssue(title: string, body: string): Promise<void>;
  editIssue(issue: Issue, body: string): Promise<void>;
  closeIssue(issue: Issue, comment: string): Promise<void>;

  close(): Promise<void>;
}

/** A pull request of GitHub, or a merge request of GitLab. */
export interface ChangeRequest {
  id: string;
  /** `pull request #7` */
  name: string;
  isMerged: boolean;
  /** The oldest first. */
  comments: Comment[];
}

export interface Comment {
  id: string;
  body: string;
  /** Whether somebody else wrote its present text. GitLab does not tell: there it is false. */
  isEdited: boolean;
}

export interface Issue {
  id: string;
  body: string;
}

/** The code host could not be asked, or did not do what it was asked for. */
export class CodeHostError extends CommandError {
  /** `isMissing`: what was asked for is not there, as far as the token may see. */
  constructor(
    message: string,
    readonly isMissing = false,
  ) {
    super(message, CODE_HOST_FAILED);
  }
}

/** A variable that the CI system sets, or the sentence that it is missing. */
export function required(environment: Environment, variable: string, advice: string): string {
  const value = environment[variable]?.trim();
  if (value === undefined || value === "") throw new CodeHostError(`${variable} is not set. ${advice}`);
  return value;
}
