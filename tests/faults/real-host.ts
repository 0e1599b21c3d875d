import { type Outcome, prepare, run, type Surroundings } from "./cell";
import { classOf } from "./classes";
import { type Cell, sectionsOf } from "./matrix";

/* Compares real hosts with a sample of the matrix, which runs in this process. */

/** A cell of the matrix, by its name. */
export async function cellOf(name: string, surroundings: Surroundings): Promise<Cell> {
  const sections = await sectionsOf(surroundings, name);
  const found = sections.flatMap(({ cells }) => cells).find((cell) => cell.name === name);
  if (found === undefined) throw new Error(`The matrix has no cell ${name}.`);
  return found;
}

interface Sample {
  messages: string[];
  [part: string]: unknown;
}

/** Returns a cell's result without ports, times and counts, which differ from run to run. */
export async function outcomeOf(
  cell: Cell,
  surroundings: Surroundings,
  where = surroundings,
): Promise<Sample> {
  const { credentials, normal, prepared } = cell.section;
  const outcome = await run(await prepare(prepared.operation, surroundings), credentials, cell, where);
  return {
    class: classOf({ prepared, credentials, hit: cell, normal, outcome }),
    errors: outcome.errors.map(withoutNumbers),
    messages: outcome.messages.map(withoutNumbers),
    state: [...outcome.state].map(([key, { id, inputs, outputs, initErrors }]) => [
      key,
      { id, inputs, outputs: { ...outputs, tenant: "" }, initErrors: initErrors.map(withoutNumbers) },
    ]),
    requests: logOf(outcome),
  };
}

function withoutNumbers(text: string): string {
  return text.replace(/127\.0\.0\.1:\d+/g, "<tenant>").replace(/\d+(?:\.\d)?(?= s\b| time)/g, "<n>");
}

function logOf({ requests }: Outcome): string[] {
  return requests.map(({ method, path, status }) => `${method} ${path} ${status}`);
}
