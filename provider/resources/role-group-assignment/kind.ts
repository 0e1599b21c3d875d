import { firstOf } from "../../sentence";
import * as z from "../../zod";
import { type RoleAt, roleKey, roleOfKey } from "../../access/edge";
import { AGAIN } from "../../review/permits";
import { handlersOf } from "../../pulumi/host/lifecycle";
import { secretNames } from "../../pulumi/hidden-inputs";
import { type RawInputs, sortedSet } from "../../review/raw-inputs";
import { ifKnown, seenText, shownTexts, UNKNOWN } from "../../seen";
import { hashOf } from "../../pulumi/hosts-file";
import { type Ledger } from "../../pulumi/ledger";
import { type Consequence, type Fields, type Prior, type ResourceKind } from "../../pulumi/resource-kind";
import { type ReplacedSet } from "../../pulumi/sets";
import { type CheckedResource, type Run } from "../../pulumi/run";
import { ROLE_ID } from "../../service/ids";
import { listGroupsOf } from "../../service/role-groups";
import { apply, revokeAll } from "./apply";
import { notShownLines, refusal } from "./lines";
import { ASSIGNMENT_SETS, type Listing, LISTING, parseListing } from "./listing";
import { aloneOf, anyOf, Assignment, groupKey, inputsOfRole, roleOfInputs } from "./assignment";
import { type Granted, settleRead } from "./plan";
import { plannedEffects } from "./planned";
import { roleOf, type RoleOfRun } from "./roles-of-run";
import { type AssignmentInputs, schema } from "./schema";
import { isPast } from "../../access/until";

const groupList = z.array(z.string());

interface Variant {
  name: string;
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
    CONSEQUENCES[name] ?? (EMPTIED.includes(name) && new Assignment(inputs).hasEnded ? "always" : "update"),
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

    check({ run, resource, inputs: given, given: raw, replacedSets }) {
      const values = normalize(given);
      const listed = new Assignment(values);
      const { end, until = "" } = listed;
      const isOver = until !== "" && isPast(until, run.moment);
      const inputs = isOver ? { ...values, groupIds: [], exclusive: false } : values;
      const { made } = run.guard;
      const problem = firstOf([
        [end === UNKNOWN, () => "until must be known in a preview: give it as text."],
        [!isOver && listed.hasEnded, () => EMPTY],
        [
          isOver && made !== undefined && !isPast(until, made),
          () => `until ${until} has passed since the review was made. ${AGAIN}`,
        ],
      ]);
      if (problem !== undefined) return { inputs, problems: [problem] };
      const [replaced] = replacedSets;
      return { inputs, problems: want(name, run, resource, { listed, isOver, raw, replaced }) };
    },

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
      if (new Assignment(prior.outputs).hasEnded) return { inputs: prior.inputs };
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

function normalize({ groupIds, exclusive = false, ...inputs }: RawInputs): RawInputs {
  return { ...inputs, groupIds: Array.isArray(groupIds) ? sortedSet(groupIds) : groupIds, exclusive };
}

const EMPTY =
  "groupIds: is empty, though until has not passed. List the groups; if ignoreChanges names groupIds, it keeps the list " +
  "empty that an earlier end has emptied: leave it out for this run.";

interface Wanted {
  /** As in the program, also after the end: it may be prolonged, so others stay away from its groups. */
  listed: Assignment;
  isOver: boolean;
  raw: RawInputs;
  replaced: ReplacedSet | undefined;
}

/** Records what an assignment wants in the run; returns the reasons if it can't have it. */
function want(kind: string, run: Run, resource: CheckedResource, wanted: Wanted): string[] {
  const { listed, isOver, raw, replaced } = wanted;
  const { at, groups, hiddenGroups, exclusive } = listed;
  if (at === undefined) return [];
  const role = roleOf(run, at);
  const listing = parseListing(raw[LISTING]);
  const isComplete = listing?.isComplete === true && replaced === undefined && hiddenGroups !== UNKNOWN;
  role.addListing(listing && { ...listing, isComplete });
  const isInTime = withholdAll(role, listing, wanted);
  const problems = own(run.ledger, resource, {
    kind,
    at,
    groups,
    isNow: !isOver,
    isExclusive: !isOver && exclusive === true,
    isSecret: secretNames(raw).some((name) => ["organizationId", "roleId", "groupIds"].includes(name)),
  });
  return isInTime ? problems : [...problems, WITHHELD];
}

/**
 * Takes out of the listing what the assignment doesn't list after all: groups that a transform leaves out,
 * and all of them if it has ended since, or has another role. Returns false if that is too late.
 */
function withholdAll(
  role: RoleOfRun,
  listing: Listing | undefined,
  { listed, isOver, replaced }: Wanted,
): boolean {
  const withheld = replaced?.withheld ?? [];
  const given = listing?.role ?? role.hash;
  if (given === role.hash && !isOver) return role.withhold(withheld);
  return role.withhold([...withheld, ...listed.groups.map(hashOf)], given);
}

const WITHHELD =
  "groupIds: another assignment gives up a group because the program lists it here, but this one doesn't list it after all: " +
  "it has ended, or a transform has changed it. No assignment would manage the group. Take it out of the program's list.";

interface Ownership {
  kind: string;
  at: RoleAt;
  groups: readonly string[];
  /** False after its end. */
  isNow: boolean;
  isExclusive: boolean;
  isSecret: boolean;
}

/**
 * Two assignments that list the same group, or an exclusive one next to another, would undo each other's
 * work.
 */
function own(ledger: Ledger, self: CheckedResource, ownership: Ownership): string[] {
  const { kind, at, groups, isNow, isExclusive, isSecret } = ownership;
  const [any, alone] = [anyOf(at), aloneOf(at)];
  const [shared, against] = isExclusive
    ? [
        [any, alone],
        [alone, any],
      ]
    : [[any], [alone]];
  const ownerOf = (key: string) => ledger.otherOwner(self, key);
  const keyOf = (group: string) => groupKey(at, group);
  const twice = groups.filter((group) => ownerOf(keyOf(group)) !== undefined);
  const owner = [...twice.map(keyOf), ...against].map(ownerOf).find((one) => one !== undefined);
  const wants = [...groups.map(keyOf), ...shared];
  ledger.want(
    self,
    wants.map((key) => ({ key, isNow, isSecret })),
  );
  if (owner === undefined) return [];
  const { name = "this one" } = self;
  const isHidden = isSecret || owner.isSecret;
  const exclusive = isExclusive ? name : owner.name;
  return [
    refusal([owner.name, name].sort(), { kind, at: isHidden ? undefined : at, groups: twice, exclusive }),
  ];
}
