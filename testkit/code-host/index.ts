import Fastify, { type FastifyReply } from "fastify";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answerGraphql, githubSchema } from "./github";
import { addGitlabRoutes } from "./gitlab";
import { Repository } from "./repository";

/** The answer to one request in place of the API's. */
export type Fault =
  | { status: number; headers?: Record<string, string>; body?: string }
  | "hang"
  | "drop"
  | "drop after it is done";

interface JobOf {
  number?: number;
  commit?: string;
  /** Its name. */
  job?: string;
}

/** GitHub and GitLab in one server, with one repository. */
export class StandIn {
  readonly token = "ghs_16C7e42F292c6912E7710c838347Ae178B4a";
  readonly repository = new Repository();
  readonly rights = { read: true, write: true };
  /** `POST /graphql addComment`, `GET /api/v4/user`, … */
  readonly requests: string[] = [];
  readonly #faults: (Fault | undefined)[] = [];
  readonly #meanwhile = new Map<number, () => void>();
  readonly #folder = mkdtempSync(join(tmpdir(), "pulumi-identity-code-host-"));
  readonly #app = Fastify({ bodyLimit: 16 * 1024 * 1024, forceCloseConnections: true });

  async open(): Promise<void> {
    githubSchema();
    this.#app.addHook("preHandler", async (request, reply) => {
      const { query } = (request.body ?? {}) as { query?: string };
      const operation = query === undefined ? "" : ` ${/^mutation .*?\{ (\w+)/.exec(query)?.[1] ?? "query"}`;
      this.requests.push(`${request.method} ${request.url}${operation}`);
      this.#meanwhile.get(this.requests.length)?.();
      const fault = this.#faults.shift();
      if (fault !== undefined) return this.#fail(fault, reply);
      if (request.headers.authorization !== `Bearer ${this.token}`)
        return reply
          .code(401)
          .send({ message: query === undefined ? "401 Unauthorized" : "Bad credentials" });
    });
    this.#app.post<{ Body: { query: string; variables: Record<string, unknown> } }>("/graphql", ({ body }) =>
      answerGraphql(this.repository, this.rights, body),
    );
    addGitlabRoutes(this.#app, this.repository, this.rights);
    await this.#app.listen({ host: "127.0.0.1", port: 0 });
  }

  async close(): Promise<void> {
    await this.#app.close();
    rmSync(this.#folder, { recursive: true });
  }

  /** Answers the next requests like this, one each. */
  fail(...faults: Fault[]): void {
    this.#faults.push(...faults);
  }

  /** Answers the request after the next `count` ones like this. */
  failAfter(count: number, fault: Fault): void {
    this.#faults.push(...Array.from({ length: count }, () => undefined), fault);
  }

  /** Somebody else does this after so many requests, before the next answer. */
  before(requests: number, act: () => void): void {
    this.#meanwhile.set(requests + 1, act);
  }

  #fail(fault: Fault, reply: FastifyReply): unknown {
    if (fault === "hang") return new Promise(() => undefined);
    if (fault === "drop") return reply.raw.destroy();
    if (fault === "drop after it is done") {
      reply.raw.write = () => reply.raw.destroy() as unknown as boolean;
      reply.raw.end = () => reply.raw.destroy();
      return undefined;
    }
    const { status, headers = {}, body = "" } = fault;
    return reply.code(status).headers(headers).send(body);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#app.server.address() as AddressInfo).port}`;
  }

  /** The environment of a job of GitHub Actions, for a pull request or for a commit. */
  github({ number, commit = "f".repeat(40), job = "review" }: JobOf): Record<string, string> {
    const event = join(this.#folder, `event-${number ?? "push"}.json`);
    const pullRequest = { number, head: { sha: "e".repeat(40) }, base: { ref: "main" } };
    writeFileSync(event, JSON.stringify(number === undefined ? {} : { pull_request: pullRequest }));
    return {
      GITHUB_TOKEN: this.token,
      GITHUB_GRAPHQL_URL: `${this.url}/graphql`,
      GITHUB_REPOSITORY: `${this.repository.owner}/${this.repository.name}`,
      GITHUB_EVENT_PATH: event,
      GITHUB_SHA: commit,
      GITHUB_WORKFLOW_REF: `example/access/.github/workflows/${job}.yml@refs/heads/main`,
      GITHUB_JOB: job,
      GITHUB_SERVER_URL: "https://github.example",
      GITHUB_RUN_ID: "4711",
      GITHUB_RUN_NUMBER: "17",
    };
  }

  /** The environment of a job of GitLab CI. */
  gitlab({ number, commit = "f".repeat(40), job = "review" }: JobOf): Record<string, string> {
    return {
      GITLAB_TOKEN: this.token,
      CI_API_V4_URL: `${this.url}/api/v4`,
      CI_PROJECT_ID: String(this.repository.projectId),
      ...(number !== undefined && {
        CI_MERGE_REQUEST_IID: String(number),
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME: "main",
      }),
      CI_COMMIT_SHA: commit,
      CI_DEFAULT_BRANCH: "main",
      CI_JOB_NAME: job,
      CI_JOB_ID: "4711",
      CI_JOB_URL: "https://gitlab.example/example/access/-/jobs/4711",
    };
  }
}
