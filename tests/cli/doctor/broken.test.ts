import { mkdirSync, rmSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { type Caller } from "../../../cli/doctor/callers";
import { selfSigned } from "../../../testkit/certificate";
import { type SimulatorOptions } from "../../../simulator";
import { CLIENT_ID, CLIENT_SECRET, DEFAULT_SEED } from "../../../simulator/default-seed";
import { SCOPES, SetUp } from "./set-up";

/*
 * Broken set-ups, each with a file in golden/: the report names the one thing to do, and the tenant sees only
 * GETs and the token request.
 */

const TOKEN = "POST /oauth/token 200";
const GET = "GET /api/v2/connection-profiles?take=10 200";
const NOT_IN_PLAN = {
  statusCode: 403,
  message: "Connection profiles are not part of your plan.",
  errorCode: "insufficient_entitlement",
};
const WITHOUT_PROFILES = {
  method: "GET",
  path: "/api/v2/connection-profiles",
  action: { status: 403, body: NOT_IN_PLAN },
};
const TWIN = "cop_5wTqXn8YkLbVd2sPmZaGhJ";
const TOKEN_REFUSED = "POST /oauth/token 401";

interface Case {
  tenant?: SimulatorOptions;
  breaks?: (setUp: SetUp) => unknown;
  required?: Caller[];
  /** The overall status, and the beginning of the first thing to do. Default: an error, if there is one. */
  is?: "ok" | "warning";
  first?: string;
  /** All requests to the tenant. Default: those of a sound set-up. */
  sent?: string[];
}

const close: (() => void)[] = [];
afterEach(() => close.splice(0).forEach((end) => end()));

/** Listens on a free port until the test ends, and returns it. */
async function listen(server: http.Server): Promise<number> {
  close.push(() => server.close());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return (server.address() as AddressInfo).port;
}

const withClient = (scope: string): SimulatorOptions => ({
  seed: { ...DEFAULT_SEED, clients: [{ client_id: CLIENT_ID, client_secret: CLIENT_SECRET, scope }] },
});

function jsonWebToken(claims: object): string {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString("base64url");
  return `${part({ alg: "RS256", typ: "JWT" })}.${part(claims)}.c2lnbmF0dXJl`;
}

const CASES: Record<string, Case> = {
  ok: { is: "ok" },
  "settings-of-auth0": {
    breaks: (setUp) => {
      setUp.unset("domain", "clientId", "clientSecret");
      setUp.environment["AUTH0_DOMAIN"] = "tenant.example.com";
      setUp.config["auth0:clientId"] = { value: CLIENT_ID, secret: false };
      setUp.config["auth0:clientSecret"] = { value: CLIENT_SECRET, secret: true };
    },
    first: 'Copy it: export IDENTITY_DOMAIN="$AUTH0_DOMAIN"',
    sent: [],
  },
  "settings-of-auth0-beside-ours": {
    breaks: (setUp) => {
      setUp.environment["AUTH0_DOMAIN"] = "tenant.example.com";
      setUp.config["auth0:clientId"] = { value: CLIENT_ID, secret: false };
    },
    is: "ok",
  },
  "yaml-without-plugin": {
    breaks: (setUp) => setUp.project("runtime: yaml"),
    first: "Add to Pulumi.yaml: plugins: { providers: [{ name: identity, path: node_modules/.bin }] }",
  },
  "yaml-with-plugin-elsewhere": {
    breaks: (setUp) =>
      setUp.project("runtime: { name: yaml }\nplugins: { providers: [{ name: identity, path: bin }] }"),
    first: "In Pulumi.yaml, set the path of the plugin entry to node_modules/.bin.",
  },
  "yaml-with-version": {
    breaks: (setUp) =>
      setUp.project(
        "runtime:\n  name: yaml\nplugins:\n  providers:\n    # ours\n    - name: other\n      path: x\n" +
          "    - name: identity\n      version: 9.9.9\n      path: node_modules/.bin\nvariables: {}",
      ),
    is: "warning",
    first: "Remove `version` from the plugin entry",
  },
  yaml: {
    breaks: (setUp) =>
      setUp.project(
        'runtime: "yaml"\nplugins:\n  providers:\n    - { name: "identity", path: "./node_modules/.bin" }\n',
      ),
    is: "ok",
  },
  "required-commands": {
    tenant: withClient("read:connection_profiles read:group_roles read:roles read:user_effective_roles"),
    required: ["access", "review"],
    first: "Grant read:groups",
  },
  "command-scopes": {
    tenant: withClient(
      `${SCOPES.join(" ")} read:user_effective_roles read:user_role_source_groups read:stats`,
    ),
    is: "ok",
  },
  "no-domain": {
    breaks: (setUp) => setUp.unset("domain"),
    first:
      "Set identity:domain (IDENTITY_DOMAIN), for example: pulumi config set identity:domain tenant.example.com.",
    sent: [],
  },
  "malformed-domain": {
    breaks: (setUp) => setUp.set("domain", "https://tenant.example.com/login"),
    first: "Correct domain: `pulumi config set identity:domain`.",
    sent: [],
  },
  "unknown-host": {
    breaks: (setUp) => setUp.set("domain", "tenant.invalid"),
    first: "Correct identity:domain (IDENTITY_DOMAIN).",
    sent: [],
  },
  "nothing-listens": {
    breaks: (setUp) => setUp.simulator.close(),
    first: "Correct identity:domain (IDENTITY_DOMAIN), host or port",
    sent: [],
  },
  "untrusted-certificate": {
    breaks: async (setUp) => {
      const port = await listen(https.createServer(selfSigned("localhost")));
      setUp.set("domain", `https://localhost:${port}`);
    },
    first: "If a CA of your own signed it, set NODE_EXTRA_CA_CERTS",
    sent: [],
  },
  "no-tenant": {
    breaks: async (setUp) => {
      const server = http.createServer((_, response) => response.writeHead(404).end("<h1>Not found</h1>"));
      setUp.set("domain", `http://127.0.0.1:${await listen(server)}`);
    },
    first: "Correct identity:domain (IDENTITY_DOMAIN): http://127.0.0.1:PORT has no token endpoint",
    sent: [],
  },
  "no-client-id": {
    breaks: (setUp) => setUp.unset("clientId"),
    first: "Set identity:clientId (IDENTITY_CLIENT_ID)",
    sent: [],
  },
  "wrong-secret": {
    breaks: (setUp) => setUp.set("clientSecret", "a-secret-of-yesterday", true),
    first: "Correct identity:clientId (IDENTITY_CLIENT_ID) or identity:clientSecret (IDENTITY_CLIENT_SECRET)",
    sent: [TOKEN_REFUSED],
  },
  "wrong-audience": {
    breaks: (setUp) => setUp.set("audience", "https://other.example.com/"),
    first: "Set identity:audience (IDENTITY_AUDIENCE)",
    sent: ["POST /oauth/token 403"],
  },
  "client-without-grant": {
    tenant: withClient(""),
    first: "On the tenant, authorize the client for the management API",
    sent: ["POST /oauth/token 403", "POST /oauth/token 403"],
  },
  "expired-token": {
    breaks: (setUp) => {
      const token = jsonWebToken({ exp: Math.floor(Date.now() / 1000) - 3 * 3600, scope: "read:users" });
      setUp.environment["IDENTITY_ACCESS_TOKEN"] = token;
    },
    first: "Get a new token, and set identity:accessToken (IDENTITY_ACCESS_TOKEN) to it.",
    sent: [GET.replace("200", "401")],
  },
  "foreign-token": {
    breaks: (setUp) => {
      const token = jsonWebToken({ aud: "https://other.example.com/api/v2/", scope: "read:users" });
      setUp.environment["IDENTITY_ACCESS_TOKEN"] = token;
    },
    first: "Get a token of http://127.0.0.1:PORT for its management API",
    sent: [GET.replace("200", "401")],
  },
  "ended-settings": {
    breaks: (setUp) => {
      setUp.unset("clientSecret");
      setUp.environment["IDENTITY_CLIENT_SECRET_FILE"] = "/run/secrets/identity";
      setUp.set("uniqueProfileNames", "true");
      setUp.set("requireReview", "0123456789abcdef".repeat(4));
    },
    first: 'Remove it, and run this before Pulumi: export IDENTITY_CLIENT_SECRET="$(cat FILE)".',
    sent: [],
  },
  // Its scopes are unknown, except for the one that the call lacked.
  "opaque-token": {
    tenant: {
      seed: { ...DEFAULT_SEED, tokens: [{ access_token: "opaque-token-0123456789", scope: "read:users" }] },
    },
    breaks: (setUp) => {
      setUp.environment["IDENTITY_ACCESS_TOKEN"] = "opaque-token-0123456789";
    },
    required: ["ConnectionProfile"],
    first: "Grant read:connection_profiles",
    sent: [GET.replace("200", "403")],
  },
  "missing-scope": {
    tenant: withClient("read:connection_profiles read:group_roles create:group_roles"),
    required: ["RoleGroupAssignment"],
    first: "Grant delete:group_roles",
  },
  "clock-behind": {
    tenant: { skew: 600 },
    is: "warning",
    first: "Set the clock of this machine",
  },
  "nearly-empty-bucket": {
    tenant: { rate: { burst: 10, perSecond: 0.01 } },
    breaks: async ({ simulator }) => {
      for (let i = 0; i < 9; i++) await fetch(`${simulator.url}/api/v2/connection-profiles`);
      simulator.reset();
    },
    is: "warning",
    first: "Run programs later, or lower identity:rateLimitReserve",
  },
  "no-package": {
    breaks: ({ folder }) => {
      rmSync(join(folder, "node_modules"));
      mkdirSync(join(folder, "node_modules"));
    },
    first: "Run `npm install @pulumi/pulumi` in /FOLDER.",
  },
  "no-stack": {
    breaks: (setUp) =>
      setUp.pulumi(
        `[ "$1" = version ] && echo v3.257.0 && exit; echo "error: no stack selected; please use" >&2; exit 1`,
      ),
    first: "Run `pulumi stack init NAME` or, if it exists, `pulumi stack select NAME`; or add --stack NAME.",
    sent: [],
  },
  "no-pulumi": {
    breaks: (setUp) => rmSync(join(setUp.folder, "bin"), { recursive: true }),
    first: "Install the Pulumi CLI",
    sent: [],
  },
  "no-project": {
    breaks: (setUp) => {
      rmSync(join(setUp.folder, "Pulumi.yaml"));
      setUp.pulumi(
        `[ "$1" = version ] && echo v3.257.0 && exit; echo "error: no Pulumi.yaml project file found" >&2; exit 1`,
      );
    },
    first: "Run this in the folder of the program's Pulumi.yaml.",
    sent: [],
  },
  "day-one-mistakes": {
    breaks: (setUp) => {
      setUp.set("clientID", CLIENT_ID);
      setUp.set("clientSecret", CLIENT_SECRET);
      setUp.set("maxConcurrency", "16", true);
      setUp.environment["IDENTITY_CLIENTID"] = CLIENT_ID;
      setUp.environment["IDENTITY_DOMAIN"] = setUp.simulator.url;
    },
    first: "Correct the key, or remove it: pulumi config rm identity:clientID.",
  },
  placeholder: {
    breaks: (setUp) => setUp.set("clientId", "<client id>"),
    first: "Put the tenant's own value into identity:clientId.",
    sent: [TOKEN_REFUSED],
  },
  "killed-run": {
    tenant: { seed: { ...DEFAULT_SEED, connection_profiles: [{ id: TWIN, name: "partners" }] } },
    breaks: (setUp) => {
      const type = "pulumi-nodejs:dynamic/identity:ConnectionProfile";
      const urn = `urn:pulumi:dev::test::${type}::`;
      const known = { urn: `${urn}known`, type, id: "cop_known", outputs: { name: "known" } };
      const create = { type, inputs: { name: "partners" }, sourcePosition: "project:///index.ts#9,3" };
      setUp.state(
        [known],
        [
          { type: "creating", resource: { ...create, urn: `${urn}partners` } },
          { type: "updating", resource: known },
          { type: "creating", resource: { urn: "urn:pulumi:dev::test::a:b:C::d", type: "a:b:C" } },
        ],
      );
    },
    is: "warning",
    first: "Look on the tenant. If it's there, adopt it",
    sent: [TOKEN, GET, GET],
  },
  "plan-without-profiles": {
    breaks: ({ simulator }) => simulator.fail(WITHOUT_PROFILES),
    first: "Get a plan that has connection profiles.",
    sent: [TOKEN, GET.replace("200", "403")],
  },
  "plan-without-profiles-that-are-needed": {
    breaks: ({ simulator }) => simulator.fail(WITHOUT_PROFILES),
    required: ["RoleGroupAssignment"],
    is: "warning",
    first: "Nothing that you require needs connection profiles.",
    sent: [TOKEN, GET.replace("200", "403")],
  },
  "guessed-audience": {
    tenant: { behaviour: { audience: "relative", token_path: "with_slash" } },
    is: "ok",
    sent: ["POST /oauth/token 404", "POST /oauth/token/ 403", "POST /oauth/token/ 200", GET],
  },
};

test.each(Object.entries(CASES))(
  "%s",
  async (name, { tenant, breaks, required, is = "error", first, sent = [TOKEN, GET] }) => {
    const setUp = await SetUp.start(tenant);
    try {
      await breaks?.(setUp);
      const report = await setUp.examine({ ...(required && { required }) });
      expect(setUp.simulator.log()).toEqual(sent);
      const masked = setUp.masked(report);
      expect(masked.status).toBe(is);
      expect(masked.first).toEqual(first && expect.stringContaining(first));
      const text = JSON.stringify(report);
      for (const secret of [
        CLIENT_SECRET,
        "a-secret-of-yesterday",
        "opaque-token-0123456789",
        ...setUp.simulator.state().access_tokens,
      ]) {
        expect(text).not.toContain(secret);
      }
      setUp.expectGolden(name, report);
    } finally {
      await setUp.end();
    }
  },
);
