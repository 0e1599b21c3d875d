import { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Rights } from "./github";
import {
  type Change,
  type Issue,
  OTHER_BOT,
  OWNER,
  type Person,
  type Repository,
  type Text,
  WRITER,
} from "./repository";

/*
 * The part of GitLab's REST API that reviews need: https://docs.gitlab.com/api/notes/, /api/issues/,
 * /api/commits/.
 */

const LONGEST_BODY = 1_000_000;
const MOST_PER_PAGE = 100;

class Refused extends Error {
  constructor(
    readonly statusCode: number,
    message: string,
  ) {
    super(message);
  }
}

interface Params {
  iid: string;
  note: string;
  sha: string;
  file: string;
}
interface Body {
  body?: string;
  title?: string;
  description?: string;
  state_event?: string;
}
type Request = FastifyRequest<{ Params: Params; Body: Body; Querystring: Record<string, string> }>;

export function addGitlabRoutes(app: FastifyInstance, repository: Repository, rights: Rights): void {
  const project = `/api/v4/projects/${repository.projectId}`;
  const change = ({ params: { iid } }: Request) =>
    found(repository.changes.find(({ number }) => number === Number(iid)));
  const issue = ({ params: { iid } }: Request) =>
    found(repository.issues.find(({ id }) => id === Number(iid)));
  const note = ({ params: { note: id } }: Request) => found(repository.comment(Number(id)));
  const add = (method: "GET" | "POST" | "PUT" | "DELETE", path: string, answer: Answer) =>
    app.route<{ Params: Params; Body: Body; Querystring: Record<string, string> }>({
      method,
      url: path,
      handler: (request, reply) => {
        if (!rights.read) throw new Refused(404, "404 Project Not Found");
        if (method !== "GET" && !rights.write) throw new Refused(403, "403 Forbidden");
        return answer(request, reply);
      },
    });

  app.get("/api/v4/user", () => ({ id: OWNER.id, username: "project_17_bot" }));
  add("GET", `${project}/merge_requests/:iid`, (request) => mergeRequest(change(request)));
  add("GET", `${project}/merge_requests/:iid/notes`, (request, reply) =>
    paged(request, reply, change(request).comments.map(noteOf)),
  );
  add("POST", `${project}/merge_requests/:iid/notes`, (request, reply) => {
    reply.code(201);
    return noteOf(repository.addComment(change(request), checked(request.body.body)));
  });
  add("PUT", `${project}/merge_requests/:iid/notes/:note`, (request) => {
    const { comment } = note(request);
    repository.edit(comment, checked(request.body.body));
    return noteOf(comment);
  });
  add("DELETE", `${project}/merge_requests/:iid/notes/:note`, (request, reply) => {
    const { comment, thread } = note(request);
    thread.comments.splice(thread.comments.indexOf(comment), 1);
    reply.code(204);
    return null;
  });
  add("GET", `${project}/repository/commits/:sha/merge_requests`, (request, reply) =>
    paged(
      request,
      reply,
      repository.changes.filter(({ commit }) => commit === request.params.sha).map(mergeRequest),
    ),
  );
  add("GET", `${project}/repository/files/:file`, ({ params: { file }, query: { ref = "" } }) => ({
    encoding: "base64",
    content: Buffer.from(found(repository.files.get(`${ref}:${file}`))).toString("base64"),
  }));
  add("GET", `${project}/repository/branches/main`, () => ({
    name: "main",
    commit: { id: repository.head },
  }));
  add("GET", `${project}/members/all/:iid`, ({ params: { iid } }) => {
    const person = found([WRITER, OTHER_BOT].find(({ id }) => id === Number(iid)));
    return { id: person.id, access_level: person.isBot ? 20 : 30 };
  });
  add("GET", `${project}/issues`, (request, reply) => {
    const { state, author_id: author } = request.query;
    const issues = repository.issues.filter(
      (one) =>
        (state === undefined || (state === "opened") === one.isOpen) &&
        (author === undefined || one.author.id === Number(author)),
    );
    return paged(request, reply, issues.map(issueOf));
  });
  add("POST", `${project}/issues`, ({ body: { title = "", description } }, reply) => {
    reply.code(201);
    return issueOf(repository.addIssue(title, checked(description)));
  });
  add("PUT", `${project}/issues/:iid`, (request) => {
    const one = issue(request);
    if (request.body.description !== undefined) repository.edit(one, checked(request.body.description));
    if (request.body.state_event === "close") one.isOpen = false;
    return issueOf(one);
  });
  add("POST", `${project}/issues/:iid/notes`, (request, reply) => {
    reply.code(201);
    return noteOf(repository.addComment(issue(request), checked(request.body.body)));
  });
}

type Answer = (request: Request, reply: FastifyReply) => unknown;

/** 20 a page unless asked for more, and never more than 100. The last page names no next one. */
function paged(request: Request, reply: FastifyReply, items: unknown[]): unknown[] {
  const { per_page: perPage = "20", page = "1" } = request.query;
  const size = Math.min(Number(perPage), MOST_PER_PAGE);
  const pages = Math.max(1, Math.ceil(items.length / size));
  const isLast = Number(page) >= pages;
  reply.headers({ "x-page": page, "x-per-page": size, "x-next-page": isLast ? "" : Number(page) + 1 });
  return items.slice((Number(page) - 1) * size, Number(page) * size);
}

function mergeRequest({ number, isMerged, commit }: Change) {
  return {
    iid: number,
    web_url: `https://gitlab.example/example/access/-/merge_requests/${number}`,
    state: isMerged ? "merged" : "opened",
    sha: "0".repeat(40),
    merge_commit_sha: commit ?? null,
    squash_commit_sha: null,
  };
}

function noteOf({ id, author, body, isSystem = false }: Text) {
  return { id, body, system: isSystem, author: userOf(author) };
}

/** Tokens of a project have a bot as user. */
function userOf({ id, login, isBot }: Person) {
  return { id, username: isBot ? `project_17_bot_${id}` : login };
}

function issueOf({ id, title, body, author, isOpen }: Issue) {
  return {
    iid: id,
    title,
    description: body,
    state: isOpen ? "opened" : "closed",
    web_url: `https://gitlab.example/example/access/-/issues/${id}`,
    author: userOf(author),
  };
}

function found<It>(it: It | undefined): It {
  if (it === undefined) throw new Refused(404, "404 Not found");
  return it;
}

function checked(body = ""): string {
  if (body.length > LONGEST_BODY)
    throw new Refused(
      400,
      `400 Bad request - Note {:note=>["is too long (maximum is ${LONGEST_BODY} characters)"]}`,
    );
  return body;
}
