import { placesOf } from "../provider/access/broken";
import { type RoleAt } from "../provider/access/edge";
import { groupedBy } from "../provider/access/grants";
import { concernsPeople, hasLess } from "../provider/access/people";
import { endSentence } from "../provider/access/until";
import { credentialSentence } from "../provider/review/credential";
import { PENDING_ADVICE, pendingSentence } from "../provider/review/pending";
import { type ReviewJson } from "../provider/review/model";
import { count, grouped } from "../provider/sentence";
import { countOf, listed } from "./access-view";
import {
  type Cell,
  type Column,
  compare,
  type Fact,
  Index,
  type Item,
  minuteOf,
  noteOf,
  type People,
  type Row,
  type Status,
  type Tile,
  type View,
  withTwins,
} from "./view";

type Access = ReviewJson["access"][number];
type Direct = NonNullable<ReviewJson["direct"]>[number];
type Permitted = NonNullable<ReviewJson["permissions"]>[number];
type Breach = NonNullable<ReviewJson["rules"]>["breaches"][number];
type Profile = ReviewJson["profiles"][number];

/** A review, or those of several stacks. */
export function reviewView(json: ReviewJson | readonly ReviewJson[]): View {
  const reviews = Array.isArray(json) ? (json as readonly ReviewJson[]) : [json as ReviewJson];
  const names = new Map(reviews.flatMap((review) => Object.entries(review.names)));
  const { rows, columns, cells } = matrixOf(reviews, names);
  const isDrift = reviews.some(({ kind }) => kind === "drift");
  const stacks = reviews.map(({ stack }) => stack ?? "a stack");
  const tenants = [...new Set(reviews.flatMap((review) => review.tenants))].sort(compare);
  const each = <Of>(of: (review: ReviewJson, stack: string) => Of[]) =>
    reviews.flatMap((review) => of(review, reviews.length > 1 ? `${review.stack ?? "a stack"}: ` : ""));
  const broken = each(({ rules, stack: own }, stack) =>
    (rules?.breaches ?? []).map((breach) => ({ breach, stack, own })),
  );
  const breachItem = ({ breach, stack, own }: (typeof broken)[number]): Item => ({
    text: `${stack}${breach.reason}`,
    details:
      breach.by.length === 0
        ? ["given by hand"]
        : breach.by.map(
            (by) =>
              `through ${by.name}${placeOf(by.line)}${by.stack === own || by.stack === null ? "" : ` in ${by.stack}`}`,
          ),
    cells: cells.flatMap(({ facts }, index) =>
      facts.some(({ kind, text }) => kind === "broken" && text === breach.reason) ? [index] : [],
    ),
  });
  const files = [...new Set(each(({ rules }) => (rules === undefined ? [] : [rules.file])))];
  return {
    title: `${isDrift ? "Drift" : "Review"} of ${listed(stacks)}`,
    facts: [
      ...(tenants.length === 0 ? [] : [`Tenant ${listed(tenants)}`]),
      `Made ${minuteOf(reviews[0]?.made ?? "")}`,
      ...(reviews.some(({ failed }) => failed)
        ? []
        : [...new Set(reviews.map(({ fingerprint }) => `Fingerprint ${fingerprint}`))]),
    ],
    gaps: each(({ errors }, stack) =>
      errors.map(
        ({ name, message }) =>
          `${stack}the ${isDrift ? "refresh" : "preview"} failed: ${named(name, message)}`,
      ),
    ),
    tiles: tilesOf(reviews, files),
    before: [
      {
        title: "This can't be undone",
        kind: "danger" as const,
        items: each((review, stack) => irreversible(review, stack)),
      },
      {
        title: isDrift ? "Now breaks a rule" : "Breaks a rule",
        kind: "broken" as const,
        items: broken.filter(({ breach }) => breach.isNew).map(breachItem),
      },
      {
        title: "Not reviewable",
        kind: "broken" as const,
        items: each(({ unknown }, stack) =>
          unknown.map(({ name, line, reason }) => ({
            text: `${stack}${named(name === null ? null : `${name}${placeOf(line)}`, reason)}`,
          })),
        ),
      },
      {
        title: "An earlier run ended halfway",
        kind: "broken" as const,
        items: each(({ pending }, stack) =>
          (pending ?? []).map(({ kind, name, line }) => ({
            text: `${stack}${pendingSentence({ kind, name: `${name}${placeOf(line)}` }).toString()}`,
            details: [PENDING_ADVICE],
          })),
        ),
      },
    ].filter(({ items }) => items.length > 0),
    rows,
    columns,
    cells,
    empty: isDrift ? "The tenant is as the state says." : "No group gains or loses a role.",
    after: [
      {
        title: "Users who gain or lose a role",
        kind: "plain" as const,
        items: each(({ direct }, stack) => (direct ?? []).map((row) => directItem(row, stack, names))),
      },
      {
        title: "What roles and users may do",
        kind: "plain" as const,
        items: each(({ permissions }, stack) =>
          (permissions ?? []).map((row) => permissionItem(row, stack, names)),
        ),
      },
      {
        title: "Connection profiles",
        kind: "plain" as const,
        items: each(({ profiles }, stack) =>
          profiles
            .filter(({ op }) => isDrift || op !== "delete")
            .map((profile) => profileItem(profile, stack)),
        ),
      },
      {
        title: "Rules",
        kind: "plain" as const,
        items: each(({ judgedBy }, stack) => (judgedBy ?? []).map((text) => ({ text: `${stack}${text}` }))),
      },
      {
        title: "Broke a rule before",
        kind: "plain" as const,
        items: broken.filter(({ breach }) => !breach.isNew).map(breachItem),
      },
      {
        title: "For the record",
        kind: "plain" as const,
        items: each(({ notes }, stack) =>
          notes.map(({ name, reason }) => ({ text: `${stack}${named(name, reason)}` })),
        ),
      },
    ].filter(({ items }) => items.length > 0),
    names,
  };
}

function matrixOf(
  reviews: readonly ReviewJson[],
  names: ReadonlyMap<string, string>,
): Pick<View, "rows" | "columns" | "cells"> {
  const tenants = new Set(
    reviews.flatMap(({ access, after }) => [...access, ...after].map(({ tenant }) => tenant)),
  );
  const found = reviews.flatMap((review) => edgesOf(review));
  const nameOf = (id: string) => names.get(id) ?? id;
  // A role that nothing happens to, and all of its groups, would bury what changes.
  const changing = new Set(found.filter(({ status }) => status !== "stays").map(rowKey));
  const edges = found.filter((edge) => changing.has(rowKey(edge)));
  const permissions = new Map(
    reviews.flatMap(({ roles }) => roles.map(({ role, permissions: of }) => [role, of] as const)),
  );
  const rows = new Index<Omit<Row, "isTwin">>();
  const columns = new Index<Omit<Column, "isTwin">>();
  const byName = <Of>(items: Iterable<Of>, nameOfOne: (item: Of) => string) =>
    [...items].sort((one, other) => nameOfOne(one).localeCompare(nameOfOne(other), "en"));
  const roles = new Map(edges.map((edge) => [rowKey(edge), edge]));
  // A role in the tenant before the same one in organizations.
  const sorted = byName(
    byName(roles.values(), ({ organization }) => nameOf(organization ?? "")),
    ({ role }) => nameOf(role),
  );
  for (const { tenant, organization, role } of sorted)
    rows.place(rowKey({ tenant, organization, role }), () => ({
      key: rowKey({ tenant, organization, role }),
      id: role,
      name: nameOf(role),
      permissions: permissions.get(role),
      ...(organization !== undefined && { organization: { id: organization, name: nameOf(organization) } }),
      ...noteOf(
        organization !== undefined && `in ${nameOf(organization)}`,
        tenants.size > 1 && `on ${tenant ?? "an unknown tenant"}`,
      ),
    }));
  for (const group of byName(new Set(edges.map((edge) => edge.group)), nameOf))
    columns.place(group, () => ({ key: group, id: group, name: nameOf(group) }));
  const cells = new Index<Cell>();
  for (const edge of edges) {
    const [row = 0, column = 0] = [rows.find(rowKey(edge)), columns.find(edge.group)];
    const place = cells.place(`${row} ${column}`, () => ({ row, column, ...edge.cell }));
    const cell = cells.items[place] as Cell;
    // Several stacks may list one group: what happens to it counts.
    if (cell.sources === edge.cell.sources) continue;
    const isStronger = RANK[edge.cell.status] > RANK[cell.status];
    const [first, second] = isStronger ? [edge.cell, cell] : [cell, edge.cell];
    cells.items[place] = {
      ...first,
      row,
      column,
      sources: [...first.sources, ...second.sources],
      facts: [...new Map([...first.facts, ...second.facts].map((fact) => [fact.text, fact])).values()],
      marks: [...new Set([...first.marks, ...second.marks])],
    };
  }
  return { rows: withTwins(rows.items), columns: withTwins(columns.items), cells: cells.items };
}

const RANK: Readonly<Partial<Record<Status, number>>> & Record<Status, number> = {
  loses: 3,
  forgotten: 1,
  gains: 2,
  keeps: 1,
  stays: 0,
  managed: 0,
  unmanaged: 0,
  drift: 0,
  unknown: 0,
  direct: 0,
};

interface Place extends RoleAt {
  tenant: string | null;
  group: string;
}

interface Edge extends Place {
  status: Status;
  cell: Omit<Cell, "row" | "column">;
}

function rowKey({ tenant, organization, role }: Omit<Place, "group">): string {
  return JSON.stringify([tenant, organization, role]);
}

function edgesOf(review: ReviewJson): Edge[] {
  const { access, after, rules, stack } = review;
  const breaches = rules?.breaches ?? [];
  const places = breaches.flatMap((breach) =>
    placesOf(breach).flatMap(({ group, ...at }) =>
      group === undefined ? [] : [{ tenant: breach.tenant, ...at, group, breach }],
    ),
  );
  const keyOf = (edge: Place) => `${rowKey(edge)} ${edge.group}`;
  const broken = groupedBy(places, keyOf);
  const brokenAt = (edge: Place) => (broken.get(keyOf(edge)) ?? []).map(({ breach }) => breach);
  const changes = access.map((row): Edge => {
    const { tenant, organization, role, group } = row;
    const status = row.forgotten === true ? "forgotten" : row.effect;
    return { tenant, organization, role, group, status, cell: cellOf(row, brokenAt(row), review) };
  });
  const known = new Set(changes.map(keyOf));
  const inProgram = after.flatMap(({ groups, ...role }) =>
    groups.map(({ id: group, until }) => ({
      ...{ ...role, group },
      why: ["has it, unchanged", ...(until === undefined ? [] : [`until ${until}`])].join(", "),
    })),
  );
  // The tenant has these, and no program of the review.
  const byOthers = places.map(({ breach: _, ...edge }) => ({
    ...edge,
    why: "has it, but not by this program",
  }));
  const others = [...inProgram, ...byOthers].flatMap(({ why, ...edge }): Edge[] => {
    if (known.has(keyOf(edge))) return [];
    known.add(keyOf(edge));
    const facts = brokenFacts(brokenAt(edge));
    const marks = facts.length > 0 ? (["broken"] as const) : [];
    return [{ ...edge, status: "stays", cell: { status: "stays", marks, why, sources: [], facts } }];
  });
  return [...changes, ...others].map((edge) => ({
    ...edge,
    cell: {
      ...edge.cell,
      sources: edge.cell.sources.map((source) => ({ ...source, stack: stack ?? undefined })),
    },
  }));
}

function brokenFacts(broken: readonly Breach[]): Fact[] {
  return broken.map(({ reason }) => ({ kind: "broken", text: reason }));
}

const EFFECTS = {
  preview: { gains: "gains it", loses: "loses it", keeps: "keeps it" },
  drift: { gains: "has gained it", loses: "has lost it", keeps: "keeps it" },
} as const;
/** The operation on a resource; `same`: none. */
const STEPS: Readonly<Record<string, string>> = {
  create: "is created",
  update: "is updated",
  replace: "is replaced",
  delete: "is deleted",
  same: "stays as it is",
};
const BADGES = { later: "+d", earlier: "−d" } as const;
const MAYBE = { gains: "may gain it", loses: "may lose it", keeps: "may keep it" } as const;

function cellOf(row: Access, broken: readonly Breach[], { kind }: ReviewJson): Edge["cell"] {
  const { effect, unless, until, untilBefore, ends, by, people } = row;
  const says = by.map(({ name, line, reason }) =>
    [`${name}${placeOf(line)}`, reason].filter(Boolean).join(" "),
  );
  return {
    status: row.forgotten === true ? "forgotten" : effect,
    marks: [
      ...(broken.length > 0 ? (["broken"] as const) : []),
      ...(ends === undefined ? [] : [ends]),
      ...(unless === undefined ? [] : (["maybe"] as const)),
    ],
    ...(ends !== undefined && { badge: BADGES[ends] }),
    why: [
      `${[verbOf(row, kind), endSentence(row).toString()].filter(Boolean).join(", ")}: ${listed(says)}`,
      ...(unless === undefined ? [] : [`unless ${unless}`]),
    ].join(", "),
    sources: by.map(({ name, line, op, reason }) => ({
      resource: name,
      line,
      until: effect === "loses" || until === undefined ? undefined : `until ${until}`,
      notes: [...new Set([STEPS[op] ?? op, reason])].filter((note) => note !== ""),
    })),
    facts: [
      ...brokenFacts(broken),
      ...(unless === undefined ? [] : [{ kind: "doubt" as const, text: `Not certain: unless ${unless}` }]),
      ...(ends !== undefined
        ? [
            {
              kind: "doubt" as const,
              text: `Its end was ${untilBefore ?? "open"}, and is ${until ?? "open"} then`,
            },
          ]
        : []),
      ...peopleFacts(row),
    ],
    people: people && peopleOf(people),
  };
}

function verbOf({ effect, forgotten, unless }: Access, kind: ReviewJson["kind"]): string {
  if (forgotten === true) return "is forgotten";
  return unless === undefined ? EFFECTS[kind][effect] : MAYBE[effect];
}

function peopleOf({ count: number, more, ids }: NonNullable<Access["people"]>): People {
  return { count: number, isMore: more, ids };
}

function peopleFacts(row: Access): Fact[] {
  const { people, ends } = row;
  if (people === undefined) return [];
  const { same, maybe, direct = null, notCompared } = people;
  const verb = hasLess(row) ? "keep it" : ends === "later" ? "also have it" : "have it already";
  const told = [
    ...(same.count > 0 ? [`${grouped(same.count)} of them ${verb} through ${listed(same.through)}`] : []),
    ...(maybe !== undefined
      ? [`${grouped(maybe.count)} of them may ${verb} through ${listed(maybe.through)}`]
      : []),
    ...(direct !== null && direct > 0 ? [`${grouped(direct)} have it directly`] : []),
    ...(notCompared > 0 ? [`not compared with ${count(notCompared, "other group")} that have it`] : []),
  ];
  return [{ kind: "people", text: [countOf(peopleOf(people)), ...told].join(", ") }];
}

function tilesOf(reviews: readonly ReviewJson[], files: readonly string[]): Tile[] {
  const sum = (name: keyof ReviewJson["counts"]) =>
    reviews.reduce((all, { counts: { [name]: number = 0 } }) => all + number, 0);
  const access = reviews.flatMap((review) => review.access);
  const changes = access.filter(concernsPeople);
  const roles = new Set(changes.map(({ role }) => role)).size;
  const groups = new Set(changes.map(({ group }) => group)).size;
  const people = changes.flatMap((row) => row.people ?? []);
  const [later, earlier] = [sum("endsLater"), sum("endsEarlier")];
  const irreversibleNumber = sum("removals") + sum("deleted");
  const broken = reviews.flatMap(({ rules }) => rules?.breaches ?? []).filter(({ isNew }) => isNew).length;
  const uncertain = reviews
    .flatMap((review) => [...review.access, ...(review.direct ?? []), ...(review.permissions ?? [])])
    .filter(({ unless }) => unless !== undefined);
  const doubts = sum("unknown") + uncertain.length;
  return [
    {
      label: "Gains",
      value: grouped(sum("gains")),
      note: `${count(roles, "role")} change`,
      kinds: ["gains"],
    },
    {
      label: "Losses",
      value: grouped(sum("loses")),
      note: `${count(groups, "group")} change`,
      kinds: ["loses"],
    },
    ...(later + earlier === 0
      ? []
      : [
          {
            label: "Ends moved",
            value: grouped(later + earlier),
            note: `${grouped(later)} later, ${grouped(earlier)} earlier`,
            kinds: ["later", "earlier"] as const,
          },
        ]),
    people.length === 0
      ? { label: "People", value: "–", note: "not read" }
      : {
          label: "People",
          value: `${grouped(people.reduce((all, each) => all + each.count, 0))}${people.some(({ more }) => more) ? "+" : ""}`,
          note: "in groups that change, some counted twice",
        },
    {
      label: "Can't be undone",
      value: grouped(irreversibleNumber),
      isAlarming: irreversibleNumber > 0,
    },
    {
      label: doubts === 1 ? "Doubt" : "Doubts",
      value: grouped(doubts),
      isAlarming: doubts > 0,
      kinds: ["maybe"],
    },
    {
      label: "Broken rules",
      value: files.length === 0 ? "–" : grouped(broken),
      note: files.length === 0 ? "not asked: --rules" : listed(files),
      isAlarming: broken > 0,
      kinds: ["broken"],
    },
  ];
}

function directItem(row: Direct, stack: string, names: ReadonlyMap<string, string>): Item {
  const { role, organization, user, effect, by, unless } = row;
  const where = organization === undefined ? "" : ` in ${shownName(organization, names)}`;
  const changes = `${unless === undefined ? "" : "may "}${DIRECT_WORDS[effect][unless === undefined ? 0 : 1]}`;
  return {
    text: `${stack}${user} ${row.forgotten === true ? "doesn't have" : changes} ${shownName(role, names)}${where}${unless === undefined ? "" : `, unless ${unless}`}`,
    details: by.map(({ name, line, reason }) =>
      [`through ${name}${placeOf(line)}`, reason].filter(Boolean).join(" "),
    ),
  };
}

const DIRECT_WORDS = {
  gains: ["gains", "gain"],
  loses: ["loses", "lose"],
  keeps: ["keeps", "keep"],
} as const;

function permissionItem(row: Permitted, stack: string, names: ReadonlyMap<string, string>): Item {
  const { role, user, madeRole, effect, permission, resourceServer, unless, name, line, reason, people } =
    row;
  const who = madeRole === undefined ? shownName(role ?? user ?? "", names) : `the new role ${madeRole}`;
  const verb = effect === "gains" ? "can now" : "can no longer";
  const number =
    people === undefined
      ? ""
      : `: ${people.more ? "at least " : ""}${countOf({ count: people.count, isMore: false })}`;
  return {
    text: `${stack}${who} ${verb} ${permission} of ${resourceServer}${number}${unless === undefined ? "" : `, unless ${unless}`}`,
    details: [[`through ${name}${placeOf(line)}`, reason].filter(Boolean).join(" ")],
  };
}

function shownName(id: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(id);
  return name === undefined ? id : `${name} ${id}`;
}

function irreversible({ removals, profiles, kind }: ReviewJson, stack: string): Item[] {
  const deleted = kind === "drift" ? [] : profiles.filter(({ op }) => op === "delete");
  return [
    ...removals.map(({ id, name, line, credential }) => ({
      text: `${stack}device credential ${id} is removed, by ${name}${placeOf(line)}${credentialSentence(credential).toString()}`,
    })),
    ...deleted.map(({ id, name, line, reason, unless }) => ({
      text: `${stack}connection profile ${id ?? ""} is deleted: ${[`${name}${placeOf(line)}`, reason].filter(Boolean).join(" ")}${unless === undefined ? "" : `, unless ${unless}`}`,
    })),
  ];
}

const OPS = {
  create: "is created",
  update: "changes",
  adopt: "is adopted",
  delete: "is deleted",
  gone: "is gone from the tenant",
} as const;

function profileItem({ op, id, name, line, reason, unless, changes }: Profile, stack: string): Item {
  const because = [...(reason === "" ? [] : [reason]), ...(unless === undefined ? [] : [`unless ${unless}`])];
  return {
    text: [`${stack}${name}${placeOf(line)}${id === null ? "" : ` ${id}`} ${OPS[op]}`, ...because].join(", "),
    details: changes.map(({ path, before, after }) => {
      if (isTexts(before) && isTexts(after)) return `${path}: ${listChange(before, after)}`;
      return before === undefined
        ? `${path}: ${shown(after)}`
        : `${path}: ${shown(before)} → ${after === undefined ? "not set" : shown(after)}`;
    }),
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** `+ scim, − universal_logout`, or both lists if only their order changes. */
function listChange(before: readonly string[], after: readonly string[]): string {
  const changes = [
    ...after.filter((item) => !before.includes(item)).map((item) => `+ ${item}`),
    ...before.filter((item) => !after.includes(item)).map((item) => `− ${item}`),
  ];
  return changes.length === 0 ? `${shown(before)} → ${shown(after)}` : changes.join(", ");
}

function shown(value: unknown): string {
  if (isTexts(value) && value.length > 0) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

function placeOf(line: { file: string; line: number } | null | undefined): string {
  return line ? ` (${line.file}:${line.line})` : "";
}

function named(name: string | null, text: string): string {
  return name === null ? text : `${name}: ${text}`;
}
