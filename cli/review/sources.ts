import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { type Environment } from "../code-host/host";
import { pullRequestOf } from "../pull-request-event";

/** The commit that is reviewed. On GitHub a pull request runs on a merge that nobody else knows. */
export function commitOf(environment: Environment): string | undefined {
  return pullRequestOf(environment).sha ?? environment["GITHUB_SHA"] ?? environment["CI_COMMIT_SHA"];
}

/** What the addresses of source files begin with; with a slash at its end. */
export function sourceOf(given: string | undefined, environment: Environment): string | undefined {
  if (given !== undefined) return given.endsWith("/") ? given : `${given}/`;
  const commit = commitOf(environment);
  if (commit === undefined) return undefined;
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, CI_PROJECT_URL: project } = environment;
  if (server !== undefined && repository !== undefined)
    return `${server}/${repository}/blob/${commit}/${folder(environment["GITHUB_WORKSPACE"])}`;
  if (project !== undefined) return `${project}/-/blob/${commit}/${folder(environment["CI_PROJECT_DIR"])}`;
  return undefined;
}

/** Where the Pulumi project is within the repository, if this runs in it: the places in a preview are relative to it. */
function folder(workspace: string | undefined): string {
  if (workspace === undefined || !existsSync("Pulumi.yaml")) return "";
  const path = relative(workspace, process.cwd());
  return path === "" || path.startsWith("..") ? "" : `${join(path).replaceAll("\\", "/")}/`;
}
