import { tmpdir } from "node:os";
import { askAccess } from "../../cli/access/ask";
import { formatted } from "../../cli/access/formats";
import { type AccessJson, accessSchema } from "../../cli/access/model";
import { readRules } from "../../cli/rules/file";
import { urnOf } from "../../testkit/engine/state";
import { type Violation } from "./claims";
import { isAssignment, type Records, rolesIn } from "./places";
import { type Known, type Settings } from "../../testkit/worlds/stage";

/*
 * The correct answers of `access` at the end of a world's story, derived from tenant and state. Nothing here
 * knows how the command compares them.
 */

/** Returns the command's answer about a tenant, given the world's state. */
export async function answerOf(
  tenant: Settings,
  known: readonly Known[],
  rules?: string,
): Promise<AccessJson> {
  const answer = await askAccess({
    role: [],
    group: [],
    stack: [],
    organization: ["all"],
    people: true,
    exports: [{ file: "state.json", text: exported(known) }],
    rules: rules === undefined ? undefined : readRules({ file: "rules.json", text: rules }),
    folder: tmpdir(),
    environment: {
      PATH: "",
      IDENTITY_DOMAIN: tenant["identity:domain"],
      IDENTITY_CLIENT_ID: tenant["identity:clientId"],
      IDENTITY_CLIENT_SECRET: tenant["identity:clientSecret"],
    },
  });
  return accessSchema.parse(JSON.parse(formatted(answer, "json")));
}

const ENCRYPTED = {
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  ciphertext: "v1:c2VjcmV0",
};

/** In the form of `pulumi stack export`. */
function exported(known: readonly Known[]): string {
  const resources = known.map(({ state, isPendingDelete }) => {
    const { kind, id, outputs, secrets, external, pendingReplacement, retainOnDelete } = state;
    const isSecret = (key: string) => secrets.some(([first]) => first === key);
    return {
      urn: urnOf(state),
      type: `pulumi-nodejs:dynamic/identity:${kind}`,
      id,
      outputs: Object.fromEntries(
        Object.entries(outputs).map(([key, value]) => [key, isSecret(key) ? ENCRYPTED : value]),
      ),
      external,
      pendingReplacement,
      retainOnDelete,
      delete: isPendingDelete,
    };
  });
  return JSON.stringify({ version: 3, deployment: { resources } });
}

/** Returns the differences between an answer, and tenant and state. */
export function accessClaims(answer: AccessJson, known: readonly Known[], tenant: Tenant): Violation[] {
  const [said, held] = [saidBy(answer), heldBy(known, tenant, Date.parse(answer.made))];
  const violation = (text: string): Violation => ({ claim: "access", text: `${tenant.host}: ${text}` });
  return [
    ...without(said, held).map((row) => violation(`access says, and it is not so: ${row}`)),
    ...without(held, said).map((row) => violation(`access does not say: ${row}`)),
  ];
}

interface Tenant {
  host: string;
  records: Records;
}

/** Returns entries that are more frequent in the first list than in the second. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return all.filter((one) => {
    const place = left.indexOf(one);
    if (place >= 0) left.splice(place, 1);
    return place < 0;
  });
}

/**
 * `rol_1 grp_1 managed: a until 2199-12-31, b ending`, one per grant; `rol_1: the groups of a are secret`;
 * and who has the role directly.
 */
function saidBy({ roles, counts }: AccessJson): string[] {
  return [
    ...roles.flatMap(({ id, groups, secret, people }) => [
      ...groups.map((group) =>
        rowText(
          id,
          group.id,
          group.status,
          group.by.map((claim) => claimText({ ...claim, name: claim.resource })),
        ),
      ),
      ...secret.map(({ resource }) => secretText(id, resource)),
      ...directText(id, people === null ? ["unknown"] : people?.ids),
    ]),
    countsText(counts.grants, counts.expired),
  ];
}

interface Claim {
  name: string;
  unconfirmed: boolean;
  ending: boolean;
  until: string | null;
  expired: boolean;
}

function claimText({ name, unconfirmed, ending, until, expired }: Claim): string {
  return [
    name,
    ...(unconfirmed ? ["unconfirmed"] : []),
    ...(ending ? ["ending"] : []),
    ...(until === null ? [] : [`until ${until}`]),
    ...(expired ? ["expired"] : []),
  ].join(" ");
}

function rowText(role: string, group: string, status: string, by: readonly string[]): string {
  return `${role} ${group} ${status}: ${[...by].sort().join(", ")}`;
}

function secretText(role: string, name: string): string {
  return `${role}: the groups of ${name} are secret`;
}

/** `rol_1 directly: auth0|a, auth0|b` */
function directText(role: string, people: readonly string[] = []): string[] {
  return people.length === 0 ? [] : [`${role} directly: ${[...people].sort().join(", ")}`];
}

function countsText(grants: number, expired: number): string {
  return `${grants} grants, ${expired} expired`;
}

/** Returns the same for tenant and state. */
function heldBy(known: readonly Known[], { host, records }: Tenant, moment: number): string[] {
  const assignments = known
    .flatMap((one) => assignmentsIn(one, moment))
    .filter(({ tenant }) => tenant === host);
  let [grants, expired] = [0, 0];
  const roles = rolesIn(records);
  const all = [...new Set([...roles.map(({ id }) => id), ...assignments.map(({ role }) => role)])];
  const rows = all.flatMap((role) => {
    const { groups: has = [], people } = roles.find(({ id }) => id === role) ?? {};
    const ofRole = assignments.filter((one) => one.role === role);
    const hidden = ofRole
      .filter(({ isHidden }) => isHidden)
      .map(({ claim }): Claim => ({ ...claim, unconfirmed: false }));
    const granted = has.map((group) => {
      const claims = claimsOn(group, ofRole);
      const [status, by] =
        claims.length > 0 ? (["managed", claims] as const) : (["unknown", hidden] as const);
      grants++;
      // Nobody can know what a secret hides.
      if (claims.length > 0 && claims.every((claim) => claim.expired)) expired++;
      return rowText(role, group, by.length === 0 ? "unmanaged" : status, by.map(claimText));
    });
    // Claims known only from a secret stay unnamed.
    const open = ofRole.filter(({ isSecret }) => !isSecret);
    const lacking = new Set(open.flatMap(({ lists }) => lists).filter((group) => !has.includes(group)));
    const drift = [...lacking].map((group) =>
      rowText(role, group, "drift", claimsOn(group, open).map(claimText)),
    );
    const secret = ofRole
      .filter((one) => one.isHidden || (one.isSecret && one.lists.some((group) => !has.includes(group))))
      .map(({ claim }) => secretText(role, claim.name));
    return [...granted, ...drift, ...secret, ...directText(role, people)];
  });
  return [...rows, countsText(grants, expired)];
}

/** An assignment's claims for each of its groups. */
interface Assigned {
  urn: string;
  tenant: string;
  role: string;
  lists: string[];
  unconfirmed: string[];
  /** True if its groups are secret, and if state therefore hides them. */
  isSecret: boolean;
  isHidden: boolean;
  claim: Omit<Claim, "unconfirmed">;
}

function assignmentsIn({ state, isPendingDelete }: Known, moment: number): Assigned[] {
  const { kind, id, name, outputs, secrets, external, pendingReplacement } = state;
  if (!isAssignment(kind) || external || pendingReplacement) return [];
  const { tenant, until, groupIds, unconfirmed } = outputs;
  const textsIn = (list: unknown) => (Array.isArray(list) ? list.map(String) : []);
  const isSecret = secrets.some(([key]) => key === "groupIds");
  const day = typeof until === "string" && until.length === 10 ? `${until}T23:59:59.999Z` : until;
  return [
    {
      urn: urnOf(state),
      tenant: String(tenant),
      role: id,
      lists: isSecret ? [] : textsIn(groupIds),
      unconfirmed: textsIn(unconfirmed),
      isSecret,
      isHidden: isSecret,
      claim: {
        name,
        ending: isPendingDelete,
        until: typeof until === "string" ? until : null,
        expired: typeof day === "string" && Date.parse(day) <= moment,
      },
    },
  ];
}

function claimsOn(group: string, assignments: readonly Assigned[]): Claim[] {
  const found = new Map<string, Claim>();
  for (const { urn, claim, unconfirmed, lists } of assignments) {
    // Several pending deletes of one resource count once.
    const key = `${urn} ${claim.ending}`;
    if (lists.includes(group) && !found.has(key))
      found.set(key, { ...claim, unconfirmed: unconfirmed.includes(group) });
  }
  return [...found.values()];
}
