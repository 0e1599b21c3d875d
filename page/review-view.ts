import { type Document, type PageData } from "../cli/output/document";
import { edgeKey, type RoleAt } from "../provider/access/edge";
import { concernsPeople } from "../provider/access/people";
import { type ReviewJson } from "../provider/review/model";
import { count, grouped, list } from "../provider/sentence";
import { around, Said } from "./sections";
import {
  type Cell,
  type ColumnHeader,
  Index,
  minuteOf,
  noteOf,
  type RowHeader,
  type CellStatus,
  textsIn,
  type Tile,
  type Untwinned,
  type View,
  withTwins,
  type Words,
} from "./view";

/** Reviews of stacks that change together. */
export function reviewView({ json: reviews, documents }: PageData<readonly ReviewJson[], Words>): View {
  const names = new Map(reviews.flatMap((review) => Object.entries(review.names)));
  const { byEdge, ...matrix } = matrixOf(reviews, documents, names);
  const stacks = reviews.map(({ stack }) => stack ?? "a stack");
  const isDrift = reviews.some(({ kind }) => kind === "drift");
  return {
    ...around(documents, stacks, byEdge),
    ...matrix,
    remarks: [
      `Made ${minuteOf(reviews[0]?.made ?? "")}`,
      ...(reviews.some(({ failed }) => failed)
        ? []
        : [...new Set(reviews.map(({ fingerprint }) => `Fingerprint ${fingerprint}`))]),
    ],
    tiles: tilesOf(reviews),
    empty: isDrift ? "The tenant is as the state says." : "No group gains or loses a role.",
    names,
    text: textsIn(names),
  };
}

function matrixOf(
  reviews: readonly ReviewJson[],
  documents: readonly Document<Words>[],
  names: ReadonlyMap<string, string>,
): Pick<View, "rows" | "columns" | "cells"> & { byEdge: ReadonlyMap<string, number> } {
  const tenants = new Set(
    reviews.flatMap(({ access, after }) => [...access, ...after].map(({ tenant }) => tenant)),
  );
  const found = reviews.flatMap((review, at) => edgesOf(review, new Said(documents[at] as Document<Words>)));
  const nameOf = (id: string) => names.get(id) ?? id;
  // A role that nothing happens to, and all of its groups, would bury what changes.
  const changing = new Set(found.filter(({ status }) => status !== "stays").map(rowKey));
  const edges = found.filter((edge) => changing.has(rowKey(edge)));
  const permissions = new Map(
    reviews.flatMap(({ roles }) => roles.map(({ role, permissions: of }) => [role, of] as const)),
  );
  const rows = new Index<Untwinned<RowHeader>>();
  const columns = new Index<Untwinned<ColumnHeader>>();
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
  const byEdge = new Map<string, number>();
  for (const edge of edges) {
    const [row = 0, column = 0] = [rows.find(rowKey(edge)), columns.find(edge.group)];
    const place = cells.place(`${row} ${column}`, () => ({ row, column, ...edge.cell }));
    byEdge.set(edge.key, place);
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
      remarks: [
        ...new Map(
          [...first.remarks, ...second.remarks].map((remark) => [JSON.stringify(remark), remark]),
        ).values(),
      ],
      marks: [...new Set([...first.marks, ...second.marks])],
    };
  }
  return { rows: withTwins(rows.items), columns: withTwins(columns.items), cells: cells.items, byEdge };
}

const RANK: Readonly<Partial<Record<CellStatus, number>>> & Record<CellStatus, number> = {
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
  lost: 0,
};

interface EdgeJson extends RoleAt {
  tenant: string | null;
  group: string;
}

interface MatrixEdge extends EdgeJson {
  key: string;
  status: CellStatus;
  cell: Omit<Cell, "row" | "column">;
}

function rowKey({ tenant, organization, role }: Omit<EdgeJson, "group">): string {
  return JSON.stringify([tenant, organization, role]);
}

function keyOf({ tenant, organization, role, group }: EdgeJson): string {
  return edgeKey({ tenant: tenant ?? undefined, organization, role, holder: { group } });
}

function edgesOf(review: ReviewJson, said: Said): MatrixEdge[] {
  const { access, after, stack } = review;
  const changes = access.map((row): MatrixEdge => {
    const { tenant, organization, role, group } = row;
    const status = row.forgotten === true ? "forgotten" : row.effect;
    const key = keyOf(row);
    return {
      tenant,
      organization,
      role,
      group,
      key,
      status,
      cell: cellOf(row, { key, status, said, stack }),
    };
  });
  const known = new Set(changes.map(({ key }) => key));
  const inProgram = after.flatMap(({ groups, ...role }) =>
    groups.map(({ id: group, until }) => ({
      ...{ ...role, group },
      why: ["has it, unchanged", ...(until === undefined ? [] : [`until ${until}`])].join(", "),
    })),
  );
  // The tenant has these, and no program of the review.
  const byOthers = said.edges.flatMap(({ tenant = null, organization, role, holder }) =>
    "group" in holder
      ? [{ tenant, organization, role, group: holder.group, why: "has it, but not by this program" }]
      : [],
  );
  const others = [...inProgram, ...byOthers].flatMap(({ why, ...edge }): MatrixEdge[] => {
    const key = keyOf(edge);
    if (known.has(key)) return [];
    known.add(key);
    const remarks = said.remarks(key);
    const marks = remarks.length > 0 ? (["broken"] as const) : [];
    return [
      { ...edge, key, status: "stays", cell: { status: "stays", marks, why: [why], sources: [], remarks } },
    ];
  });
  return [...changes, ...others];
}

/** The operation on a resource; `same`: none. */
const STEPS: Readonly<Record<string, string>> = {
  create: "is created",
  update: "is updated",
  replace: "is replaced",
  delete: "is deleted",
  same: "stays as it is",
};
const BADGES = { later: "+d", earlier: "−d" } as const;

function cellOf(
  { effect, unless, until, ends, by, people }: ReviewJson["access"][number],
  { key, status, said, stack }: { key: string; status: CellStatus; said: Said; stack: string | null },
): MatrixEdge["cell"] {
  const [, does = [], who, through = []] = said.row(key);
  const remarks = said.remarks(key);
  return {
    status,
    marks: [
      ...(remarks.length > 0 ? (["broken"] as const) : []),
      ...(ends === undefined ? [] : [ends]),
      ...(unless === undefined ? [] : (["maybe"] as const)),
    ],
    ...(ends !== undefined && { badge: BADGES[ends] }),
    why: [...does, ": ", ...through],
    sources: by.map(({ name, line, op }) => ({
      resource: name,
      stack: stack ?? undefined,
      line,
      until: effect === "loses" || until === undefined ? undefined : `until ${until}`,
      notes: [STEPS[op] ?? op],
    })),
    remarks,
    who,
    people: people && { count: people.count, isMore: people.more, ids: people.ids },
  };
}

function tilesOf(reviews: readonly ReviewJson[]): Tile[] {
  const files = [...new Set(reviews.flatMap(({ rules }) => (rules === undefined ? [] : [rules.file])))];
  const sum = (name: keyof ReviewJson["counts"]) =>
    reviews.reduce((all, { counts: { [name]: number = 0 } }) => all + number, 0);
  const access = reviews.flatMap((review) => review.access);
  const changes = access.filter(concernsPeople);
  const roles = new Set(changes.map(({ role }) => role)).size;
  const groups = new Set(changes.map(({ group }) => group)).size;
  const people = changes.flatMap((row) => row.people ?? []);
  const [later, earlier] = [sum("endsLater"), sum("endsEarlier")];
  const irreversibleNumber = sum("removals") + sum("signOuts") + sum("deleted");
  const breaches = reviews.flatMap(({ rules }) => rules?.breaches ?? []);
  const broken = breaches.filter(({ isNew, exception }) => isNew && exception === undefined).length;
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
      note: files.length === 0 ? "not asked: --rules" : list(files).toString(),
      isAlarming: broken > 0,
      kinds: ["broken"],
    },
  ];
}
