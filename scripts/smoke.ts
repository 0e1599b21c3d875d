/*
 * `npm run smoke -- --domain tenant.example.com`: tries the package's own requests on a real tenant. It reads
 * first; then it creates one connection profile and deletes it. It changes groups only if --role and --group
 * name some. Credentials come from IDENTITY_CLIENT_ID and IDENTITY_CLIENT_SECRET, or IDENTITY_ACCESS_TOKEN.
 */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { type IdentityClient } from "../provider/http/client";
import { makeBorder, makeClient } from "../provider/pulumi/clients";
import { readSettings } from "../provider/pulumi/settings";
import { connectionProfiles } from "../provider/service/connection-profiles";
import { readGroupPage } from "../provider/service/groups";
import {
  assignRoleGroups,
  listRoleGroups,
  listRoles,
  readRoleGroups,
  removeRoleGroups,
} from "../provider/service/roles";

const USAGE =
  "Usage: npm run smoke -- --domain tenant.example.com [--role rol_… --group grp_…] [--read-only]";

interface Options {
  domain: string;
  role: string | undefined;
  group: string | undefined;
  isReadOnly: boolean;
}

class Smoke {
  #failures = 0;
  readonly #border;

  constructor(private readonly client: IdentityClient) {
    this.#border = client.border;
  }

  async run({ role, group, isReadOnly }: Options): Promise<boolean> {
    await this.#step("a token", async () => {
      await this.client.accessToken();
      return "given";
    });
    // Without these, nothing else would work.
    if (this.#failures > 0) return false;
    await this.#read();
    if (this.#failures > 0 || isReadOnly) return this.#failures === 0;
    await this.#profile();
    if (role !== undefined && group !== undefined) await this.#group(role, group);
    return this.#failures === 0;
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
    await this.#step(`create the profile ${name}`, async () => {
      ({ id } = await profiles.create({ name }));
      return id;
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
    await this.#step("delete it", async () => {
      await profiles.delete(made);
      return "deleted";
    });
  }

  /** Gives a role to a group that lacks it, and takes it back. */
  async #group(role: string, group: string): Promise<void> {
    const { client } = this;
    const has = async () => (await listRoleGroups(client, role)).includes(group);
    await this.#step(`${group} lacks ${role}`, async () => {
      if (await has())
        throw new Error("it has the role already: name another group, or it would lose the role");
      return "yes";
    });
    if (this.#failures > 0) return;
    await this.#step("assign the role", async () => {
      await assignRoleGroups(client, role, [group]);
      return (await has()) ? "assigned" : "assigned, but the list doesn't show it yet";
    });
    await this.#step("take it back", async () => {
      await removeRoleGroups(client, role, [group]);
      return (await has()) ? "taken back, but the list still shows it" : "taken back";
    });
  }

  async #step(what: string, work: () => Promise<string>): Promise<void> {
    try {
      console.log(`ok     ${what}: ${this.#border.quote(await work())}`);
    } catch (error) {
      this.#failures++;
      console.log(
        `error  ${what}: ${this.#border.clean(error instanceof Error ? error.message : String(error))}`,
      );
    }
  }
}

function optionsOf(): Options | undefined {
  const { values } = parseArgs({
    options: {
      domain: { type: "string" },
      role: { type: "string" },
      group: { type: "string" },
      "read-only": { type: "boolean", default: false },
    },
  });
  const { domain, role, group, "read-only": isReadOnly } = values;
  if (domain === undefined || (role === undefined) !== (group === undefined)) return undefined;
  return { domain, role, group, isReadOnly };
}

async function main(): Promise<void> {
  const options = optionsOf();
  if (options === undefined) {
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  const settings = { ...readSettings(() => undefined, process.env), domain: options.domain };
  const client = makeClient(settings, { kind: "environment" }, makeBorder(settings));
  try {
    const isFine = await new Smoke(client).run(options);
    console.log(isFine ? "All of it worked." : "Not all of it worked.");
    process.exitCode = isFine ? 0 : 1;
  } finally {
    await client.close();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
