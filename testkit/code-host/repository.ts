/** A repository with its pull requests and issues, as both hosts have them. */

export interface Person {
  id: number;
  login: string;
  isBot: boolean;
  /** True for one who may push. */
  isWriter?: boolean;
}

export interface Text {
  id: number;
  author: Person;
  /** The last editor. */
  editor?: Person;
  body: string;
  /** GitLab's own words, such as "added 1 commit", with the user who caused them. */
  isSystem?: boolean;
}

export interface Change {
  number: number;
  isMerged: boolean;
  /** The merge commit. */
  commit?: string;
  comments: Text[];
}

export interface Issue extends Text {
  title: string;
  isOpen: boolean;
  comments: Text[];
}

/** The owner of the token: on GitHub, of a workflow's. */
export const OWNER: Person = { id: 41, login: "github-actions", isBot: true };
/** A person with the same name. */
export const NAMESAKE: Person = { id: 42, login: "github-actions", isBot: false };
export const MEMBER: Person = { id: 43, login: "someone", isBot: false };
export const WRITER: Person = { id: 45, login: "maintainer", isBot: false, isWriter: true };
export const OTHER_BOT: Person = { id: 44, login: "renovate", isBot: true };

export class Repository {
  readonly owner = "example";
  readonly name = "access";
  readonly projectId = 17;
  readonly changes: Change[] = [];
  readonly issues: Issue[] = [];
  /** By `branch:path`. */
  readonly files = new Map<string, string>();
  /** The last commit of the default branch. */
  head = "f".repeat(40);
  #lastId = 0;

  addChange(number: number): Change {
    const change: Change = { number, isMerged: false, comments: [] };
    this.changes.push(change);
    return change;
  }

  merge(change: Change, commit: string): void {
    Object.assign(change, { isMerged: true, commit });
    this.head = commit;
  }

  addComment(to: { comments: Text[] }, body: string, author = OWNER, more: Partial<Text> = {}): Text {
    const comment = { id: ++this.#lastId, author, body, ...more };
    to.comments.push(comment);
    return comment;
  }

  addIssue(title: string, body: string, author = OWNER): Issue {
    const issue = { id: ++this.#lastId, title, body, author, isOpen: true, comments: [] };
    this.issues.push(issue);
    return issue;
  }

  edit(text: Text, body: string, editor = OWNER): void {
    Object.assign(text, { body, editor });
  }

  /** Returns the comment with this id, and the thread it belongs to. */
  comment(id: number): { comment: Text; thread: { comments: Text[] } } | undefined {
    for (const thread of [...this.changes, ...this.issues]) {
      const comment = thread.comments.find((one) => one.id === id);
      if (comment !== undefined) return { comment, thread };
    }
    return undefined;
  }
}
