import * as z from "../../provider/zod";
import { allPages, type CheckpointPage } from "../../provider/http/pages";
import {
  type ChangeRequest,
  type CodeHost,
  CodeHostError,
  type Comment,
  type Environment,
  type Issue,
  pullRequestOf,
  required,
} from "./host";
import { Api, type ApiOptions, type ApiCall, type ApiRefusal } from "./api";

/*
 * GitHub, by its GraphQL API: the REST API tells neither whom a workflow's token belongs to nor who has
 * edited a comment.
 */

const IN_WORKFLOW = "--github works in a workflow of GitHub Actions.";
const PULL_REQUESTS =
  'The job needs "pull-requests: write" and "contents: read" below "permissions"; a pull request from a fork gets a token ' +
  "that may only read.";
const ISSUES = 'The job needs "issues: write" below "permissions".';

const actor = z.object({ __typename: z.string(), login: z.string() }).nullable();
const page = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
const viewer = z.object({ login: z.string() });

const IDENTIFIED = "id body author { __typename login }";
const issueNode = z.object({ id: z.string(), body: z.string(), author: actor });
const comment = issueNode.extend({ editor: actor });

const CHANGE = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id merged
      comments(first: 100, after: $after) {
        nodes { ${IDENTIFIED} editor { __typename login } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`;
const changeAnswer = z.object({
  viewer,
  repository: z.object({
    pullRequest: z.object({
      id: z.string(),
      merged: z.boolean(),
      comments: z.object({ nodes: z.array(comment), pageInfo: page }),
    }),
  }),
});

const MERGED = `query ($owner: String!, $name: String!, $sha: GitObjectID!) {
  repository(owner: $owner, name: $name) {
    object(oid: $sha) {
      ... on Commit { associatedPullRequests(first: 100) { nodes { number merged mergeCommit { oid } } } }
    }
  }
}`;
const mergedAnswer = z.object({
  repository: z.object({
    object: z
      .object({
        associatedPullRequests: z.object({
          nodes: z.array(
            z.object({
              number: z.number(),
              merged: z.boolean(),
              mergeCommit: z.object({ oid: z.string() }).nullable(),
            }),
          ),
        }),
      })
      .nullable(),
  }),
});

const HEAD_QUERY = `query ($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) { defaultBranchRef { target { oid } } }
}`;
const headAnswer = z.object({
  repository: z.object({ defaultBranchRef: z.object({ target: z.object({ oid: z.string() }) }).nullable() }),
});

const OPEN_ISSUES = `query ($owner: String!, $name: String!, $after: String) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    issues(states: OPEN, first: 100, after: $after, orderBy: { field: CREATED_AT, direction: ASC }) {
      nodes { ${IDENTIFIED} }
      pageInfo { hasNextPage endCursor }
    }
  }
}`;
const issuesAnswer = z.object({
  viewer,
  repository: z.object({ issues: z.object({ nodes: z.array(issueNode), pageInfo: page }) }),
});

const REPOSITORY = `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }`;
const repositoryAnswer = z.object({ repository: z.object({ id: z.string() }) });

type Query =
  | "comments of a pull request"
  | "pull requests of a commit"
  | "default branch"
  | "open issues"
  | "repository";
type Mutation =
  "addComment" | "updateIssueComment" | "deleteIssueComment" | "createIssue" | "updateIssue" | "closeIssue";

export class GitHub implements CodeHost {
  readonly name = "GitHub";
  readonly #environment: Environment;
  readonly #api: Api;
  readonly #repository: { owner: string; name: string };

  constructor(environment: Environment, seconds?: ApiOptions["seconds"]) {
    const [owner = "", name = ""] = required(environment, "GITHUB_REPOSITORY", IN_WORKFLOW).split("/");
    this.#environment = environment;
    this.#repository = { owner, name };
    this.#api = new Api({
      host: this.name,
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
    const asked = { query: MERGED, variables: { ...this.#repository, sha } };
    const { repository } = await this.#ask("pull requests of a commit", asked, mergedAnswer, PULL_REQUESTS);
    const found = repository.object?.associatedPullRequests.nodes.find(
      ({ merged, mergeCommit }) => merged && mergeCommit?.oid === sha,
    );
    return found && this.#changeOf(found.number);
  }

  async isHead(): Promise<boolean> {
    const sha = required(this.#environment, "GITHUB_SHA", IN_WORKFLOW);
    const asked = { query: HEAD_QUERY, variables: this.#repository };
    const { repository } = await this.#ask("default branch", asked, headAnswer, PULL_REQUESTS);
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

  issues(): Promise<Issue[]> {
    return allPages(async (after) => {
      const asked = { query: OPEN_ISSUES, variables: { ...this.#repository, after } };
      const { viewer: owner, repository } = await this.#ask("open issues", asked, issuesAnswer, ISSUES);
      return pageOf(repository.issues, owner.login);
    }, "The list of open issues");
  }

  async addIssue(title: string, body: string): Promise<void> {
    const asked = { query: REPOSITORY, variables: this.#repository };
    const { repository } = await this.#ask("repository", asked, repositoryAnswer, ISSUES);
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
    let change: Omit<ChangeRequest, "comments"> | undefined;
    const comments = await allPages(async (after) => {
      const asked = { query: CHANGE, variables: { ...this.#repository, number, after } };
      const answer = await this.#ask("comments of a pull request", asked, changeAnswer, PULL_REQUESTS);
      const { id, merged, comments: list } = answer.repository.pullRequest;
      change = { id, name: `pull request #${number}`, isMerged: merged };
      return pageOf(list, answer.viewer.login);
    }, `The list of comments of pull request #${number}`);
    return {
      ...(change as unknown as ChangeRequest),
      comments: comments.map(({ id, body, author, editor }) => ({
        id,
        body,
        isEdited:
          editor !== null && !(editor.__typename === author?.__typename && editor.login === author.login),
      })),
    };
  }

  async #ask<Answer>(
    name: Query,
    body: object,
    data: z.ZodType<Answer>,
    permission: string,
  ): Promise<Answer> {
    return this.#send({ name: `the query for the ${name}`, body, permission, isRead: true }, data);
  }

  async #mutate(name: Mutation, input: object, permission: string): Promise<void> {
    const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
    const query = `mutation ($input: ${type}) { ${name}(input: $input) { clientMutationId } }`;
    const body = { query, variables: { input } };
    await this.#send({ name, body, permission, isRead: false }, z.object({}));
  }

  async #send<Answer>(
    asked: Pick<ApiCall<Answer>, "name" | "body" | "permission" | "isRead">,
    data: z.ZodType<Answer>,
  ): Promise<Answer> {
    const call = { ...asked, method: "POST", path: "" } as const;
    const problem = z.object({ type: z.string().optional(), message: z.string() });
    // Where something is refused, GraphQL answers 200 all the same.
    const refused = z.object({ errors: z.array(problem).min(1) }).transform(({ errors }) => ({ errors }));
    const answer = z.union([refused, z.object({ data })]);
    const { value } = await this.#api.send({ ...call, answer });
    if ("data" in value) return value.data;
    const [first] = value.errors;
    throw this.#api.refused(call, refusalOf(first?.type ?? "an error", first?.message ?? ""));
  }
}

function refusalOf(type: string, quote: string): ApiRefusal {
  const kinds: Readonly<Record<string, ApiRefusal["kind"]>> = {
    FORBIDDEN: "permission",
    NOT_FOUND: "missing",
    INSUFFICIENT_SCOPES: "permission",
    RATE_LIMITED: "limit",
  };
  return { kind: kinds[type] ?? "other", status: type, quote };
}

/** The texts on a page that the owner of the token has written. */
function pageOf<Text extends z.infer<typeof issueNode>>(
  { nodes, pageInfo }: { nodes: Text[]; pageInfo: z.infer<typeof page> },
  owner: string,
): CheckpointPage<Text> {
  return {
    items: nodes.filter(({ author }) => isOwner(author, owner)),
    next: pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined,
  };
}

/** The viewer of a workflow's token is `github-actions[bot]`; its texts are by the Bot `github-actions`. */
function isOwner(author: z.infer<typeof actor>, owner: string): boolean {
  if (author === null) return false;
  return owner === (author.__typename === "Bot" ? `${author.login}[bot]` : author.login);
}
