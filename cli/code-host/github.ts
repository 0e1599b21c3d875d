import { isDeepStrictEqual } from "node:util";
import * as z from "../../provider/zod";
import { type Page } from "../../provider/http/page";
import { allPages } from "../../provider/http/pages";
import {
  type ChangeRequest,
  type CodeHost,
  CodeHostError,
  type Comment,
  type Environment,
  type Issue,
  type OthersText,
  pullRequestOf,
  required,
} from "./host";
import { Api, type ApiOptions, type ApiCall, type ApiRefusal } from "./api";

/*
 * GitHub, by its GraphQL API: the REST API shows neither the owner of a workflow's token nor who has edited a
 * comment.
 */

const IN_WORKFLOW = "--github works in a workflow of GitHub Actions.";
const PULL_REQUESTS =
  'The job needs "pull-requests: write" and "contents: read" below "permissions"; a pull request from a fork gets a token ' +
  "that may only read.";
const ISSUES = 'The job needs "issues: write" below "permissions".';

const IDENTIFIED = "id body url authorAssociation author { __typename login }";
const actor = z.object({ __typename: z.string(), login: z.string() }).nullable();
const issueNode = z.object({
  id: z.string(),
  body: z.string(),
  url: z.string(),
  authorAssociation: z.string(),
  author: actor,
});
const commit = z.object({ oid: z.string() });

const PAGE = "pageInfo { hasNextPage endCursor }";
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });

interface Query<Found> {
  /** Its name in messages. */
  name: string;
  permission: string;
  /** Besides the repository: `, $number: Int!`. */
  parameters?: string;
  fields: string;
  found: z.ZodType<Found>;
}

const CHANGE = {
  name: "comments of a pull request",
  permission: PULL_REQUESTS,
  parameters: ", $number: Int!, $after: String",
  fields: `pullRequest(number: $number) {
    id merged
    comments(first: 100, after: $after) { nodes { ${IDENTIFIED} editor { __typename login } } ${PAGE} }
  }`,
  found: z.object({
    pullRequest: z.object({
      id: z.string(),
      merged: z.boolean(),
      comments: z.object({ nodes: z.array(issueNode.extend({ editor: actor })), pageInfo }),
    }),
  }),
} as const;

const mergedRecord = z.object({ number: z.number(), merged: z.boolean(), mergeCommit: commit.nullable() });
const MERGED = {
  name: "pull requests of a commit",
  permission: PULL_REQUESTS,
  parameters: ", $sha: GitObjectID!",
  fields: `object(oid: $sha) {
    ... on Commit { associatedPullRequests(first: 100) { nodes { number merged mergeCommit { oid } } } }
  }`,
  found: z.object({
    object: z.object({ associatedPullRequests: z.object({ nodes: z.array(mergedRecord) }) }).nullable(),
  }),
} as const;

const HEAD_QUERY = {
  name: "default branch",
  permission: PULL_REQUESTS,
  fields: "defaultBranchRef { target { oid } }",
  found: z.object({ defaultBranchRef: z.object({ target: commit }).nullable() }),
} as const;

const BASE_FILE = {
  name: "file of the base branch",
  permission: PULL_REQUESTS,
  parameters: ", $expression: String!",
  fields: "object(expression: $expression) { __typename ... on Blob { text isTruncated } }",
  found: z.object({
    object: z
      .object({ __typename: z.string(), text: z.string().nullish(), isTruncated: z.boolean().optional() })
      .nullable(),
  }),
} as const;

const OPEN_ISSUES = {
  name: "open issues",
  permission: ISSUES,
  parameters: ", $after: String",
  fields: `issues(states: OPEN, first: 100, after: $after, orderBy: { field: CREATED_AT, direction: ASC }) {
    nodes { ${IDENTIFIED} } ${PAGE}
  }`,
  found: z.object({ issues: z.object({ nodes: z.array(issueNode), pageInfo }) }),
} as const;

const REPOSITORY = {
  name: "repository",
  permission: ISSUES,
  fields: "id",
  found: z.object({ id: z.string() }),
} as const;

export class GitHub implements CodeHost {
  readonly #environment: Environment;
  readonly #api: Api;
  readonly #repository: { owner: string; name: string };

  constructor(environment: Environment, seconds?: ApiOptions["seconds"]) {
    const [owner = "", name = ""] = required(environment, "GITHUB_REPOSITORY", IN_WORKFLOW).split("/");
    this.#environment = environment;
    this.#repository = { owner, name };
    this.#api = new Api({
      host: "GitHub",
      variables: { address: "GITHUB_GRAPHQL_URL", token: "GITHUB_TOKEN" },
      address: environment["GITHUB_GRAPHQL_URL"] ?? "https://api.github.com/graphql",
      token: required(
        environment,
        "GITHUB_TOKEN",
        "Give the step the environment GITHUB_TOKEN: ${{ github.token }}.",
      ),
      seconds,
    });
  }

  change(): Promise<ChangeRequest> {
    const { number } = pullRequestOf(this.#environment);
    if (number === undefined)
      throw new CodeHostError(
        "This run is for no pull request, so there is nowhere to post the review. Use --github on the event pull_request.",
      );
    return this.#changeOf(number);
  }

  async mergedChange(): Promise<ChangeRequest | undefined> {
    const sha = required(this.#environment, "GITHUB_SHA", IN_WORKFLOW);
    const { repository } = await this.#ask(MERGED, { sha });
    const found = repository.object?.associatedPullRequests.nodes.find(
      ({ merged, mergeCommit }) => merged && mergeCommit?.oid === sha,
    );
    return found && this.#changeOf(found.number);
  }

  async baseFile(path: string): Promise<{ branch: string; bytes: Uint8Array | undefined }> {
    const { base: branch } = pullRequestOf(this.#environment);
    if (branch === undefined) throw new CodeHostError("This run's event doesn't name the base branch.");
    const { repository } = await this.#ask(BASE_FILE, { expression: `refs/heads/${branch}:${path}` });
    const { object } = repository;
    if (object === null) return { branch, bytes: undefined };
    if (typeof object.text !== "string" || object.isTruncated === true)
      throw new CodeHostError(`GitHub shows ${path} of ${branch} only in part, or not as a text.`);
    return { branch, bytes: Buffer.from(object.text) };
  }

  async isHead(): Promise<boolean> {
    const sha = required(this.#environment, "GITHUB_SHA", IN_WORKFLOW);
    const { repository } = await this.#ask(HEAD_QUERY);
    return repository.defaultBranchRef?.target.oid === sha;
  }

  addComment({ id }: ChangeRequest, body: string): Promise<void> {
    return this.#mutate("addComment", { subjectId: id, body }, PULL_REQUESTS);
  }

  editComment(_change: ChangeRequest, { id }: Comment, body: string): Promise<void> {
    return this.#mutate("updateIssueComment", { id, body }, PULL_REQUESTS);
  }

  removeComment(_change: ChangeRequest, { id }: Comment): Promise<void> {
    return this.#mutate("deleteIssueComment", { id }, PULL_REQUESTS);
  }

  async issues(): ReturnType<CodeHost["issues"]> {
    const issues = await allPages(async (after) => {
      const { owner, repository } = await this.#ask(OPEN_ISSUES, { after });
      return pageOf(repository.issues, owner);
    }, "The list of open issues");
    const others = issues.filter(({ isOwn }) => !isOwn);
    return {
      own: issues.filter(({ isOwn }) => isOwn),
      others: others.map((issue) => ({ ...othersText(issue), id: issue.id })),
    };
  }

  async addIssue(title: string, body: string): Promise<void> {
    const { repository } = await this.#ask(REPOSITORY);
    await this.#mutate("createIssue", { repositoryId: repository.id, title, body }, ISSUES);
  }

  editIssue({ id }: Issue, body: string): Promise<void> {
    return this.#mutate("updateIssue", { id, body }, ISSUES);
  }

  async closeIssue({ id }: Issue, body: string): Promise<void> {
    await this.#mutate("addComment", { subjectId: id, body }, ISSUES);
    await this.#mutate("closeIssue", { issueId: id }, ISSUES);
  }

  close(): Promise<void> {
    return this.#api.close();
  }

  async #changeOf(number: number): Promise<ChangeRequest> {
    let change: Omit<ChangeRequest, "comments" | "others"> | undefined;
    const comments = await allPages(async (after) => {
      const { owner, repository } = await this.#ask(CHANGE, { number, after });
      const { id, merged, comments: list } = repository.pullRequest;
      change = { id, name: `pull request #${number}`, isMerged: merged };
      return pageOf(list, owner);
    }, `The list of comments of pull request #${number}`);
    return {
      ...(change as unknown as ChangeRequest),
      comments: comments
        .filter(({ isOwn }) => isOwn)
        .map(({ id, body, url, author, editor }) => ({
          id,
          body,
          url,
          isEdited: editor !== null && !isDeepStrictEqual(editor, author),
        })),
      others: comments.filter(({ isOwn }) => !isOwn).map(othersText),
    };
  }

  async #ask<Found>(
    { name, permission, parameters = "", fields, found }: Query<Found>,
    values?: object,
  ): Promise<{ owner: string; repository: Found }> {
    const query = `query ($owner: String!, $name: String!${parameters}) {
      viewer { login }
      repository(owner: $owner, name: $name) { ${fields} }
    }`;
    const body = { query, variables: { ...this.#repository, ...values } };
    const data = z.object({ viewer: z.object({ login: z.string() }), repository: found });
    const call = { name: `the query for the ${name}`, body, permission, isRead: true };
    const { viewer, repository } = await this.#send(call, data);
    return { owner: viewer.login, repository };
  }

  async #mutate(name: string, input: object, permission: string): Promise<void> {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
    const query = `mutation ($input: ${type}) { ${name}(input: $input) { clientMutationId } }`;
    const body = { query, variables: { input } };
    await this.#send({ name, body, permission, isRead: false }, z.object({}));
  }

  async #send<Data>(
    asked: Pick<ApiCall<Data>, "name" | "body" | "permission" | "isRead">,
    data: z.ZodType<Data>,
  ): Promise<Data> {
    const call = { ...asked, method: "POST", path: "" } as const;
    const problem = z.object({ type: z.string().optional(), message: z.string() });
    // GraphQL answers refusals with 200 too.
    const refused = z.object({ errors: z.array(problem).min(1) });
    const { value } = await this.#api.send({ ...call, answer: z.union([refused, z.object({ data })]) });
    if ("data" in value) return value.data;
    const [first] = value.errors;
    const status = first?.type ?? "an error";
    const cause = REFUSALS.get(status) ?? "other";
    throw this.#api.refused(call, { cause, status, quote: first?.message ?? "" });
  }
}

const REFUSALS: ReadonlyMap<string, ApiRefusal["cause"]> = new Map([
  ["FORBIDDEN", "permission"],
  ["NOT_FOUND", "missing"],
  ["INSUFFICIENT_SCOPES", "permission"],
  ["RATE_LIMITED", "limit"],
]);

/** Returns the texts on a page, with those marked that the token's owner has written. */
function pageOf<Text extends z.infer<typeof issueNode>>(
  { nodes, pageInfo: { hasNextPage, endCursor } }: { nodes: Text[]; pageInfo: z.infer<typeof pageInfo> },
  owner: string,
): Page<Text & { isOwn: boolean }> {
  return {
    items: nodes.map((node) => ({ ...node, isOwn: isOwner(node.author, owner) })),
    next: hasNextPage ? (endCursor ?? undefined) : undefined,
  };
}

function othersText({ body, url, author, authorAssociation }: z.infer<typeof issueNode>): OthersText {
  const isTrusted = author?.__typename === "Bot" || WRITERS.has(authorAssociation);
  return { body, url, author: author?.login ?? "ghost", isTrusted: () => Promise.resolve(isTrusted) };
}

/** The nearest that GitHub tells of an author's rights. */
const WRITERS: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

/**
 * A workflow's token has the viewer `github-actions[bot]`, but the Bot `github-actions` is the author of its
 * texts.
 */
function isOwner(author: z.infer<typeof actor>, owner: string): boolean {
  if (author === null) return false;
  return owner === (author.__typename === "Bot" ? `${author.login}[bot]` : author.login);
}
