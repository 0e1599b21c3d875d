import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { type AddressInfo } from "node:net";
import { join } from "node:path";
import { type Caller } from "../../../cli/doctor/callers";
import { doctorText, type Finding, type Report } from "../../../cli/doctor/report";
import { selfSigned } from "../../../testkit/certificate";
import { type SimulatorOptions } from "../../../simulator";
import { CLIENT_ID, CLIENT_SECRET, DEFAULT_SEED } from "../../../simulator/default-seed";
import { expectGolden } from "../../../testkit/golden";
import { installPlugin } from "./plugin-files";
import { SCOPES, SetUp } from "./set-up";

/*
 * Broken set-ups: the report names the one thing to do, and the tenant sees only GETs and the token request.
 * golden/broken.txt has what each report says otherwise than that of a sound set-up, which is golden/ok.txt.
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
  "settings-of-auth0": {
    breaks: (setUp) => {
      setUp.unset("domain", "clientId", "clientSecret");
      setUp.environment["AUTH0_DOMAIN"] = "tenant.example.com";
      setUp.config["auth0:clientId"] = { value: CLIENT_ID, secret: false };
      setUp.config["auth0:clientSecret"] = { value: CLIENT_SECRET, secret: true };
    },
    sent: [],
  },
  "settings-of-auth0-beside-ours": {
    breaks: (setUp) => {
      setUp.environment["AUTH0_DOMAIN"] = "tenant.example.com";
      setUp.config["auth0:clientId"] = { value: CLIENT_ID, secret: false };
    },
  },
  "yaml-without-plugin": {
    breaks: (setUp) => setUp.project("runtime: yaml"),
  },
  // Neither Node.js nor npm's packages.
  yaml: {
    breaks: (setUp) => {
      setUp.project("runtime: yaml");
      rmSync(join(setUp.folder, "node_modules"));
      const platform = process.platform === "darwin" ? "darwin-arm64" : "linux-amd64";
      installPlugin(setUp.home, "0.3.0", { version: "0.3.0", platform });
      symlinkSync("/bin/cat", join(setUp.folder, "bin/cat"));
      setUp.environment["PATH"] = join(setUp.folder, "bin");
    },
  },
  "required-commands": {
    tenant: withClient("read:connection_profiles read:group_roles read:roles read:user_effective_roles"),
    required: ["access", "review"],
  },
  "command-scopes": {
    tenant: withClient(
      `${SCOPES.join(" ")} read:user_effective_roles read:user_role_source_groups read:stats`,
    ),
  },
  "no-passphrase": {
    breaks: ({ folder }) => writeFileSync(join(folder, "Pulumi.dev.yaml"), "encryptionsalt: v1:abc=\n"),
  },
  "no-domain": {
    breaks: (setUp) => setUp.unset("domain"),
    sent: [],
  },
  "malformed-domain": {
    breaks: (setUp) => setUp.set("domain", "https://tenant.example.com/login"),
    sent: [],
  },
  "unknown-host": {
    breaks: (setUp) => setUp.set("domain", "tenant.invalid"),
    sent: [],
  },
  "nothing-listens": {
    breaks: (setUp) => setUp.simulator.close(),
    sent: [],
  },
  "untrusted-certificate": {
    breaks: async (setUp) => {
      delete process.env["NODE_EXTRA_CA_CERTS"];
      const port = await listen(https.createServer(selfSigned("localhost")));
      setUp.set("domain", `https://localhost:${port}`);
    },
    sent: [],
  },
  "simulator-by-https": {
    breaks: (setUp) => setUp.set("domain", new URL(setUp.simulator.url).host),
    sent: [],
  },
  "no-tenant": {
    breaks: async (setUp) => {
      const server = http.createServer((_, response) => response.writeHead(404).end("<h1>Not found</h1>"));
      setUp.set("domain", `http://127.0.0.1:${await listen(server)}`);
    },
    sent: [],
  },
  "no-client-id": {
    breaks: (setUp) => setUp.unset("clientId"),
    sent: [],
  },
  "wrong-secret": {
    breaks: (setUp) => setUp.set("clientSecret", "a-secret-of-yesterday", true),
    sent: [TOKEN_REFUSED],
  },
  "wrong-audience": {
    breaks: (setUp) => setUp.set("audience", "https://other.example.com/"),
    sent: ["POST /oauth/token 403"],
  },
  "client-without-grant": {
    tenant: withClient(""),
    sent: ["POST /oauth/token 403"],
  },
  "expired-token": {
    breaks: (setUp) => {
      const token = jsonWebToken({ exp: Math.floor(Date.now() / 1000) - 3 * 3600, scope: "read:users" });
      setUp.environment["IDENTITY_ACCESS_TOKEN"] = token;
    },
    sent: [GET.replace("200", "401")],
  },
  "foreign-token": {
    breaks: (setUp) => {
      const token = jsonWebToken({ aud: "https://other.example.com/api/v2/", scope: "read:users" });
      setUp.environment["IDENTITY_ACCESS_TOKEN"] = token;
    },
    sent: [GET.replace("200", "401")],
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
    sent: [GET.replace("200", "403")],
  },
  "missing-scope-of-nothing-required": {
    tenant: withClient(SCOPES.filter((scope) => scope !== "read:users").join(" ")),
    required: ["RoleGroupAssignment"],
  },
  "missing-scope": {
    tenant: withClient("read:connection_profiles read:group_roles create:group_roles"),
    required: ["RoleGroupAssignment"],
  },
  "clock-behind": {
    tenant: { skew: 600 },
  },
  "nearly-empty-bucket": {
    tenant: { rate: { burst: 10, perSecond: 0.01 } },
    breaks: async ({ simulator }) => {
      for (let i = 0; i < 9; i++) await fetch(`${simulator.url}/api/v2/connection-profiles`);
      simulator.reset();
    },
  },
  "no-package": {
    breaks: ({ folder }) => {
      rmSync(join(folder, "node_modules"));
      mkdirSync(join(folder, "node_modules"));
    },
  },
  "no-stack": {
    breaks: (setUp) =>
      setUp.pulumi(
        `[ "$1" = version ] && echo v3.257.0 && exit; echo "error: no stack selected; please use" >&2; exit 1`,
      ),
    sent: [],
  },
  "no-pulumi": {
    breaks: (setUp) => rmSync(join(setUp.folder, "bin"), { recursive: true }),
    sent: [],
  },
  "no-project": {
    breaks: (setUp) => {
      rmSync(join(setUp.folder, "Pulumi.yaml"));
      setUp.pulumi(
        `[ "$1" = version ] && echo v3.257.0 && exit; echo "error: no Pulumi.yaml project file found" >&2; exit 1`,
      );
    },
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
  },
  placeholder: {
    breaks: (setUp) => setUp.set("clientId", "<client id>"),
    sent: [TOKEN_REFUSED],
  },
  "killed-run": {
    tenant: {
      seed: { ...DEFAULT_SEED, connection_profiles: [{ id: TWIN, name: "partners" }] },
      // No request comes back between its two.
      rate: { burst: 50, perSecond: 0.001 },
    },
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
    sent: [TOKEN, GET, GET],
  },
  "plan-without-profiles": {
    breaks: ({ simulator }) => simulator.fail(WITHOUT_PROFILES),
    sent: [TOKEN, GET.replace("200", "403")],
  },
  "plan-without-profiles-that-are-needed": {
    breaks: ({ simulator }) => simulator.fail(WITHOUT_PROFILES),
    required: ["RoleGroupAssignment"],
    sent: [TOKEN, GET.replace("200", "403")],
  },
  "guessed-audience": {
    tenant: { behaviour: { audience: "relative", token_path: "with_slash" } },
    sent: ["POST /oauth/token 404", "POST /oauth/token/ 403", "POST /oauth/token/ 200", GET],
  },
};

/** Masked, after a look for secrets. */
async function reportOf({ tenant, breaks, required, sent = [TOKEN, GET] }: Case): Promise<Report> {
  const setUp = await SetUp.start(tenant);
  try {
    await breaks?.(setUp);
    const report = await setUp.examine({ ...(required && { required }) });
    expect(setUp.simulator.log()).toEqual(sent);
    const secrets = [CLIENT_SECRET, "a-secret-of-yesterday", "opaque-token-0123456789"];
    for (const secret of [...secrets, ...setUp.simulator.state().access_tokens])
      expect(JSON.stringify(report)).not.toContain(secret);
    return setUp.masked(report);
  } finally {
    await setUp.end();
  }
}

const written: string[] = [];
let sound: Report;
beforeAll(async () => (sound = await reportOf({})));

test("a sound one", () => expectGolden(join(__dirname, "golden/ok.txt"), doctorText(sound)));

/** What a report says otherwise than that of a sound set-up. */
function differences({ findings, first }: Report): string[] {
  const others = findings.filter(
    ({ id, status, says }) =>
      !sound.findings.some((one) => one.id === id && one.status === status && one.says === says),
  );
  const isOpen = ({ status, do: advice }: Finding) => status === "unchecked" && advice === undefined;
  const openFor = (why: string) => others.flatMap((one) => (isOpen(one) && one.says === why ? [one.id] : []));
  const missing = sound.findings
    .map(({ id }) => id)
    .filter((id) => !id.startsWith("scopes.") && !findings.some((one) => one.id === id));
  return [
    ...others
      .filter((one) => !isOpen(one))
      .map(({ id, status, says, do: advice = "" }) => `${status} ${id}: ${says}${advice && ` -> ${advice}`}`),
    ...[...new Set(others.filter(isOpen).map(({ says }) => says))].map(
      (why) => `${openFor(why).join(", ")}: ${why}`,
    ),
    ...(missing.length === 0 ? [] : [`without ${missing.join(", ")}`]),
    ...(first === undefined ? [] : [`first: ${first}`]),
  ];
}

test.each(Object.entries(CASES))("%s", async (name, broken) => {
  written.push([`== ${name}`, ...differences(await reportOf(broken)), "", ""].join("\n"));
});

test("what they say", () => expectGolden(join(__dirname, "golden/broken.txt"), written.join("")));
