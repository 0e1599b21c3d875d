import { firstOf } from "../../sentence";
import { type RoleAt } from "../../access/edge";
import { isPast } from "../../access/until";
import { type KindName } from "../../kinds";
import { type Ledger } from "../../pulumi/ledger";
import { type Request } from "../../pulumi/resource-kind";
import { type CheckedResource, type Run } from "../../pulumi/run";
import { AGAIN } from "../../review/permits";
import { type RawInputs, sortedSet } from "../../review/raw-inputs";
import { UNKNOWN } from "../../seen";
import { aloneOf, anyOf, Assignment, groupKey } from "./assignment";
import { refusal } from "./lines";
import { LISTING, parseListing } from "./listing";
import { roleOf } from "./roles-of-run";
import { type AssignmentInputs } from "./schema";

/** Puts an assignment's inputs into their one form, and records in the run what it wants. */
export function check(kind: KindName, request: Checking): { inputs: RawInputs; problems: string[] } {
  const { run } = request;
  const given = normalize(request.inputs);
  const listed = new Assignment(given);
  const { until } = listed;
  const isOver = until !== undefined && isPast(until, run.moment);
  const inputs = isOver ? { ...given, groupIds: [], exclusive: false } : given;
  const problem = endProblem(run, listed, isOver);
  // Others stay away from its groups after the end, too: it may be prolonged.
  return { inputs, problems: problem === undefined ? want(kind, request, listed, isOver) : [problem] };
}

type Checking = Request<AssignmentInputs> & { resource: CheckedResource };

function normalize({ groupIds, exclusive = false, ...inputs }: RawInputs): RawInputs {
  return { ...inputs, groupIds: Array.isArray(groupIds) ? sortedSet(groupIds) : groupIds, exclusive };
}

function endProblem({ guard: { made } }: Run, listed: Assignment, isOver: boolean): string | undefined {
  const { end, until = "" } = listed;
  return firstOf([
    [end === UNKNOWN, () => "until must be known in a preview: give it as text."],
    [!isOver && listed.hasEnded, () => EMPTY],
    [
      isOver && made !== undefined && !isPast(until, made),
      () => `until ${until} has passed since the review was made. ${AGAIN}`,
    ],
  ]);
}

const EMPTY =
  "groupIds: is empty, though until has not passed. List the groups; if ignoreChanges names groupIds, it keeps the list " +
  "empty that an earlier end has emptied: leave it out for this run.";

/** Returns the reasons if the assignment can't have what it wants. */
function want(kind: KindName, request: Checking, listed: Assignment, isOver: boolean): string[] {
  const { run, resource, given, replacedSets, secretInputs } = request;
  const { at, groups, exclusive } = listed;
  if (at === undefined) return [];
  const [replaced] = replacedSets;
  const isInTime = roleOf(run, at).elsewhere.add(parseListing(given[LISTING]), { listed, isOver, replaced });
  const problems = own(run.ledger, resource, {
    kind,
    at,
    groups,
    isNow: !isOver,
    isExclusive: !isOver && exclusive === true,
    isSecret: secretInputs.some((name) => ["organizationId", "roleId", "groupIds"].includes(name)),
  });
  return isInTime ? problems : [...problems, WITHHELD];
}

const WITHHELD =
  "groupIds: another assignment gives up a group because the program lists it here, but this one doesn't list it after all: " +
  "it has ended, or a transform has changed it. No assignment would manage the group. Take it out of the program's list.";

interface Ownership {
  kind: KindName;
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
function own(
  ledger: Ledger,
  self: CheckedResource,
  { kind, at, groups, isNow, isExclusive, isSecret }: Ownership,
): string[] {
  const [any, alone] = [anyOf(at), aloneOf(at)];
  const ownerOf = (key: string) => ledger.otherOwner(self, key);
  const keyOf = (group: string) => groupKey(at, group);
  const twice = groups.filter((group) => ownerOf(keyOf(group)) !== undefined);
  const against = isExclusive ? [alone, any] : [alone];
  const owner = [...twice.map(keyOf), ...against].map(ownerOf).find((one) => one !== undefined);
  const wants = [...groups.map(keyOf), any, ...(isExclusive ? [alone] : [])];
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
