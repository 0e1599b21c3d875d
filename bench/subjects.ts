import { ManagementClient } from "auth0";
import { createRequire } from "node:module";
import { Agent, request } from "undici";
import type * as clientModule from "../provider/http/client";
import type * as createModule from "../provider/resources/connection-profile/writes";
import type * as serviceModule from "../provider/service/users";
import { DEFAULT_LIMITS } from "../provider/http/settings";
import { USER_ID } from "../simulator/default-seed";

// As published: translating TypeScript on the fly adds calls to each function.
const built = createRequire(__filename);
const { IdentityClient } = built("../dist/provider/http/client.js") as typeof clientModule;
const { createOnce } = built(
  "../dist/provider/resources/connection-profile/writes.js",
) as typeof createModule;
const { readUser } = built("../dist/provider/service/users.js") as typeof serviceModule;

/** A running simulator. */
export interface Tenant {
  url: string;
  clientId: string;
  clientSecret: string;
}

/** A way to call the measured service. */
export interface Subject {
  read(): Promise<unknown>;
  create(name: string): Promise<unknown>;
}

export const SUBJECTS = {
  client: clientSubject,
  undici: undiciSubject,
  auth0: auth0Subject,
} satisfies Record<string, (tenant: Tenant, concurrency: number) => Promise<Subject>>;
export type SubjectName = keyof typeof SUBJECTS;

function clientSubject(tenant: Tenant, concurrency: number): Promise<Subject> {
  const { url, clientId, clientSecret } = tenant;
  const client = new IdentityClient({
    origin: url,
    credentials: { type: "client-secret", clientId, clientSecret },
    limits: { ...DEFAULT_LIMITS, maxConcurrency: concurrency, maxWaitSeconds: 600 },
    nameOf: (setting) => setting,
    rotation: () => "",
  });
  return Promise.resolve({
    read: () => readUser(client, USER_ID),
    create: (name) => createOnce(client, { name }),
  });
}

/** The minimum that a client must do: send the request, and parse the answer. */
async function undiciSubject(tenant: Tenant, concurrency: number): Promise<Subject> {
  const dispatcher = new Agent({ connections: concurrency });
  const authorization = `Bearer ${await tokenOf(tenant)}`;
  return {
    async read() {
      const answer = await request(`${tenant.url}/api/v2/users/${encodeURIComponent(USER_ID)}`, {
        dispatcher,
        headers: { authorization, accept: "application/json" },
      });
      return answer.body.json();
    },
    async create(name) {
      const answer = await request(`${tenant.url}/api/v2/connection-profiles`, {
        dispatcher,
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
      const body = await answer.body.json();
      if (answer.statusCode !== 201) throw new Error(`Answered ${answer.statusCode}.`);
      return body;
    },
  };
}

/** The official client with its defaults; it speaks only https, which the simulator doesn't. */
function auth0Subject({ url, clientId, clientSecret }: Tenant): Promise<Subject> {
  const client = new ManagementClient({
    domain: new URL(url).host,
    clientId,
    clientSecret,
    fetch: (input, init) => fetch((input as string).replace("https:", "http:"), init),
  });
  return Promise.resolve({
    read: () => client.users.get(USER_ID),
    create: (name) => client.connectionProfiles.create({ name }),
  });
}

async function tokenOf({ url, clientId, clientSecret }: Tenant): Promise<string> {
  const answer = await request(`${url}/oauth/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: clientId,
      client_secret: clientSecret,
      audience: "/api/v2/",
    }).toString(),
  });
  return ((await answer.body.json()) as { access_token: string }).access_token;
}
