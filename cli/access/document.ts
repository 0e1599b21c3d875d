import { type AccessJson } from "../../provider/pulumi/access-model";
import { count, list, say, Sentence, some } from "../../provider/pulumi/sentence";
import { type Group, type Named } from "./roles";
import { type End, type UserAnswer } from "./user";

type Role = AccessJson["roles"][number];
type Claim = Group["by"][number];

export type Access = Omit<AccessJson, "user"> & { user: UserAnswer | null };

/** An answer as sentences, of which each format has its own layout. */
export interface Document {
  title: Sentence;
  summary: Sentence[];
  tables: Table[];
  notes: Sentence[];
}

export interface Table {
  title: Sentence;
  head: string[];
  rows: Sentence[][];
}

export function documentOf(access: Access): Document {
  return access.user === null ? tenantDocument(access) : userDocument(access, access.user);
}

function tenantDocument({ tenant, counts, roles, stacks }: Access): Document {
  const { grants, managed, unmanaged, drift, handedOver, unknown } = counts;
  const parts = [
    count(managed, "managed grant"),
    ...(unmanaged > 0 ? [`${count(unmanaged, "grant")} by hand`] : []),
    ...(handedOver > 0 ? [`${count(handedOver, "grant")} handed over, not settled`] : []),
    ...(unknown > 0 ? [`${count(unknown, "grant")} of which it can't be told`] : []),
    ...(drift > 0 ? [`${count(drift, "grant")} claimed, not there`] : []),
  ];
  const shown = roles.filter(({ groups, secret }) => groups.length + secret.length > 0);
  const empty = roles.filter((role) => !shown.includes(role));
  return {
    title: say`Access on ${tenant}`,
    summary: [
      word(`${count(roles.length, "role")}, ${count(grants, "grant")}`),
      word(parts.join(" · ")),
      readStacks(stacks),
    ],
    tables: shown.map((role) => ({
      title: role.exists ? named(role) : say`${named(role)}, which is not on the tenant`,
      head: ["Group", "Why it has the role"],
      rows: [
        ...role.groups.map((group) => [named(group), why(group)]),
        ...role.secret.map((claim) => [
          say`–`,
          say`can't be told: the groups of ${claimed(claim)} are secret`,
        ]),
      ],
    })),
    notes: empty.length === 0 ? [] : [say`No group has ${some(empty.map(({ name, id }) => name ?? id))}.`],
  };
}

function readStacks(stacks: AccessJson["stacks"]): Sentence {
  const each = stacks.map(({ stack, assignments, elsewhere }) => {
    const others = elsewhere === 0 ? "" : `, and ${grouped(elsewhere)} on other tenants`;
    return say`${stack} (${word(`${count(assignments, "assignment")}${others}`)})`;
  });
  return say`Compared with ${list(each)}`;
}

function grouped(number: number): string {
  return count(number, "").trim();
}

/** Why a group has a role. */
export function why({ status, by }: Group): Sentence {
  const lists = by.filter(({ how }) => how === "lists").map(claimed);
  const handedOver = by.filter(({ how }) => how === "handed over").map(claimed);
  const all = list(by.map(claimed));
  switch (status) {
    case "managed":
      return handedOver.length === 0 ? list(lists) : say`${list(lists)}, handed over by ${list(handedOver)}`;
    case "unmanaged":
      return say`by hand: no state knows it`;
    case "drift":
      return say`claimed, not there: ${all}`;
    case "handed over":
      return say`handed over, not settled: ${all}`;
    case "unknown":
      return say`can't be told: the groups of ${all} are secret`;
  }
}

/** `support in access/prod (index.ts:18)` */
export function claimed({ resource, stack, line, ending }: Claim): Sentence {
  const place = line === null ? say`` : say` ${{ place: line }}`;
  return say`${resource} in ${stack}${place}${ending ? say`, which the next run deletes` : say``}`;
}

function named({ id, name }: Named): Sentence {
  return name ? say`${{ value: name }} ${{ value: id }}` : say`${{ value: id }}`;
}

function userDocument({ tenant, roles, stacks }: Access, user: UserAnswer): Document {
  const { id, permissions, ends, unread } = user;
  const viaRoles = permissions.filter(({ sources }) => sources?.some(({ kind }) => kind === "role"));
  const elsewhere = permissions.filter(({ sources }) => sources?.some(({ kind }) => kind !== "role"));
  const nameOf = new Map(roles.map((role) => [role.id, role.name ?? role.id]));
  return {
    title: say`What ${id} may do on ${tenant}`,
    summary: [
      word(`${count(permissions.length, "permission")}, ${count(roles.length, "role")}`),
      word(
        `${grouped(viaRoles.length)} through roles · ${grouped(elsewhere.length)} from elsewhere, too or only`,
      ),
      readStacks(stacks),
    ],
    tables: [
      {
        title: say`Permissions`,
        head: ["Permission", "API", "Through"],
        rows: permissions.map(({ name, resourceServer, sources }) => [
          say`${name}`,
          say`${resourceServer}`,
          sources === null
            ? say`told in a form that this release doesn't know`
            : list(sources.map(sourceText)),
        ]),
      },
      ...roles.map((role) => ({
        title: say`The role ${named(role)}, through`,
        head: ["Through", "Why it has the role"],
        rows: throughRows(role, unread),
      })),
      {
        title: say`If an assignment was destroyed`,
        head: ["Assignment", "Then"],
        rows: ends.map((end) => [claimed(end.by), endText(end, nameOf.get(end.role) ?? end.role)]),
      },
    ].filter(({ rows }) => rows.length > 0),
    notes: [
      ...(unread === null
        ? []
        : [
            say`Through which groups the user has the roles could not be read (${word(unread)}): those above have them.`,
          ]),
      say`What the user has as a member of an organization is not among these: the tenant tells it for each organization.`,
    ],
  };
}

function sourceText({
  kind,
  id,
  name,
  type,
}: NonNullable<UserAnswer["permissions"][number]["sources"]>[number]): Sentence {
  if (kind === "direct") return say`directly`;
  if (kind === "role") return say`${name === "" ? id : name}`;
  return say`${[type, name, id].filter((text) => text !== "").join(" ")}`;
}

function throughRows({ direct, groups }: Role, unread: string | null): Sentence[][] {
  const isOneOf = unread !== null && direct !== true;
  return [
    ...(direct === true ? [[say`directly`, say`by hand: assignments give roles to groups`]] : []),
    ...groups.map((group) => [isOneOf ? say`perhaps ${named(group)}` : named(group), why(group)]),
    ...(direct === null && groups.length === 0
      ? [[say`elsewhere`, say`not among the roles that the user has outside of organizations`]]
      : []),
  ];
}

function endText({ ends, permissions, reason }: End, role: string): Sentence {
  const because = (mark: string) => (reason.isEmpty ? say`` : say`${word(mark)} ${reason}`);
  if (ends === null) return say`can't be told${because(":")}`;
  if (!ends) return say`the user keeps ${role}${because(":")}`;
  const lost =
    permissions.length === 0
      ? say``
      : say`, and with it ${list(permissions.map(({ name }) => say`${name}`))}`;
  return say`the user loses ${role}${lost}${because(";")}`;
}

function word(text: string): Sentence {
  return new Sentence([text]);
}
