import { setTimeout as sleep } from "node:timers/promises";
import { type Hit, type Outcome, prepare, type Prepared, run, type Surroundings } from "./cell";
import { classOf } from "./classes";
import { ANSWERS, AT_THE_FIRST, type FaultKind, faultsAt, type Place } from "./faults";
import { type Operation, OPERATIONS } from "./operations";
import { problemsOf } from "./oracle";
import { type Class } from "./outcomes";
import { placesOf } from "./places";
import { type CredentialKind } from "./tenants";

/** An operation with one kind of credentials, which gets its own table. */
export interface Section {
  title: string;
  prepared: Prepared;
  credentials: CredentialKind;
  normal: Outcome;
  cells: Cell[];
}

export interface Cell extends Hit {
  section: Section;
  /** The family of its fault. */
  family: string;
  /** `create a connection profile / POST /connection-profiles / 503 / once` */
  name: string;
}

export interface Result {
  cell: Cell;
  class: Class;
  problems: string[];
}

const CREDENTIALS: Record<CredentialKind, string> = {
  token: "",
  secret: ", with a client secret",
  key: ", with a private key",
};

/** Operations that include the token request; for others, only its own faults count. */
const WITH_TOKEN_REQUEST: Partial<Record<CredentialKind, readonly string[]>> = {
  secret: [
    "create a connection profile",
    "refresh several connection profiles",
    "change the groups of a role",
    "preview an adoption",
    "getUser",
  ],
  key: ["delete a device credential"],
};
const ABOUT_TOKENS = /^40[13]\b|^tenant's clock/;

/** `only`: text in the names of the wanted cells, or a whole name; operations without any are left out. */
export async function sectionsOf(
  surroundings: Surroundings,
  only = "",
  operations: readonly Operation[] = OPERATIONS,
): Promise<Section[]> {
  const [wanted = "", ...place] = only.split(" / ");
  const isWanted = (title: string) => (place.length > 0 ? title.endsWith(wanted) : title.includes(wanted));
  const sectionsOfOne = async (operation: Operation) => {
    const kinds = (["token", "secret", "key"] as const)
      .filter((credentials) => operation.base === undefined || credentials === "token")
      .map((credentials) => ({ credentials, title: operation.name + CREDENTIALS[credentials] }))
      .filter(({ title }) => isWanted(title));
    if (kinds.length === 0) return [];
    const prepared = await prepare(operation, surroundings);
    return Promise.all(
      kinds.map(async ({ credentials, title }) => {
        const normal = await run(prepared, credentials, undefined, surroundings);
        const section: Section = { title, prepared, credentials, normal, cells: [] };
        section.cells = cellsOf(section);
        return section;
      }),
    );
  };
  let ready = Promise.resolve();
  const all = operations.map((operation) => (ready = ready.then(idle)).then(() => sectionsOfOne(operation)));
  return (await Promise.all(all)).flat().filter(({ cells }) => cells.length > 0);
}

function cellsOf(section: Section): Cell[] {
  const {
    prepared: { operation },
    normal,
  } = section;
  return placesOf(operation, normal).flatMap((place, i) =>
    faultsAt(place)
      .filter(({ kind }) => isFor(section, place, kind, i === 0))
      .flatMap(({ family, kind }) =>
        (["once", "always"] as const)
          .filter((times) => kind.only === undefined || kind.only === times)
          .map((times) => ({
            section,
            family,
            kind,
            place,
            times,
            name: [section.title, place.label, kind.name, times].join(" / "),
          })),
      ),
  );
}

/** The faults for operations that don't meet all of them. */
const USUAL = new Set([
  ...[400, 401, 403, 404, 408, 409, 429, 500, 502, 503, 504].map(String),
  ...["403 as HTML", "404 as HTML", "429 as HTML", "503 as HTML", "500, processed", "504, processed"],
  ...[400, 403, 500].map((status) => `${status}, done for the first group`),
  ...["302 to another host", "307 to another host", "HTML", "truncated JSON", "another object", "empty"],
]);
function isUsual({ name }: FaultKind): boolean {
  return USUAL.has(name) || !UNUSUAL.has(name);
}
const UNUSUAL = new Set(ANSWERS.map(({ name }) => name));

function isFor(
  { prepared: { operation }, credentials }: Section,
  place: Place,
  kind: FaultKind,
  isFirst: boolean,
): boolean {
  if (AT_THE_FIRST.has(kind.name)) return isFirst && operation.base === undefined;
  if (kind.refused && place.isAfterLost) return false;
  if (kind.action !== undefined && kind.action(place) === undefined) return false;
  if (operation.isEmpty && place.method === "GET" && kind.name.includes("/0")) return false;
  if (!operation.meetsAll && (kind.isRare || !isUsual(kind))) return false;
  if (credentials === "token") return true;
  if (credentials === "key" && !WITH_TOKEN_REQUEST.key?.includes(operation.name)) return false;
  if (!place.target.startsWith("/oauth/")) return credentials === "secret" && ABOUT_TOKENS.test(kind.name);
  return WITH_TOKEN_REQUEST[credentials]?.includes(operation.name) ?? false;
}

/** Runs cells, this many at once, and calls `onResult` for each. Returns the number of repeated cells. */
export async function runAll(
  cells: readonly Cell[],
  surroundings: Surroundings,
  onResult: (result: Result) => void,
  mostAtOnce = 300,
): Promise<number> {
  const stalls = new Stalls();
  const running = new Set<Promise<void>>();
  let repeated = 0;
  const runOne = async (cell: Cell) => {
    for (let attempt = 1; ; attempt++) {
      const start = performance.now();
      const result = await runCell(cell, surroundings);
      if (attempt === MOST_ATTEMPTS || !stalls.anySince(start)) return onResult(result);
      repeated++;
    }
  };
  for (const cell of cells) {
    while (running.size >= mostAtOnce) await Promise.race(running);
    await idle();
    const one = runOne(cell).finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  stalls.end();
  return repeated;
}

const MOST_ATTEMPTS = 3;
const STALL_MS = 1_000;

/** Notices if this process was stalled long enough for requests to time out without a fault. */
class Stalls {
  #last = performance.now();
  #latest = -Infinity;
  readonly #timer = setInterval(() => {
    const now = performance.now();
    if (now - this.#last > STALL_MS) this.#latest = now;
    this.#last = now;
  }, 50);

  anySince(start: number): boolean {
    return this.#latest >= start;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Waits until the process keeps up: requests must not time out because others keep it busy. */
async function idle(): Promise<void> {
  for (;;) {
    const start = performance.now();
    await sleep(1);
    if (performance.now() - start < 50) return;
  }
}

export async function runCell(cell: Cell, surroundings: Surroundings): Promise<Result> {
  const {
    section: { prepared, credentials, normal },
  } = cell;
  try {
    const outcome = await run(prepared, credentials, cell, surroundings);
    const given = { prepared, credentials, hit: cell, normal, outcome };
    return { cell, class: classOf(given), problems: problemsOf(given) };
  } catch (error) {
    return { cell, class: "error", problems: [`It broke the test: ${(error as Error).stack}`] };
  }
}
