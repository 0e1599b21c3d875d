import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { buildSchema, graphql, GraphQLError, type GraphQLSchema } from "graphql";
import { OWNER, type Person, type Repository, type Text } from "./repository";

/*
 * The part of GitHub's GraphQL API that reviews need, on GitHub's own schema: a query that GitHub would
 * reject fails here too.
 */

const LONGEST_BODY = 65_536;
const MOST_PER_PAGE = 100;

let schema: GraphQLSchema | undefined;
// The package exports only an ES module, which Jest can't load.
const schemaFile = resolve(__dirname, "../../node_modules/@octokit/graphql-schema/schema.graphql");

/** Reading it takes a second or more. */
export function githubSchema(): GraphQLSchema {
  schema ??= buildSchema(readFileSync(schemaFile, "utf8"), { assumeValid: true });
  return schema;
}

export interface Rights {
  read: boolean;
  write: boolean;
}

export async function answerGraphql(
  repository: Repository,
  rights: Rights,
  { query, variables }: { query: string; variables: Record<string, unknown> },
): Promise<object> {
  const { data, errors } = await graphql({
    schema: githubSchema(),
    source: query,
    variableValues: variables,
    rootValue: { ...queries(repository, rights), ...mutations(repository, rights) },
  });
  if (errors === undefined) return { data };
  const shown = errors.map(({ message, path, extensions }) => ({
    ...("type" in extensions && { type: extensions["type"] }),
    ...(path && { path }),
    message,
  }));
  return { ...(data !== undefined && { data }), errors: shown };
}

function queries(repository: Repository, { read }: Rights) {
  return {
    viewer: { login: loginOfViewer(OWNER) },
    repository: ({ owner, name }: { owner: string; name: string }) => {
      if (!read || owner !== repository.owner || name !== repository.name)
        throw problem("NOT_FOUND", `Could not resolve to a Repository with the name '${owner}/${name}'.`);
      return {
        id: "R_1",
        pullRequest: ({ number }: { number: number }) => pullRequest(repository, number),
        defaultBranchRef: { target: { __typename: "Commit", oid: repository.head } },
        object: ({ oid, expression }: { oid?: string; expression?: string }) =>
          oid === undefined ? blob(repository, expression ?? "") : commit(repository, oid),
        issues: (page: Page) =>
          connection(repository.issues.filter(({ isOpen }) => isOpen).map(issueNode), page),
      };
    },
  };
}

function pullRequest(repository: Repository, number: number) {
  const change = repository.changes.find((one) => one.number === number);
  if (change === undefined)
    throw problem("NOT_FOUND", `Could not resolve to a PullRequest with the number of ${number}.`);
  return {
    id: `PR_${number}`,
    number,
    merged: change.isMerged,
    mergeCommit: change.commit === undefined ? null : { oid: change.commit },
    comments: (page: Page) =>
      connection(change.comments.filter(({ isSystem }) => !isSystem).map(commentNode), page),
  };
}

function blob(repository: Repository, expression: string) {
  const text = repository.files.get(expression.replace("refs/heads/", ""));
  return text === undefined ? null : { __typename: "Blob", text, isTruncated: false };
}

function commit(repository: Repository, oid: string) {
  const found = repository.changes.filter(({ commit: merged }) => merged === oid);
  return {
    __typename: "Commit",
    associatedPullRequests: (page: Page) =>
      connection(
        found.map(({ number }) => pullRequest(repository, number)),
        page,
      ),
  };
}

function mutations(repository: Repository, { write }: Rights) {
  const allowed = () => {
    if (!write) throw problem("FORBIDDEN", "Resource not accessible by integration");
  };
  const numberOf = (id: string) => Number(id.split("_")[1]);
  const found = <Found>(id: string, it: Found | undefined): Found => {
    if (it === undefined)
      throw problem("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
    return it;
  };
  const issue = (id: string) =>
    found(
      id,
      repository.issues.find((one) => `I_${one.id}` === id),
    );
  return {
    addComment: ({ input: { subjectId, body } }: Input<{ subjectId: string; body: string }>) => {
      allowed();
      const change = repository.changes.find(({ number }) => `PR_${number}` === subjectId);
      repository.addComment(change ?? issue(subjectId), checked(body));
      return {};
    },
    updateIssueComment: ({ input: { id, body } }: Input<{ id: string; body: string }>) => {
      allowed();
      repository.edit(found(id, repository.comment(numberOf(id))).comment, checked(body));
      return {};
    },
    deleteIssueComment: ({ input: { id } }: Input<{ id: string }>) => {
      allowed();
      const { comment, thread } = found(id, repository.comment(numberOf(id)));
      thread.comments.splice(thread.comments.indexOf(comment), 1);
      return {};
    },
    createIssue: ({ input: { title, body } }: Input<{ title: string; body: string }>) => {
      allowed();
      repository.addIssue(title, checked(body));
      return {};
    },
    updateIssue: ({ input: { id, body } }: Input<{ id: string; body: string }>) => {
      allowed();
      repository.edit(issue(id), checked(body));
      return {};
    },
    closeIssue: ({ input: { issueId } }: Input<{ issueId: string }>) => {
      allowed();
      issue(issueId).isOpen = false;
      return {};
    },
  };
}

interface Input<Fields> {
  input: Fields;
}

interface Page {
  first?: number;
  after?: string | null;
}

function connection<Node>(nodes: Node[], { first, after }: Page) {
  if (first === undefined)
    throw problem("MISSING_PAGINATION_BOUNDARIES", "You must provide a `first` or `last` value");
  if (first > MOST_PER_PAGE)
    throw problem(
      "EXCESSIVE_PAGINATION",
      `Requesting ${first} records exceeds the \`first\` limit of 100 records.`,
    );
  const start = after ? Number(Buffer.from(after, "base64").toString()) : 0;
  const end = Math.min(start + first, nodes.length);
  return {
    nodes: nodes.slice(start, end),
    pageInfo: {
      hasNextPage: end < nodes.length,
      endCursor: end === start ? null : Buffer.from(`${end}`).toString("base64"),
    },
  };
}

function commentNode(comment: Text) {
  return { ...textNode(comment), id: `IC_${comment.id}`, url: urlOf(`#issuecomment-${comment.id}`) };
}

function issueNode(issue: Text) {
  return { ...textNode(issue), id: `I_${issue.id}`, url: urlOf(`/${issue.id}`) };
}

function urlOf(path: string): string {
  return `https://github.example/example/access/issues${path}`;
}

function textNode({ body, author, editor }: Text) {
  const authorAssociation = author.isWriter === true ? "COLLABORATOR" : "NONE";
  return {
    body,
    authorAssociation,
    author: actor(author),
    editor: editor === undefined ? null : actor(editor),
  };
}

/** A bot's name has no brackets as an author, but has them as the viewer. */
function actor({ login, isBot }: Person) {
  return { __typename: isBot ? "Bot" : "User", login };
}

function loginOfViewer({ login, isBot }: Person): string {
  return isBot ? `${login}[bot]` : login;
}

function checked(body: string): string {
  if (body.length > LONGEST_BODY)
    throw problem("UNPROCESSABLE", `Body is too long (maximum is ${LONGEST_BODY} characters)`);
  return body;
}

function problem(type: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { type } });
}
