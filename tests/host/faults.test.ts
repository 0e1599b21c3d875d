import { type Outcome, prepare, run, type Surroundings, useSurroundings } from "../faults/cell";
import { classOf } from "../faults/classes";
import { type Cell, sectionsOf } from "../faults/matrix";
import { Host, stopWarmHost } from "./host";

/*
 * tests/faults calls the handlers in its own process. A sample of its cells, here through the SDK's provider
 * host and the built package, must come out the same.
 */

jest.setTimeout(120_000);

const surroundings = useSurroundings();

afterAll(stopWarmHost);

test.each([
  "create a connection profile / POST /connection-profiles / reset after processing / once",
  "create a connection profile / POST /connection-profiles / 409 / always",
  "create a connection profile, whose answer is lost / GET /connection-profiles / 403 / always",
  "adopt a connection profile / PATCH /connection-profiles/{id} / no answer, processed / once",
  "preview an adoption / GET /connection-profiles/{id} / truncated JSON / always",
  "refresh several connection profiles / GET /connection-profiles / 404 as HTML / always",
  "refresh one connection profile / GET /connection-profiles/{id} / 404 / once",
  "change a connection profile, whose answer is lost / GET /connection-profiles/{id} / 500 / always",
  "delete a connection profile / DELETE /connection-profiles/{id} / connection refused / once",
  "change the groups of a role / DELETE /roles/{id}/groups / 504, processed / always",
  "change the groups of a role, with a client secret / POST /oauth/token / 401 / always",
  "delete a device credential / DELETE /device-credentials/{id} / 307 to another host / once",
])("%s", async (name) => {
  const cell = await cellOf(name);
  const here = await outcomeOf(cell, surroundings);
  const there = await outcomeOf(cell, { ...surroundings, startHost: () => Host.warm() });
  expect(there).toEqual(here);
});

async function cellOf(name: string): Promise<Cell> {
  const sections = await sectionsOf(surroundings, name);
  const found = sections.flatMap(({ cells }) => cells).find((cell) => cell.name === name);
  if (found === undefined) throw new Error(`The matrix has no cell ${name}.`);
  return found;
}

/** What became of a cell, without what differs from run to run: ports, times and counts. */
async function outcomeOf(cell: Cell, where: Surroundings): Promise<unknown> {
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
