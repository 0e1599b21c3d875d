import { createHash, randomUUID } from "node:crypto";
import {
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";

/*
 * Each provider of a run has its own host process. They share here what `check` has approved, and read it
 * before taking anything away: a line per resource, in one file named by the engine's address. It contains
 * only names of resources, and hashes.
 */

export const HASH_LENGTH = 8;
const DAY_MS = 24 * 60 * 60 * 1000;

/** 48 bits: enough to tell the groups of a role apart. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, HASH_LENGTH);
}

/** The file of a run, in a folder of the user's own. */
export function hostsFilePath(engine: string): string {
  const { uid, username } = userInfo();
  return join(tmpdir(), `pulumi-identity-${uid < 0 ? username : uid}`, hashOf(engine));
}

/** A resource's claims: `keys` mean the same in all hosts, such as a tenant, a role and a group. */
export interface Wish {
  /** Tells the resources of a host apart. */
  owner: string;
  name: string;
  keys: readonly string[];
}

export class HostsFile {
  readonly #self: string;
  readonly #wishes = new Map<string, { name: string; hashes: ReadonlySet<string> }>();
  /** True for hosts whose lines count. */
  readonly #isHeard = new Map<string, boolean>();
  #foundPath: string | undefined;
  #descriptor: number | undefined;
  #read = 0;
  /** Bytes of this host's own that it hasn't skipped yet. */
  #written = 0;

  constructor(private readonly engine: string) {
    this.#self = `${process.pid} ${randomUUID()}`;
    this.#isHeard.set(this.#self, false);
  }

  /** Records a resource's claims, replacing its earlier ones. */
  write({ owner, name, keys }: Wish): void {
    const line = JSON.stringify([this.#self, owner, name, ...keys.map(hashOf)]);
    try {
      this.#descriptor ??= this.#open(constants.O_CREAT);
      if (this.#descriptor !== undefined) this.#written += writeSync(this.#descriptor, `${line}\n`);
    } catch {
      // The other hosts miss this, and may take a group's role away for a moment.
    }
  }

  /** Returns the name of another host's resource that wants one of these keys. */
  wants(keys: readonly string[]): string | undefined {
    this.#listen();
    if (this.#wishes.size === 0) return undefined;
    const hashes = keys.map(hashOf);
    for (const { name, hashes: wishes } of this.#wishes.values())
      if (hashes.some((hash) => wishes.has(hash))) return name;
    return undefined;
  }

  #listen(): void {
    try {
      // Most runs never have the file, and to fail to open it takes far longer.
      if (this.#descriptor === undefined && !existsSync(this.#path)) return;
      this.#descriptor ??= this.#open();
      if (this.#descriptor === undefined) return;
      const unread = fstatSync(this.#descriptor).size - this.#read;
      const isOwn = unread === this.#written;
      this.#written = 0;
      if (isOwn) {
        this.#read += unread;
        return;
      }
      const bytes = Buffer.alloc(unread);
      readSync(this.#descriptor, bytes, 0, bytes.length, this.#read);
      const end = bytes.lastIndexOf("\n") + 1;
      this.#read += end;
      const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
      lines.forEach((line) => this.#hear(line));
    } catch {
      // No host of this run has approved anything yet, or none can write.
    }
  }

  #hear(line: string): void {
    const [host, owner, name, ...hashes] = JSON.parse(line) as [string, string, string, ...string[]];
    // Engines reuse addresses, so skip hosts of an earlier run.
    const isHeard = this.#isHeard.get(host) ?? isAlive(Number.parseInt(host, 10));
    this.#isHeard.set(host, isHeard);
    if (isHeard) this.#wishes.set(`${host} ${owner}`, { name, hashes: new Set(hashes) });
  }

  /** Kept: every delete asks for it, and the user's id is looked up in the system's list of users. */
  get #path(): string {
    return (this.#foundPath ??= hostsFilePath(this.engine));
  }

  /** Undefined if others could write to the file. */
  #open(create = 0): number | undefined {
    const path = this.#path;
    const folder = dirname(path);
    if (create !== 0) {
      mkdirSync(folder, { mode: 0o700, recursive: true });
      sweep(folder);
    }
    const { uid } = userInfo();
    const { uid: owner, mode } = lstatSync(folder);
    // Windows has a temporary folder for each user.
    if (uid >= 0 && (owner !== uid || (mode & 0o022) !== 0)) return undefined;
    const { O_RDWR, O_APPEND, O_NOFOLLOW } = constants;
    const noLink = process.platform === "win32" ? 0 : O_NOFOLLOW;
    return openSync(path, O_RDWR | O_APPEND | noLink | create, 0o600);
  }
}

/** A host never learns that its run has ended, so the next run deletes files older than a day. */
function sweep(folder: string): void {
  // The machine's own time: a test that sets a host's clock ahead must not delete what others use.
  const now = performance.timeOrigin + performance.now();
  for (const path of readdirSync(folder).map((name) => join(folder, name))) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats !== undefined && now - stats.mtimeMs > DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return processId > 0;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
