import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs";
import * as z from "../zod";
import { ConfigurationError } from "./errors";
import { type Credentials, HEADER_TEXT, secretsOf } from "./credentials/credentials";
import { type TenantSettings } from "./settings";
import { parseJson } from "./shape";

/** A few hundred tokens have room; what is larger is not read. */
const MOST_CACHE_BYTES = 1024 * 1024;
/** How each file of ours begins, damaged or not; any other that is not empty is somebody's, and stays. */
const BEGINNING = '{"tokens":';

export interface CachedToken {
  value: string;
  /** What its answer said; not kept. */
  scope?: string | undefined;
  /** From when on it is not used any more, in epoch milliseconds. */
  renewAt: number;
}

const cacheContent = z.object({
  tokens: z.record(
    z.string(),
    z.object({
      value: z.string().regex(HEADER_TEXT),
      renewAt: z.number(),
    }),
  ),
});
type Tokens = z.infer<typeof cacheContent>["tokens"];

/** The file of `tokenCache` is not this user's alone. Nothing was sent. */
export class TokenCacheError extends ConfigurationError {}

/**
 * A file that keeps tokens from process to process. Who writes puts a whole new file in the place of the old
 * one, so no process reads half of one. Of two that write at once, one may lose its token for those that
 * follow: they ask for another.
 */
export class TokenCache {
  readonly #key: string;

  /** `credentials`: as they were read; of a command, its words. */
  constructor(
    private readonly file: string,
    credentials: Credentials,
    private readonly settings: Pick<TenantSettings, "origin" | "audience" | "nameOf">,
  ) {
    this.#key = keyOf(settings, credentials);
  }

  /** The token that is still good, if any; throws a `TokenCacheError` for a file that others may read. */
  read(now: number): CachedToken | undefined {
    const token = this.#tokens()[this.#key];
    return token !== undefined && now < token.renewAt ? token : undefined;
  }

  /** Keeps a token; what keeps it from being written is returned, as the end of a sentence. */
  write({ value, renewAt }: CachedToken, now: number): string | undefined {
    const good = Object.entries(this.#tokens()).filter(([, other]) => now < other.renewAt);
    return this.#replace({ ...Object.fromEntries(good), [this.#key]: { value, renewAt } });
  }

  /** Drops a token that the tenant refuses, and not another one that has taken its place. */
  drop(value: string): void {
    const { [this.#key]: token, ...others } = this.#tokens();
    if (token?.value === value) this.#replace(others);
  }

  #tokens(): Tokens {
    return cacheContent.safeParse(parseJson(this.#content() ?? "")).data?.tokens ?? {};
  }

  /** What can't be read is as good as not there: writing tells why. */
  #content(): string | undefined {
    try {
      this.#check(lstatSync(this.file));
      // Another file may have come to its place: no link is followed, and no writer of a pipe waited for.
      const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
      // Windows has no O_NOFOLLOW.
      const descriptor = openSync(this.file, O_RDONLY | O_NONBLOCK | (O_NOFOLLOW ?? 0));
      try {
        const status = fstatSync(descriptor);
        this.#check(status);
        const text = status.size > MOST_CACHE_BYTES ? undefined : readFileSync(descriptor, "utf8");
        if (text !== "" && text?.startsWith(BEGINNING) !== true)
          this.#refuse("holds something else: name another file, or remove this one.");
        return text;
      } finally {
        closeSync(descriptor);
      }
    } catch (error) {
      if (error instanceof TokenCacheError) throw error;
      return undefined;
    }
  }

  #check(status: Stats): void {
    const problem = cacheFileProblem(status);
    if (problem !== undefined) this.#refuse(problem);
  }

  #refuse(problem: string): never {
    throw new TokenCacheError(
      `${this.settings.nameOf("tokenCache")}: ${JSON.stringify(this.file)} ${problem} ` +
        "The file is made by this package, for its user alone.",
    );
  }

  #replace(tokens: Tokens): string | undefined {
    const next = `${this.file}.${randomUUID()}`;
    try {
      writeFileSync(next, `${JSON.stringify({ tokens })}\n`, { flag: "wx", mode: 0o600 });
      renameSync(next, this.file);
      return undefined;
    } catch (error) {
      rmSync(next, { force: true });
      const { code = "no reason given" } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "ENOTDIR") return "its folder does not exist";
      return `it could not be written (${code})`;
    }
  }
}

/** What a token depends on. A secret is part of a hash only. */
function keyOf({ origin, audience }: Pick<TenantSettings, "origin" | "audience">, of: Credentials): string {
  const client = "clientId" in of ? of.clientId : null;
  const words = "command" in of ? of.command : [];
  const text = JSON.stringify([origin, audience ?? null, of.kind, client, ...secretsOf(of), ...words]);
  return createHash("sha256").update(text).digest("base64url");
}

/** Why a file is not this user's alone, and what to do. Windows knows neither owners nor modes. */
function cacheFileProblem(status: Stats): string | undefined {
  if (status.isSymbolicLink()) return "is a link: name the file itself, or remove the link.";
  if (status.isDirectory()) return "is a folder: name a file in it.";
  if (!status.isFile()) return "is not a regular file: name another one.";
  const user = process.geteuid?.();
  if (user === undefined) return undefined;
  if (status.uid !== user) return "belongs to another user: name another file, in a folder of your own.";
  const mode = status.mode & 0o777;
  if ((mode & 0o077) === 0) return undefined;
  return `is open to other users (mode ${mode.toString(8)}), who may have read a token: remove it.`;
}
