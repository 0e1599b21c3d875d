import { type Document, type Section as DocumentSection } from "../cli/output/document";
import { type Edge, edgeKey } from "../provider/access/edge";
import { groupedBy } from "../provider/access/grants";
import { type Remark, type PageSection, type View, type Words } from "./view";

/** A document's words about the cells of the matrix, by the keys of their edges. */
export class Said {
  readonly #rows = new Map<string, readonly Words[]>();
  readonly #remarks = new Map<string, Remark[]>();
  /** The grants that sections around the matrix are about. */
  readonly edges: Edge[] = [];

  constructor({ sections }: Document<Words>) {
    for (const { id, place, rows } of sections)
      for (const { cells, edges = [] } of rows)
        for (const edge of edges) {
          const key = edgeKey(edge);
          if (place !== "matrix") this.#add(edge, key, remarkOf(id, cells));
          else if (!this.#rows.has(key)) this.#rows.set(key, cells);
        }
  }

  #add(edge: Edge, key: string, remark: Remark): void {
    this.edges.push(edge);
    this.#remarks.set(key, [...this.remarks(key), remark]);
  }

  /** The cells of its row; empty if it has none. */
  row(key: string): readonly Words[] {
    return this.#rows.get(key) ?? [];
  }

  remarks(key: string): Remark[] {
    return this.#remarks.get(key) ?? [];
  }
}

/** Of a decision, the first cell is a word about the second. A change has its role and its holder, too. */
function remarkOf(section: string, [first = [], second = [], , fourth = []]: readonly Words[]): Remark {
  if (section === "changes") return { kind: "change", words: [...second, ": ", ...fourth] };
  return section === "decisions" ? { kind: "decision", words: second } : { kind: "broken", words: first };
}

const KINDS = ["danger", "broken", "plain"] as const;

/**
 * Returns what stands around the matrix: of several documents, sections of one id are one, and each row
 * begins with its stack.
 */
export function around(
  documents: readonly Document<Words>[],
  stacks: readonly string[],
  cells: ReadonlyMap<string, number>,
): Pick<View, "heads" | "gaps" | "before" | "after"> {
  const shown = documents.map(({ sections }, at) =>
    sections
      .map((section) => outside(section, documents.length > 1 ? [`${stacks[at] ?? ""}: `] : [], cells))
      .filter(({ rows, totals }) => rows.length + totals.length > 0),
  );
  const byId = groupedBy(shown.flat(), ({ id }) => id);
  const all = idsInOrder(shown).flatMap((id) => {
    const same = byId.get(id) ?? [];
    const [rows, totals] = [same.flatMap((one) => one.rows), same.flatMap((one) => one.totals)];
    return same.slice(0, 1).map((first) => ({ ...first, rows, totals }));
  });
  return {
    heads: documents.map(({ title, summary, remarks }) => ({ title, remarks: [...summary, ...remarks] })),
    gaps: documents.flatMap(({ gaps }) => gaps),
    before: KINDS.flatMap((kind) => all.filter((one) => one.place === "before" && one.kind === kind)),
    after: all.filter(({ place }) => place !== "before"),
  };
}

/** The rows of a section that the matrix doesn't show. `of`: begins each. */
function outside(
  { rows, total, place, ...section }: DocumentSection<Words>,
  of: Words,
  cells: ReadonlyMap<string, number>,
): PageSection & Pick<DocumentSection, "place"> {
  const begun = ([first = [], ...others]: readonly Words[]) => [[...of, ...first], ...others];
  return {
    ...{ id: section.id, title: section.title, kind: section.kind, head: section.head, place },
    rows: rows
      .filter(({ edges = [] }) => place !== "matrix" || edges.length === 0)
      .map(({ cells: words, details = [], edges = [] }) => {
        const [cell] = edges.flatMap((edge) => cells.get(edgeKey(edge)) ?? []);
        return { cells: begun(words), details, cell };
      }),
    totals: total === undefined ? [] : begun([total]),
  };
}

/** A section that only one document has follows the section before it there. */
function idsInOrder(all: readonly (readonly { id: string }[])[]): string[] {
  const order: string[] = [];
  for (const sections of all) {
    let next = 0;
    for (const { id } of sections) {
      if (!order.includes(id)) order.splice(next, 0, id);
      next = order.indexOf(id) + 1;
    }
  }
  return order;
}
