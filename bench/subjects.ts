import { ManagementClient } from "auth0";
import { createRequire } from "node:module";
import type * as clientModule from "../provider/http/client";
import type * as createModule from "../provider/resources/connection-profile/writes";
import { DEFAULT_LIMITS } from "../provider/http/settings";

// As published: translating TypeScript on the fly adds calls to each function.
const built = createRequire(__filename);
const { IdentityClient } = built("../dist/provider/http/client.js") as typeof clientModule;
const { createOnce } = built(
  "../dist/provider/resources/connection-profile/writes.js",
) as typeof createModule;

/** A running simulator. */
export interface Tenant {
  url: string;
  clientId: string;
  clientSecret: string;
}

/** A way to call the measured service. */
export interface Subject {
  create(name: string): Promise<unknown>;
}

export const SUBJECTS = {
  client: clientSubject,
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
    create: (name) => createOnce(client, { name }),
  });
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
    create: (name) => client.connectionProfiles.create({ name }),
  });
}
