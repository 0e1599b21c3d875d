import * as z from "../../zod";
import { roleKey, roleOfKey } from "../../access/edge";
import { type KindName } from "../../kinds";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { sortedSet } from "../../review/raw-inputs";
import { ifKnown, seenText, shownTexts } from "../../seen";
import { type Consequence, type Fields, type Prior, type ResourceKind } from "../../pulumi/resource-kind";
import { ROLE_ID } from "../../service/ids";
import { listGroupsOf } from "../../service/role-groups";
import { apply, revokeAll } from "./apply";
import { check } from "./check";
import { notShownLines } from "./lines";
import { ASSIGNMENT_SETS } from "./listing";
import { Assignment, hasEnded, inputsOfRole, roleOfInputs } from "./assignment";
import { type Granted, settleRead } from "./plan";
import { plannedEffects } from "./planned";
import { roleOf } from "./roles-of-run";
import { type AssignmentInputs, schema } from "./schema";

const groupList = z.array(z.string());

interface Variant {
  name: KindName;
  schema: Fields<AssignmentInputs>["schema"];
  id: z.ZodType<string>;
}

const CONSEQUENCES: Readonly<Record<string, Consequence>> = {
  organizationId: "replace",
  roleId: "replace",
};

/** `check` empties them after the end. */
const EMPTIED: readonly string[] = ["groupIds", "exclusive"];

const FIELDS: Omit<Fields<AssignmentInputs>, "schema" | "id"> = {
  sets: ASSIGNMENT_SETS,
  reliedOn: ["organizationId", "roleId", "groupIds", "exclusive", "until"],
  consequence: (name, { inputs }) =>
    CONSEQUENCES[name] ?? (EMPTIED.includes(name) && hasEnded(inputs) ? "always" : "update"),
  openId: ({ organizationId }) => ({ input: "roleId", prefix: "rol_", find: getRoleCall(organizationId) }),
  state: {
    types: z.looseObject({
      organizationId: z.string().optional(),
      roleId: z.string(),
      groupIds: groupList,
      exclusive: z.boolean(),
      deleteOnDestroy: z.boolean().optional(),
      others: groupList.optional(),
      unconfirmed: groupList.optional(),
      unfinished: z.boolean().optional(),
      until: z.string().optional(),
    }),
    // Groups that an exclusive assignment still has to remove are drift, but not its own.
    inputsIn: ({ organizationId, roleId, groupIds, exclusive, deleteOnDestroy, until, others }) =>
      ({
        organizationId,
        roleId,
        groupIds: others === undefined ? groupIds : union(groupIds, others),
        exclusive,
        deleteOnDestroy,
        until,
      }) as AssignmentInputs,
  },
};

/** The kind of an assignment in the tenant, or in an organization. */
export function assignmentKind({ name, ...variant }: Variant): ResourceKind<AssignmentInputs> {
  return {
    name,
    fields: { ...FIELDS, ...variant },

    check: (request) => check(name, request),
    effects: plannedEffects,

    create: async (request) => ({
      id: roleKey(roleOfInputs(request.inputs)),
      ...(await apply(request, new Assignment())),
    }),

    async read({ client, run, id: key, prior, tell }) {
      const at = roleOfKey(key);
      if (prior === undefined) {
        const groupIds = sortedSet(await listGroupsOf(client, at));
        return { inputs: { ...inputsOfRole(at), groupIds, exclusive: false } };
      }
      const assigned = sortedSet(await roleOf(run, at).refresh(client));
      // An assignment that has ended stays in state until it's removed or prolonged.
      if (hasEnded(prior.outputs)) return { inputs: prior.inputs };
      const granted = grantedBy(prior);
      const { groups, unseen, others } = settleRead(granted, assigned, prior.inputs.exclusive);
      tell(...notShownLines(at, unseen));
      if (groups.length + others.length === 0) return undefined;
      return {
        inputs: { ...prior.inputs, groupIds: sortedSet([...groups, ...others]) },
        outputs: { ...(others.length > 0 && { groupIds: sortedSet(groups), others }) },
        ...(unseen.length > 0 && unseen.length === granted.groups.length && { isAssumed: true }),
      };
    },

    update: (request) => apply(request, grantedBy(request.prior)),

    delete: revokeAll,
  };
}

export const roleGroupAssignmentKind = assignmentKind({
  name: "RoleGroupAssignment",
  schema,
  id: ROLE_ID,
});

export const roleGroupAssignment = handlersOf(roleGroupAssignmentKind);

/** `getRole({ name: "support-agent" })` */
function getRoleCall(organizationId: unknown): (name: string) => string {
  const where =
    organizationId === undefined
      ? ""
      : `, organization: ${JSON.stringify(ifKnown(seenText(organizationId)) ?? "…")}`;
  return (name) => `getRole({ name: ${name}${where} })`;
}

function grantedBy({ outputs, isJustWritten }: Prior<AssignmentInputs>): Granted {
  const { groups, unconfirmed } = new Assignment(outputs);
  return { groups, unconfirmed, isJustWritten };
}

function union(groups: unknown, others: unknown): string[] {
  return sortedSet([...shownTexts(groups), ...shownTexts(others)]);
}
