import { type ApiOptions } from "./api";
import { GitHub } from "./github";
import { GitLab } from "./gitlab";
import { type CodeHost, type Environment } from "./host";

export type HostName = "github" | "gitlab";

export function openCodeHost(
  name: HostName,
  environment: Environment,
  seconds?: ApiOptions["seconds"],
): CodeHost {
  return name === "github" ? new GitHub(environment, seconds) : new GitLab(environment, seconds);
}
