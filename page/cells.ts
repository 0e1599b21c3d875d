import { type Cell, STATUSES, type View } from "./view";

/**
 * Puts the cells into rows that have their heads. They are copies of one, which takes a fraction of the time
 * that drawing each of 12,000 takes. Texts are set as texts, so that a name stays a name.
 */
export function fillRows(rows: HTMLCollectionOf<HTMLTableRowElement>, view: View): void {
  const byPlace = new Map(
    view.cells.map((cell, index) => [cell.row * view.columns.length + cell.column, index]),
  );
  const [empty, filled] = [emptyCell(), filledCell()];
  [...rows].forEach((row, at) => {
    const cells = view.columns.map((column, place) => {
      const index = byPlace.get(at * view.columns.length + place);
      const cell = index === undefined ? undefined : view.cells[index];
      if (index === undefined || cell === undefined) return empty.cloneNode();
      return copyFor(filled, cell, { index, column: column.name, why: view.text(cell.why) });
    });
    row.append(...cells);
  });
}

/** `<td role="cell">`: a style that makes blocks of rows takes their meaning. */
function emptyCell(): HTMLElement {
  return element("td", { role: "cell" });
}

/** Named by its text also where there is no room to show it, and described by the row's head. */
function filledCell(): HTMLElement {
  const text = element("span", { class: "text" });
  text.append(element("b", { class: "who" }, " "), " ", element("span", { class: "why" }, " "));
  const button = element("button", { type: "button", tabindex: "-1" });
  button.append(text);
  const cell = emptyCell();
  cell.append(button);
  return cell;
}

function copyFor(
  filled: HTMLElement,
  { row, status, marks, badge }: Cell,
  { index, column, why }: { index: number; column: string; why: string },
): Node {
  const copy = filled.cloneNode(true) as HTMLElement;
  copy.className = ["on", `k-${status}`, ...marks.map((mark) => `m-${mark}`)].join(" ");
  const button = copy.firstElementChild as HTMLElement;
  button.dataset["cell"] = String(index);
  if (badge !== undefined) button.dataset["badge"] = badge;
  button.setAttribute("aria-labelledby", `c${index}`);
  button.setAttribute("aria-describedby", `r${row}`);
  const text = button.firstElementChild as HTMLElement;
  text.id = `c${index}`;
  const [who, word, reason] = text.childNodes as unknown as [Element, Text, Element];
  (who.firstChild as Text).data = column;
  word.data = ` ${STATUSES[status].short ?? STATUSES[status].word} `;
  (reason.firstChild as Text).data = why;
  return copy;
}

function element(name: string, attributes: Readonly<Record<string, string>>, text?: string): HTMLElement {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  if (text !== undefined) made.append(text);
  return made;
}
