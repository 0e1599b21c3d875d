import { CLASSES } from "./classes";
import { type Result, type Section } from "./matrix";

/**
 * Returns a page with each cell's result: a table for each operation, with equal results merged into one row.
 */
export function tableOf(sections: readonly Section[], results: readonly Result[]): string {
  const legend = Object.entries(CLASSES).map(([name, meaning]) => `- \`${name}\`: ${meaning}`);
  return [
    "# What faults lead to",
    "",
    "<!-- made by `FAULT_TABLE=write npm run test:long -- matrix`; `npm run test:long` compares it -->",
    "",
    `${results.length} cells: each request of each operation, hit by each fault, once or each time that it is sent.`,
    "A column is a request, in the order in which they are sent. `once → always` has two outcomes where they differ.",
    "`–`: the fault can't hit this request, or another table has it.",
    "",
    ...legend,
    ...sections.flatMap((section) => ["", ...tableOfSection(section, results)]),
    "",
  ].join("\n");
}

export function tableOfSection(section: Section, results: readonly Result[]): string[] {
  const own = results.filter(({ cell }) => cell.section === section);
  const columns = [...new Set(section.cells.map(({ place }) => place.label))];
  const faults = [...new Set(section.cells.map(({ kind }) => kind.name))];
  const rows = new Map<string, string[]>();
  for (const fault of faults) {
    const outcomes = columns.map((column) => outcomeOf(own, fault, column)).join(" | ");
    rows.set(outcomes, [...(rows.get(outcomes) ?? []), fault]);
  }
  return [
    `## ${section.title}`,
    "",
    `| Fault | ${columns.map((column) => `\`${column}\``).join(" | ")} |`,
    `| --- | ${columns.map(() => "---").join(" | ")} |`,
    ...[...rows].map(([outcomes, names]) => `| ${shortened(names).join("; ")} | ${outcomes} |`),
  ];
}

function outcomeOf(results: readonly Result[], fault: string, column: string): string {
  const found = (times: string) =>
    results.find(
      ({ cell }) => cell.kind.name === fault && cell.place.label === column && cell.times === times,
    )?.class;
  const [once, always] = [found("once"), found("always")];
  if (once === always || always === undefined) return once ?? "–";
  return once === undefined ? always : `${once} → ${always}`;
}

/** `id: 7, true, {}`: names a field only once. */
function shortened(names: readonly string[]): string[] {
  const values = new Map<string, string[]>();
  for (const name of names) {
    const [, field = name, value] = /^(\S+): (.*)$/.exec(name) ?? [];
    values.set(field, [...(values.get(field) ?? []), ...(value === undefined ? [] : [value])]);
  }
  return [...values].map(([field, of]) =>
    (of.length === 0 ? field : `\`${field}\`: ${of.map((value) => `\`${value}\``).join(", ")}`).replaceAll(
      "|",
      "\\|",
    ),
  );
}
