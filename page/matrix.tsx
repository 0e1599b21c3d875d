import { Component, type RefObject } from "preact";
import { type Header, type View } from "./view";

interface MatrixProps {
  view: View;
  table: RefObject<HTMLTableElement | null>;
  onOpen: (cell: number) => void;
}

/** From so many rows on, those out of sight aren't laid out. */
const MANY_ROWS = 50;

/** The rows without their cells, which the board puts there. Nothing is drawn again. */
export class Matrix extends Component<MatrixProps> {
  override shouldComponentUpdate(): boolean {
    return false;
  }

  render({ view, table, onOpen }: MatrixProps) {
    const held = new Set(view.cells.map(({ row }) => row));
    return (
      // Scrolls, so it must be reachable by the keyboard.
      <div class="scroller" tabIndex={0} role="region" aria-label="Matrix of roles and groups">
        <table
          ref={table}
          // A style that makes blocks of rows takes their meaning.
          role="table"
          class={view.rows.length >= MANY_ROWS ? "many" : undefined}
          onClick={({ target }) => {
            const button = target instanceof Element ? target.closest("button") : null;
            if (button?.dataset["cell"] !== undefined) onOpen(Number(button.dataset["cell"]));
          }}
        >
          <thead role="rowgroup">
            <tr role="row">
              <th role="columnheader" scope="col" class="corner">
                Role
              </th>
              {view.columns.map((column) => (
                <th
                  role="columnheader"
                  key={column.key}
                  scope="col"
                  class={column.isSpecial ? "special" : undefined}
                >
                  <Name of={column} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {view.rows.map((row, at) => (
              <tr role="row" key={row.key} class={held.has(at) ? undefined : "bare"}>
                <th role="rowheader" scope="row" id={`r${at}`}>
                  <Name of={row} />
                  {row.note !== undefined && <small>{row.note}</small>}
                </th>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    );
  }
}

function Name({ of: { id, name, isTwin } }: { of: Header }) {
  if (name === id) return <code class="name">{id}</code>;
  return (
    <span class="name" title={name}>
      {name}
      {id !== "" && <code class={isTwin ? "id twin" : "id"}>{id}</code>}
    </span>
  );
}
