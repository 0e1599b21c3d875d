import * as z from "../../provider/zod";
import { allPages } from "../../provider/http/pages";
import { Api, type ApiOptions, type ApiCall } from "./api";
import {
  type ChangeRequest,
  type CodeHost,
  CodeHostError,
  type Comment,
  type Environment,
  isGone,
  type Issue,
  type OthersText,
  required,
} from "./host";

/* GitLab, by its REST API. A job's token (CI_JOB_TOKEN) can't write comments. */

const IN_PIPELINE = "--gitlab works in a pipeline of GitLab CI.";
const TOKEN_ADVICE =
  "Make an access token of the project with the role Reporter and the scope api, and add it as a masked CI/CD variable: " +
  "CI_JOB_TOKEN may not write comments.";
const PERMISSION = `It needs the scope api and the role Reporter in the project. A protected variable is missing in pipelines of branches that are not protected.`;

const user = z.object({ id: z.number() });
const authorRecord = user.extend({ username: z.string() });
const member = z.object({ access_level: z.number() });

/** The role that may push. */
const DEVELOPER = 30;
const REPORTER = 20;
/** GitLab gives it the texts of users that are gone, such as the bot of a token that was revoked. */
const GHOST = "ghost";

const noteRecord = z.object({
  id: z.number(),
  body: z.string(),
  author: authorRecord,
  system: z.boolean().optional(),
});
const mergeRequest = z.object({
  iid: z.number(),
  web_url: z.string(),
  state: z.string(),
  sha: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
});
const fileRecord = z.object({ content: z.string(), encoding: z.literal("base64") });
const branch = z.object({ commit: z.object({ id: z.string() }) });
const issueRecord = z.object({
  iid: z.number(),
  web_url: z.string(),
  description: z.string().nullable(),
  author: authorRecord,
});

export class GitLab implements CodeHost {
  readonly #environment: Environment;
  readonly #api: Api;
  readonly #project: string;

  constructor(environment: Environment, seconds?: ApiOptions["seconds"]) {
    this.#environment = environment;
    this.#project = `/projects/${encodeURIComponent(required(environment, "CI_PROJECT_ID", IN_PIPELINE))}`;
    this.#api = new Api({
      host: "GitLab",
      variables: { address: "CI_API_V4_URL", token: "GITLAB_TOKEN" },
      address: required(environment, "CI_API_V4_URL", IN_PIPELINE),
      token: required(environment, "GITLAB_TOKEN", TOKEN_ADVICE),
      seconds,
    });
  }

  async change(): Promise<ChangeRequest> {
    const iid = this.#environment["CI_MERGE_REQUEST_IID"];
    if (iid === undefined)
      throw new CodeHostError(
        "This pipeline is for no merge request, so there is nowhere to post the review. Use --gitlab in a merge request pipeline.",
      );
    const path = `${this.#project}/merge_requests/${encodeURIComponent(iid)}`;
    return this.#changeOf(await this.#send("GET", path, mergeRequest));
  }

  async mergedChange(): Promise<ChangeRequest | undefined> {
    const sha = required(this.#environment, "CI_COMMIT_SHA", IN_PIPELINE);
    const path = `${this.#project}/repository/commits/${encodeURIComponent(sha)}/merge_requests`;
    const found = (await this.#list(path, mergeRequest)).find(
      ({ state, ...commits }) =>
        state === "merged" &&
        [commits.merge_commit_sha, commits.squash_commit_sha, commits.sha].includes(sha),
    );
    return found && this.#changeOf(found);
  }

  async baseFile(path: string): Promise<{ branch: string; bytes: Uint8Array | undefined }> {
    const target = required(this.#environment, "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", IN_PIPELINE);
    const file = `/repository/files/${encodeURIComponent(path)}?ref=${encodeURIComponent(target)}`;
    try {
      const { content } = await this.#send("GET", `${this.#project}${file}`, fileRecord);
      return { branch: target, bytes: Buffer.from(content, "base64") };
    } catch (error) {
      if (isGone(error)) return { branch: target, bytes: undefined };
      throw error;
    }
  }

  async isHead(): Promise<boolean> {
    const sha = required(this.#environment, "CI_COMMIT_SHA", IN_PIPELINE);
    const name = required(this.#environment, "CI_DEFAULT_BRANCH", IN_PIPELINE);
    const path = `${this.#project}/repository/branches/${encodeURIComponent(name)}`;
    const { commit } = await this.#send("GET", path, branch);
    return commit.id === sha;
  }

  async addComment({ id }: ChangeRequest, body: string): Promise<void> {
    await this.#send("POST", `${id}/notes`, z.unknown(), { body });
  }

  async editComment({ id }: ChangeRequest, comment: Comment, body: string): Promise<void> {
    await this.#send("PUT", `${id}/notes/${comment.id}`, z.unknown(), { body });
  }

  async removeComment({ id }: ChangeRequest, comment: Comment): Promise<void> {
    await this.#send("DELETE", `${id}/notes/${comment.id}`, z.unknown());
  }

  async issues(): ReturnType<CodeHost["issues"]> {
    const owner = await this.#owner();
    const query = "?state=opened&scope=all&order_by=created_at&sort=asc";
    const issues = await this.#list(`${this.#project}/issues${query}`, issueRecord);
    const idOf = (iid: number) => `${this.#project}/issues/${iid}`;
    return {
      own: issues
        .filter(({ author }) => author.id === owner)
        .map(({ iid, description, web_url: url }) => ({ id: idOf(iid), body: description ?? "", url })),
      others: issues
        .filter(({ author }) => author.id !== owner)
        .map(({ iid, description, author, web_url: url }) => ({
          ...this.#othersText(author, description ?? "", url),
          id: idOf(iid),
        })),
    };
  }

  async addIssue(title: string, body: string): Promise<void> {
    await this.#send("POST", `${this.#project}/issues`, z.unknown(), { title, description: body });
  }

  async editIssue({ id }: Issue, body: string): Promise<void> {
    await this.#send("PUT", id, z.unknown(), { description: body });
  }

  async closeIssue({ id }: Issue, body: string): Promise<void> {
    await this.#send("POST", `${id}/notes`, z.unknown(), { body });
    await this.#send("PUT", id, z.unknown(), { state_event: "close" });
  }

  close(): Promise<void> {
    return this.#api.close();
  }

  async #changeOf({ iid, state, web_url: page }: z.infer<typeof mergeRequest>): Promise<ChangeRequest> {
    const id = `${this.#project}/merge_requests/${iid}`;
    const owner = await this.#owner();
    const all = await this.#list(`${id}/notes?order_by=created_at&sort=asc`, noteRecord);
    const notes = all.filter(({ system }) => system !== true);
    const urlOf = (note: z.infer<typeof noteRecord>) => `${page}#note_${note.id}`;
    return {
      id,
      name: `merge request !${iid}`,
      isMerged: state === "merged",
      comments: notes
        .filter(({ author }) => author.id === owner)
        .map((own) => ({ id: String(own.id), body: own.body, url: urlOf(own), isEdited: false })),
      others: notes
        .filter(({ author }) => author.id !== owner)
        .map((note) => this.#othersText(note.author, note.body, urlOf(note))),
    };
  }

  #othersText(author: z.infer<typeof authorRecord>, body: string, url: string): OthersText {
    return { body, url, author: author.username, isTrusted: () => this.#isTrusted(author) };
  }

  async #isTrusted({ id, username }: z.infer<typeof authorRecord>): Promise<boolean> {
    if (username === GHOST) return true;
    // The bots of access tokens write comments as Reporter.
    const least = /^(project|group)_\d+_bot(_|$)/.test(username) ? REPORTER : DEVELOPER;
    try {
      const found = await this.#send("GET", `${this.#project}/members/all/${id}`, member);
      return found.access_level >= least;
    } catch (error) {
      if (error instanceof CodeHostError) return false;
      throw error;
    }
  }

  /** The token's user; an access token of a project has its own. */
  async #owner(): Promise<number> {
    return (await this.#send("GET", "/user", user)).id;
  }

  #list<Item>(path: string, item: z.ZodType<Item>): Promise<Item[]> {
    return allPages(
      async (page = "1") => {
        const call = this.#call("GET", `${path}${path.includes("?") ? "&" : "?"}per_page=100&page=${page}`);
        const { value, headers } = await this.#api.send({ ...call, answer: z.array(item) });
        return { items: value, next: headers["x-next-page"] };
      },
      `GET ${path.split("?")[0]}`,
    );
  }

  async #send<Answer>(
    method: ApiCall<Answer>["method"],
    path: string,
    answer: z.ZodType<Answer>,
    body?: object,
  ): Promise<Answer> {
    return (await this.#api.send({ ...this.#call(method, path), body, answer })).value;
  }

  #call(method: ApiCall<unknown>["method"], path: string) {
    return { method, path, permission: PERMISSION };
  }
}
