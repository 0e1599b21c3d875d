import { tmpdir } from "node:os";
import { askAccess, type AccessRequest } from "../../cli/access/ask";
import { csvLines } from "../../cli/access/csv";
import { type Access } from "../../cli/access/document";
import { formatted } from "../../cli/access/formats";
import { type AccessJson, accessSchema } from "../../cli/access/model";
import { readRules } from "../../cli/rules/file";
import { type SeedInput, type Simulator } from "../../simulator";
import { DEFAULT_SEED } from "../../simulator/default-seed";
import { violations } from "../json-schemas";
import { environmentOf, useSimulator } from "../simulator";

const TYPE = "pulumi-nodejs:dynamic/identity:";
const SIGNATURE = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** A secret as `pulumi stack export` writes it, and with `--show-secrets`. */
export const encrypted = { ...SIGNATURE, ciphertext: "v1:c2VjcmV0" };
export const inClear = (value: unknown) => ({ ...SIGNATURE, plaintext: JSON.stringify(value) });

/** An assignment in the state of a stack; `more`: members of the resource. */
export function assignment(role: string, groups: unknown, outputs: object = {}, more: object = {}): object {
  return { type: `${TYPE}RoleGroupAssignment`, id: role, outputs: { groupIds: groups, ...outputs }, ...more };
}

export const ACME = "org_5vJmTq8XbRz3kWcY";
export const GLOBEX = "org_9sJdYp3LfGe7uXaK";

/** An assignment in an organization. */
export function inOrganization(
  organizationId: string,
  roleId: string,
  groups: unknown,
  outputs: object = {},
): object {
  return {
    ...assignment(`${organizationId}/${roleId}`, groups, { organizationId, roleId, ...outputs }),
    type: `${TYPE}OrganizationRoleGroupAssignment`,
  };
}

export const rules = (text: string) => readRules({ file: "rules.yaml", text });

/** The output of `pulumi stack export`; resources by name, in the order of their lines. */
export function state(
  tenant: string,
  stack: string,
  resources: Record<string, object>,
): AccessRequest["exports"][number] {
  const [project = "", name = ""] = stack.split("/");
  const all = Object.entries(resources).map(([resource, fields], index) => {
    const { type, outputs } = fields as { type: string; outputs: object };
    return {
      sourcePosition: `project:///index.ts#${index + 1},1`,
      ...fields,
      urn: `urn:pulumi:${name}::${project}::${type}::${resource}`,
      outputs: { tenant, ...outputs },
    };
  });
  return { file: `${name}.json`, text: JSON.stringify({ version: 3, deployment: { resources: all } }) };
}

/** A tenant, and a stack `access/prod` with assignments on it. */
export function useAccess(): {
  simulator: Simulator;
  host: () => string;
  /** Fills the tenant from the default seed, and forgets what it was asked. */
  seed: (more: SeedInput) => void;
  /** The same, with these groups for the two roles, and nobody who has them directly. */
  holders: (groups: Record<string, string[]>, more?: SeedInput) => void;
  stateOf: (resources: Record<string, object>, stack?: string) => AccessRequest["exports"][number];
  /** Returns the command's answer for these assignments of the stack. */
  ask: (resources: Record<string, object>, request?: Partial<AccessRequest>) => Promise<Access>;
} {
  const simulator = useSimulator();
  const host = () => new URL(simulator.url).host;
  const stateOf = (resources: Record<string, object>, stack = "access/prod") =>
    state(host(), stack, resources);
  const seed = (more: SeedInput) => {
    simulator.seed({ ...DEFAULT_SEED, ...more });
    simulator.reset();
  };
  return {
    simulator,
    host,
    seed,
    holders: (groups, more) => {
      const roles = DEFAULT_SEED.roles?.map((role) => ({ ...role, groups: groups[role.id] ?? [] })) ?? [];
      seed({ users: [], roles, ...more });
    },
    stateOf,
    ask: (resources, request) => asked(simulator, { exports: [stateOf(resources)], ...request }),
  };
}

/** Returns the command's answer. */
export function asked(
  tenant: Pick<Simulator, "url" | "clientId" | "clientSecret">,
  request: Partial<AccessRequest>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Access> {
  return askAccess({
    role: [],
    group: [],
    stack: [],
    exports: [],
    folder: tmpdir(),
    environment: { PATH: "", ...environmentOf(tenant), ...settings },
    ...request,
  });
}

/** Returns an answer's JSON, after checking that the schema knows every member. */
export function jsonOf(access: Access): AccessJson {
  const json = JSON.parse(formatted(access, "json")) as AccessJson;
  expect(accessSchema.parse(json)).toEqual(json);
  expect(violations("access", json)).toEqual([]);
  return json;
}

/** The rows of its CSV, by column. */
export function csvRows(access: Access): Record<string, string>[] {
  const [head, ...rows] = csvLines(formatted(access, "csv"));
  return rows.map(({ cells }) =>
    Object.fromEntries((head?.cells ?? []).map((name, at) => [name, cells[at] ?? ""])),
  );
}

/** `support-agent: support-desk unmanaged; directory-admins drift by support in access/prod (index.ts:1)` */
export function lines({ roles }: AccessJson): string[] {
  return roles.flatMap(({ id, name, groups, secret }) => [
    ...groups.map((group) => {
      const by = group.by.map((claim) => {
        const notes = (["unconfirmed", "ending", "secret"] as const).filter((flag) => claim[flag]);
        const line = claim.line === null ? "" : `:${claim.line.line}`;
        return [`${claim.resource}${line} in ${claim.stack}`, ...notes].join(", ");
      });
      const why = by.length === 0 ? "" : ` by ${by.join(" and ")}`;
      return `${name ?? id}: ${group.name ?? group.id} ${group.status}${why}`;
    }),
    ...secret.map(({ resource }) => `${name ?? id}: secret ${resource}`),
  ]);
}

/** Beginnings of cells that a spreadsheet takes for a formula; the wide ones in some languages. */
export const FORMULA = /^\s*[=+\-@\t\r＝＋－＠]/;

/** Splits a line into cells as a spreadsheet does: quotes count only at the beginning of a cell. */
export function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    let cell = "";
    if (line[at] === '"') {
      for (at++; at < line.length; at++) {
        if (line[at] !== '"') cell += line[at];
        else if (line[at + 1] === '"') cell += line[at++];
        else break;
      }
      at++;
    }
    const end = line.indexOf(separator, at);
    cells.push(cell + line.slice(at, end < 0 ? undefined : end));
    if (end < 0) return cells;
    at = end + 1;
  }
}
