import { createHash, randomUUID } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { basename, join } from "node:path";

/*
 * One run of the engine has several processes of ours: the program, and a host for each provider. Both are
 * given the address of the engine. It names a folder in the system's temporary folder, in which each leaves
 * what the others can't know: a file a process, a line a fact. The files hold ids of roles and hashes, and
 * nothing else.
 *
 * Nobody can remove the folder when the run ends: the engine kills the hosts, and the program has ended
 * before. An address is used again, so each file bears the id of a process that ends with the run: when that
 * is gone, the file says nothing. What is a day old is removed.
 */

/** The first text says what kind of fact it is, the second is the tenant's host name. */
export type Fact = readonly [kind: string, tenant: string, ...rest: string[]];

/** Where the engine listens that has started this process as a provider host, e.g. `127.0.0.1:43117`. */
export function engineOfHost(): string | undefined {
  const [, script = "", address] = process.argv;
  return /dynamic-provider/.test(script) ? address : undefined;
}

const HASH_LENGTH = 8;

/** 48 bits: enough to tell the groups of a role apart. */
export function hashOf(id: string): string {
  return createHash("sha256").update(id).digest("base64url").slice(0, HASH_LENGTH);
}

export function hashesIn(text: string): string[] {
  return Array.from({ length: Math.floor(text.length / HASH_LENGTH) }, (_, i) =>
    text.slice(i * HASH_LENGTH, (i + 1) * HASH_LENGTH),
  );
}

/** Ids, of which those that another process has left are hashes. */
export class HashedIds {
  readonly #hashes = new Set<string>();

  /** `onAdded` is called for each new one of this process. */
  constructor(private readonly onAdded: (hash: string) => void = () => {}) {}

  add(id: string): void {
    const hash = hashOf(id);
    if (this.#hashes.has(hash)) return;
    this.#hashes.add(hash);
    this.onAdded(hash);
  }

  addHash(hash: string): void {
    this.#hashes.add(hash);
  }

  delete(id: string): void {
    this.#hashes.delete(hashOf(id));
  }

  has(id: string): boolean {
    return this.#hashes.has(hashOf(id));
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

export class RunFolder {
  readonly #own: string;
  readonly #read = new Map<string, number>();
  readonly #facts: Fact[] = [];
  readonly #listeners: ((fact: Fact) => void)[] = [];

  private constructor(
    private readonly folder: string,
    processId: number,
  ) {
    this.#own = join(folder, `${processId}-${randomUUID()}`);
  }

  /**
   * `processId`: of a process that ends with the run, and not before its deletes. Undefined where the folder
   * can't be had: then nothing is known of other processes.
   */
  static of(engine: string, processId = process.pid, temporary = tmpdir()): RunFolder | undefined {
    const folder = folderOf(engine, temporary);
    return folder === undefined ? undefined : new RunFolder(folder, processId);
  }

  static remove(engine: string, temporary = tmpdir()): void {
    const folder = folderOf(engine, temporary);
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }

  leave(fact: Fact): void {
    const append = () => appendFileSync(this.#own, `${JSON.stringify(fact)}\n`, { mode: 0o600 });
    try {
      append();
    } catch {
      try {
        // The program, which begins after a refresh, removes what may be of an earlier run.
        makeOwnFolder(this.folder);
        append();
      } catch {
        // The others go without: they are as cautious as if this process were not there.
      }
    }
  }

  /** Hands each fact of others to `onFact`: those known already at once, later ones by `listen`. */
  subscribe(onFact: (fact: Fact) => void): void {
    this.#facts.forEach(onFact);
    this.#listeners.push(onFact);
  }

  listen(): void {
    for (const fact of this.#found()) {
      this.#facts.push(fact);
      for (const onFact of this.#listeners) onFact(fact);
    }
  }

  #found(): Fact[] {
    try {
      const files = readdirSync(this.folder).map((name) => join(this.folder, name));
      return files
        .filter((file) => file !== this.#own && isAlive(Number.parseInt(basename(file), 10)))
        .flatMap((file) => this.#new(file));
    } catch {
      return [];
    }
  }

  #new(file: string): Fact[] {
    const from = this.#read.get(file) ?? 0;
    const { size } = statSync(file);
    if (size <= from) return [];
    const bytes = Buffer.alloc(size - from);
    const descriptor = openSync(file, "r");
    try {
      readSync(descriptor, bytes, 0, bytes.length, from);
    } finally {
      closeSync(descriptor);
    }
    const end = bytes.lastIndexOf("\n") + 1;
    this.#read.set(file, from + end);
    const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
    return lines.map(factIn).filter((fact) => fact !== undefined);
  }
}

function factIn(line: string): Fact | undefined {
  try {
    const fact: unknown = JSON.parse(line);
    const isFact = Array.isArray(fact) && fact.length > 1 && fact.every((text) => typeof text === "string");
    return isFact ? (fact as unknown as Fact) : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of the run, made if needed; undefined where it can't be had or others could write to it. */
function folderOf(engine: string, temporary: string): string | undefined {
  try {
    const { uid, username } = userInfo();
    const root = join(temporary, `pulumi-identity-${uid < 0 ? username : uid}`);
    const folder = join(root, createHash("sha256").update(engine).digest("hex").slice(0, 16));
    makeOwnFolder(root);
    const { uid: owner, mode } = lstatSync(root);
    // Windows has a temporary folder for each user.
    if (uid >= 0 && (owner !== uid || (mode & 0o022) !== 0)) return undefined;
    makeOwnFolder(folder);
    sweep(root, folder);
    return folder;
  } catch {
    return undefined;
  }
}

function makeOwnFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !lstatSync(path).isDirectory()) throw error;
  }
}

function sweep(root: string, own: string): void {
  const old = (folder: string) =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((path) => path !== own && isOld(path));
  for (const path of [...old(root), ...old(own)]) rmSync(path, { recursive: true, force: true });
}

/** What another run removes at the same time is none of this one's. */
function isOld(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > DAY_MS;
}

function isAlive(processId: number): boolean {
  if (!(processId > 0)) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
