import type * as pulumi from "@pulumi/pulumi";
import { type EngineEvent, LocalWorkspace } from "@pulumi/pulumi/automation";
import { ConnectionProfile, RoleGroupAssignment } from "pulumi-identity";

export interface Customer {
  /** Names the customer's stack and profile. */
  name: string;
  roleId: string;
  groupIds: string[];
}

/** The customer's program. It has no data sources, so settings may also be in the workspace's `envVars`. */
export function program({ name, roleId, groupIds }: Customer): {
  profileId: pulumi.Output<string>;
  groupIds: pulumi.Output<string[]>;
} {
  const profile = new ConnectionProfile(name, { name, connectionNamePrefixTemplate: "con-{org_id}" });
  // Nobody gets access before the customer can be connected.
  const access = new RoleGroupAssignment(name, { roleId, groupIds }, { dependsOn: profile });
  return { profileId: profile.id, groupIds: access.groupIds };
}

/** Creates or updates the customer's stack, and answers the profile's id. Each step is told as it is done. */
export async function onboard(customer: Customer, tell: (line: string) => void): Promise<string> {
  if (!/^[a-z][a-z0-9-]{0,49}$/.test(customer.name))
    throw new Error("name: must be letters, digits and hyphens.");
  const stack = await LocalWorkspace.createOrSelectStack({
    projectName: "customers",
    stackName: customer.name,
    program: () => Promise.resolve(program(customer)),
  });
  // The CLI's error holds all that it printed. What the resources say is in the events.
  const problems: string[] = [];
  const onEvent = (event: EngineEvent): void => {
    const { op, type = "", urn = "" } = event.resOutputsEvent?.metadata ?? {};
    const [, kind] = /^pulumi-nodejs:dynamic\/identity:(\w+)$/.exec(type) ?? [];
    if (kind !== undefined && op !== "same") tell(`${op} ${kind} ${urn.split("::").at(-1)}`);
    if (event.diagnosticEvent?.severity === "error") problems.push(event.diagnosticEvent.message.trim());
  };
  try {
    const { outputs } = await stack.up({ onEvent, color: "never" });
    return String(outputs.profileId.value);
  } catch (error) {
    throw problems.length > 0 ? new Error(problems.join("\n")) : error;
  }
}
