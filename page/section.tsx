import { useState } from "preact/hooks";
import { grouped } from "../provider/sentence";
import { type PageSection, type SectionRow, type View } from "./view";
import { Words, WordsList } from "./words";

/** Further rows wait for a click, but not in print. */
const MOST_ROWS = 6;

interface SectionProps {
  section: PageSection;
  view: View;
  onOpen: (cell: number) => void;
}

export function SectionCard({ section, view, onOpen }: SectionProps) {
  const [isWhole, setWhole] = useState(false);
  const { title, kind, head, rows, totals } = section;
  const left = rows.length - MOST_ROWS;
  const name = view.text(title);
  const Rows = title.length === 0 ? Paragraphs : head === undefined ? List : Table;
  return (
    <section class={`card ${kind}${isWhole ? "" : " cut"}`} aria-label={name === "" ? "Notes" : name}>
      {title.length > 0 && (
        <h2>
          <Words words={title} names={view.names} />
          {rows.length > 0 && <span class="number">{grouped(rows.length)}</span>}
        </h2>
      )}
      {rows.length > 0 && <Rows section={section} view={view} onOpen={onOpen} />}
      {left > 0 && !isWhole && (
        <button type="button" class="quiet more" onClick={() => setWhole(true)}>
          Show {grouped(left)} more
        </button>
      )}
      {totals.map((total, index) => (
        <p key={index} class="note">
          <Words words={total} names={view.names} />
        </p>
      ))}
    </section>
  );
}

function Paragraphs({ section, view }: SectionProps) {
  return section.rows.map((row, index) => (
    <p key={index} class="says">
      <RowWords row={row} view={view} />
    </p>
  ));
}

function List({ section, view, onOpen }: SectionProps) {
  return (
    <ul>
      {section.rows.map((row, index) => (
        <li key={index}>
          <span class="says">
            <RowWords row={row} view={view} />
          </span>
          <Show row={row} view={view} onOpen={onOpen} />
          {row.details.length > 0 && <WordsList all={row.details} names={view.names} of="details" />}
        </li>
      ))}
    </ul>
  );
}

/** Its columns are one under the other where there is no room, which a table's can't be. */
function Table({ section: { title, head = [], rows }, view, onOpen }: SectionProps) {
  return (
    <div role="table" class="rows" aria-label={view.text(title)}>
      <div role="row" class="head">
        {head.map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      {rows.map((row, index) => (
        <div key={index} role="row">
          {row.cells.map((words, at) => (
            <span key={at} role="cell">
              <Words words={words} names={view.names} />
              {at === row.cells.length - 1 && <Show row={row} view={view} onOpen={onOpen} />}
            </span>
          ))}
        </div>
      ))}
    </div>
  );
}

function RowWords({ row, view }: { row: SectionRow; view: View }) {
  return <Words words={row.cells.flatMap((words) => [...words, " "])} names={view.names} />;
}

/** Opens the cell that a row is about. */
function Show({ row, view, onOpen }: { row: SectionRow } & Omit<SectionProps, "section">) {
  const { cell } = row;
  if (cell === undefined) return null;
  const text = row.cells.map(view.text).join(" ");
  return (
    <button type="button" class="quiet" aria-label={`Show: ${text}`} onClick={() => onOpen(cell)}>
      Show
    </button>
  );
}
