/*
 * `npm run smoke -- --domain tenant.example.com`: tries the package's own requests on a real tenant. It reads
 * first; then it creates one connection profile and deletes it. It changes groups only if --role and --group
 * name some. An interrupt takes back what it has written. Credentials come from IDENTITY_CLIENT_ID and
 * IDENTITY_CLIENT_SECRET, or IDENTITY_ACCESS_TOKEN.
 */
import { randomUUID } from "node:crypto";
import { constants } from "node:os";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type IdentityClient } from "../provider/http/client";
import { IdentityError } from "../provider/http/errors";
import { makeBorder, makeClient } from "../provider/pulumi/clients";
import { readSettings } from "../provider/pulumi/settings";
import { connectionProfiles } from "../provider/service/connection-profiles";
import { readGroupPage } from "../provider/service/groups";
import { assignRoleGroups, listRoles, readRoleGroups, removeRoleGroups } from "../provider/service/roles";

const USAGE = `Usage: npm run smoke -- --domain tenant.example.com [--role rol_… --group grp_…] [--read-only]

Tries the package's own requests on a tenant: it reads profiles, groups and roles, then
creates, updates and deletes one connection profile.

  --domain HOST                  The tenant. http:// only for a simulated one.
  --role rol_… --group grp_…     Grants this role to this group, which must lack it, and revokes it.
  --read-only                    Stops after the reads.
  --help, -h                     This text.

Credentials come from IDENTITY_CLIENT_ID and IDENTITY_CLIENT_SECRET, or IDENTITY_ACCESS_TOKEN.
Ctrl-C takes back what it has written. Exit codes: 1 something failed; 2 an option is wrong.
`;

interface Options {
  domain: string;
  role: string | undefined;
  group: string | undefined;
  isReadOnly: boolean;
}

/** Takes a write back. It is noted before the write is sent, because the answer may never come. */
interface Undo {
  step: string;
  run: (client: IdentityClient) => Promise<string>;
  /** Names what else stays on the tenant, and how to remove it. */
  left: () => string;
}

class Smoke {
  #failures = 0;
  #isInterrupted = false;
  readonly #undos: Undo[] = [];
  readonly #border;

  constructor(
    private readonly client: IdentityClient,
    /** Takes writes back, even once the other client is cancelled. */
    private readonly cleaner: IdentityClient,
  ) {
    this.#border = client.border;
  }

  async run({ role, group, isReadOnly }: Options): Promise<boolean> {
    try {
      await this.#step("a token", async () => {
        await this.client.accessToken();
        return "given";
      });
      // Nothing else would work.
      if (this.#failures > 0) return false;
      await this.#read();
      if (isReadOnly) return this.#failures === 0;
      if (this.#isSkipped("all writes")) return false;
      await this.#profile();
      if (role === undefined || group === undefined || this.#isSkipped("the role"))
        return this.#failures === 0;
      await this.#group(role, group);
    } finally {
      while (this.#undos.length > 0) await this.#lastUndo();
    }
    return this.#failures === 0;
  }

  /** Ends the steps. An answer under way is awaited: what it did would otherwise come after its undo. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#failures++;
    this.client.cancel();
  }

  /** Prints what stays on the tenant if the process ends now. */
  printLeft(): void {
    for (const undo of this.#undos) this.#print("left", undo.left());
  }

  async #read(): Promise<void> {
    const { client } = this;
    await this.#step("connection profiles", async () => {
      const { items } = await connectionProfiles(client).page();
      return `${items.length} on the first page`;
    });
    await this.#step(
      "groups",
      async () => `${(await readGroupPage(client, {})).items.length} on the first page`,
    );
    await this.#step("roles", async () => {
      const roles = await listRoles(client);
      const [first] = roles;
      if (first === undefined) return "none";
      const groups = await readRoleGroups(client, first.id);
      return `${roles.length}; the first has ${groups.length} groups`;
    });
  }

  async #profile(): Promise<void> {
    const profiles = connectionProfiles(this.client);
    const name = `smoke-test-${randomUUID().slice(0, 8)}`;
    let id: string | undefined;
    const undo: Undo = {
      step: "delete it",
      run: async (client) => {
        id ??= await this.#idOf(name, client);
        if (id === undefined) return `no profile is called ${name}`;
        await connectionProfiles(client).delete(id);
        return "deleted";
      },
      left: () =>
        id === undefined
          ? `perhaps the connection profile ${name}. Look for that name in the dashboard, and delete it`
          : `the connection profile ${name}. Delete it: ${this.#curl(`/connection-profiles/${id}`)}`,
    };
    await this.#write(`create the profile ${name}`, undo, {
      send: async () => {
        ({ id } = await profiles.create({ name }));
      },
      says: () => id ?? "",
    });
    if (id === undefined) return;
    const made = id;
    await this.#step("read it back", async () => {
      const { name: read } = await profiles.read(made);
      if (read !== name) throw new Error(`its name is ${JSON.stringify(read)}`);
      return "same name";
    });
    await this.#step("update it", async () => {
      await profiles.update(made, { enabled_features: ["scim"] });
      return "scim enabled";
    });
    await this.#step(undo.step, () => this.#undone(undo, this.client));
  }

  /** A create whose answer was lost may take effect a little later. */
  async #idOf(name: string, client: IdentityClient): Promise<string | undefined> {
    for (const waitMs of [0, 2_000]) {
      await setTimeout(waitMs);
      const found = (await connectionProfiles(client).list()).find((profile) => profile.name === name);
      if (found !== undefined) return found.id;
    }
    return undefined;
  }

  /** Gives a role to a group that lacks it, and takes it back. */
  async #group(role: string, group: string): Promise<void> {
    const { client } = this;
    const has = async (asked = client) => (await readRoleGroups(asked, role)).some(({ id }) => id === group);
    await this.#step(`${group} lacks ${role}`, async () => {
      if (await has())
        throw new Error("it has the role already: name another group, or it would lose the role");
      return "yes";
    });
    if (this.#failures > 0) return;
    const undo: Undo = {
      step: "take it back",
      run: async (asked) => {
        await removeRoleGroups(asked, role, [group]);
        return (await has(asked)) ? "taken back, but the list still shows it" : "taken back";
      },
      left: () => {
        const command = this.#curl(`/roles/${role}/groups`, { groups: [group] });
        return `${group} may have ${role}. Take it back: ${command}`;
      },
    };
    await this.#write("assign the role", undo, {
      send: () => assignRoleGroups(client, role, [group]),
      says: async () => ((await has()) ? "assigned" : "assigned, but the list doesn't show it yet"),
    });
    if (this.#undos.includes(undo)) await this.#step(undo.step, () => this.#undone(undo, client));
  }

  async #write(
    what: string,
    undo: Undo,
    { send, says }: { send: () => Promise<void>; says: () => Promise<string> | string },
  ): Promise<void> {
    await this.#step(what, async () => {
      this.#undos.push(undo);
      try {
        await send();
      } catch (error) {
        const hasNoEffect = error instanceof IdentityError && ["refused", "not sent"].includes(error.outcome);
        if (hasNoEffect) this.#forget(undo);
        throw error;
      }
      return says();
    });
  }

  async #undone(undo: Undo, client: IdentityClient): Promise<string> {
    const said = await undo.run(client);
    this.#forget(undo);
    return said;
  }

  #forget(undo: Undo): void {
    this.#undos.splice(this.#undos.indexOf(undo), 1);
  }

  async #lastUndo(): Promise<void> {
    const undo = this.#undos.at(-1);
    if (undo === undefined) return;
    try {
      this.#print("undo", `${undo.step}: ${this.#border.quote(await this.#undone(undo, this.cleaner))}`);
    } catch (error) {
      this.#failures++;
      this.#print("error", `${undo.step}: ${this.#said(error)}`);
      this.#print("left", undo.left());
      this.#forget(undo);
    }
  }

  #isSkipped(what: string): boolean {
    if (this.#failures === 0) return false;
    if (!this.#isInterrupted) this.#print("-", `${what}: skipped, because something above failed`);
    return true;
  }

  async #step(what: string, work: () => Promise<string>): Promise<void> {
    if (this.#isInterrupted) return;
    try {
      const said = await work();
      this.#print("ok", `${what}: ${this.#border.quote(said)}`);
    } catch (error) {
      this.#failures++;
      this.#print("error", `${what}: ${this.#said(error)}`);
    }
  }

  #said(error: unknown): string {
    return this.#border.clean(error instanceof Error ? error.message : String(error));
  }

  #curl(path: string, body?: object): string {
    const data = body === undefined ? "" : ` --json '${JSON.stringify(body)}'`;
    const url = `${this.client.settings.origin}/api/v2${path}`;
    return `curl -X DELETE -H "Authorization: Bearer $TOKEN" ${url}${data}`;
  }

  #print(status: string, text: string): void {
    console.log(`${status.padEnd(6)} ${text}`);
  }
}

/** Returns undefined if the options don't fit together. */
function optionsOf(): Options | "help" | undefined {
  const { values } = parseArgs({
    options: {
      domain: { type: "string" },
      role: { type: "string" },
      group: { type: "string" },
      "read-only": { type: "boolean", default: false },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return "help";
  const { domain, role, group, "read-only": isReadOnly } = values;
  if (domain === undefined || (role === undefined) !== (group === undefined)) return undefined;
  return { domain, role, group, isReadOnly };
}

async function main(): Promise<void> {
  const options = optionsOf();
  if (options === "help") {
    console.log(USAGE.trimEnd());
    return;
  }
  if (options === undefined) {
    console.error(USAGE.trimEnd());
    process.exitCode = 2;
    return;
  }
  const settings = { ...readSettings(() => undefined, process.env), domain: options.domain };
  const [client, cleaner] = [1, 2].map(() =>
    makeClient(settings, { from: "environment" }, makeBorder(settings)),
  ) as [IdentityClient, IdentityClient];
  const smoke = new Smoke(client, cleaner);
  const interruptedBy = undoOnSignals(smoke);
  try {
    const isFine = await smoke.run(options);
    console.log(isFine ? "All of it worked." : "Not all of it worked.");
    process.exitCode = interruptedBy() ?? (isFine ? 0 : 1);
  } finally {
    await Promise.all([client.close(), cleaner.close()]);
  }
}

/** npm hands a Ctrl-C on, so that it comes twice. */
const SAME_SIGNAL_MS = 1_000;

/** Returns a function for the exit code of a signal; undefined if there was none. */
function undoOnSignals(smoke: Smoke): () => number | undefined {
  let first: { at: number; code: number } | undefined;
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      if (first === undefined) {
        first = { at: Date.now(), code: 128 + constants.signals[signal] };
        console.log(
          `${signal}: undoing what was written, after the answer under way. Once more ends at once.`,
        );
        smoke.interrupt();
      } else if (Date.now() - first.at > SAME_SIGNAL_MS) {
        smoke.printLeft();
        process.exit(first.code);
      }
    });
  return () => first?.code;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
