import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { dirname, join, relative, resolve } from "node:path";
import { type Report } from "../../cli/doctor/report";
import { PACKAGE_VERSION } from "../../provider/http/package-version";
import { reported as reportedIn, SetUp } from "../cli/doctor/set-up";
import { selfSigned } from "../../testkit/certificate";
import { runBin } from "../../testkit/cli/bin";
import { CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";
import { shellPath, Stack, succeeded } from "../../testkit/stack";

/*
 * The command as a process: its exit codes, certificates, proxies, and the real CLI.
 */

const bin = resolve(__dirname, "../../dist/cli/index.js");
const HOST = "tenant.example.test";

let setUp: SetUp;
const close: (() => unknown)[] = [];
beforeEach(async () => {
  setUp = await SetUp.start({ tenantUrl: `https://${HOST}` });
});
afterEach(async () => {
  for (const end of close.splice(0)) await end();
  await setUp.end();
});

function doctor(args: readonly string[] = [], env: Record<string, string> = {}) {
  setUp.writeConfig();
  return runBin({ ...setUp.environment, ...env }, ["doctor", ...args], { cwd: setUp.folder });
}

async function reported(env: Record<string, string> = {}, ...args: string[]): Promise<Report> {
  return JSON.parse((await doctor(["--format", "json", ...args], env)).stdout) as Report;
}

function listen(server: net.Server): Promise<number> {
  close.push(() => server.close());
  return new Promise((listening) =>
    server.listen(0, "127.0.0.1", () => listening((server.address() as AddressInfo).port)),
  );
}

/** Puts the simulated tenant behind TLS; the file has the certificate that vouches for it. */
async function behindTls(host: string, until?: string) {
  const certificate = selfSigned(host, until);
  const file = join(setUp.folder, "ca.pem");
  writeFileSync(file, certificate.cert);
  const server = https.createServer(certificate, (request, response) => {
    const { method, url, headers } = request;
    const onward = http.request(
      `${setUp.simulator.url}${url}`,
      { method: method ?? "GET", headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  return { port: await listen(server), file };
}

/** A proxy that connects every host to one port. */
async function proxy(target: number): Promise<string> {
  const server = http.createServer((_, response) => response.writeHead(400).end());
  server.on("connect", (_, client) => {
    client.on("error", () => undefined);
    const upstream = net.connect(target, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.pipe(client).pipe(upstream);
    });
    upstream.on("error", () => client.destroy());
  });
  return `127.0.0.1:${await listen(server)}`;
}

const line = (report: Report, id: string) => {
  const found = report.findings.find((finding) => finding.id === id);
  return found && [found.status, found.says, ...(found.do === undefined ? [] : [found.do])];
};

describe("exit codes", () => {
  test("0 when all is ok, and nothing on standard error", async () => {
    const args = ["--fail-on", "warning", "--require", "getUser,getUserPermissions"];
    const { stdout, ...rest } = await doctor(args);
    expect(rest).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Connection {2}ok {2}connect, tls, clock$/m);
    expect(stdout).toMatch(/\n\nThe set-up is ok\. --all shows each check\.\n$/);
    expect(stdout.split("\n").length).toBeLessThan(12);
    expect((await doctor([...args, "--all"])).stdout).toMatch(
      /^ {2}ok {7}tls .*\n[^]*\n\nThe set-up is ok\.\n$/m,
    );
  });

  test("0 with a warning, 1 with --fail-on warning", async () => {
    const environment = { IDENTITY_CLIENT: "none of ours" };
    expect((await doctor([], environment)).code).toBe(0);
    expect((await doctor(["--fail-on", "warning"], environment)).code).toBe(1);
  });

  test("--no-read asks nothing of the tenant, and --output writes a file", async () => {
    const file = join(setUp.folder, "report.json");
    expect(await doctor(["--no-read", "--format", "json", "--output", file])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    const report = JSON.parse(readFileSync(file, "utf8")) as Report;
    expect(report.status).toBe("ok");
    expect(line(report, "access.token")).toEqual(["unchecked", "not checked: --no-read"]);
    expect(setUp.simulator.log()).toEqual([]);
  });

  test("1 on an error; a wrong secret is asked for once", async () => {
    const wrong = await doctor([], { IDENTITY_CLIENT_SECRET: "a-secret-of-yesterday" });
    expect(wrong).toMatchObject({ code: 1, stderr: "" });
    expect(wrong.stdout).toMatch(/\nThe doctor found 1 error\. Fix "token" first\.\n$/);
    expect(wrong.stdout).not.toContain("a-secret-of-yesterday");
    expect(setUp.simulator.log()).toEqual(["POST /oauth/token 401"]);
  });
});

test("a tenant with a hostile tongue prints neither secrets nor control characters", async () => {
  const body = { error: "access_denied\u001b[2J", error_description: `${CLIENT_SECRET}\r\n::error::\u202e` };
  setUp.simulator.fail({ path: "/oauth/token*", times: 4, action: { status: 401, body } });
  const { stdout } = await doctor();
  expect(stdout).toContain("access_denied\\u001b[2J: [secret] : :error::\\u202e");
  expect(stdout).not.toMatch(/[^\n\x20-\x7e]/);
});

test("requests are logged on standard error, beside JSON on the standard output", async () => {
  const { stdout, stderr } = await doctor(["--format", "json"], { IDENTITY_LOG: "debug" });
  expect((JSON.parse(stdout) as Report).status).toBe("ok");
  expect(stderr).toContain("GET /connection-profiles 200");
});

describe("TLS", () => {
  const soon = new Date(Date.now() + 10 * 24 * 60 * 60_000).toISOString();

  test.each([
    ["2049-12-31", "ok"],
    [soon.slice(0, 10), "warning"],
  ])("a certificate that NODE_EXTRA_CA_CERTS vouches for, and that ends on %s", async (day, status) => {
    const { port, file } = await behindTls("localhost", `${day.replaceAll("-", "").slice(2)}120000Z`);
    const report = await reported({
      IDENTITY_DOMAIN: `localhost:${port}`,
      IDENTITY_AUDIENCE: `${setUp.simulator.url}/api/v2/`,
      NODE_EXTRA_CA_CERTS: file,
    });
    expect(line(report, "connection.tls")?.slice(0, 2)).toEqual([
      status,
      `the certificate is trusted, and valid until ${day}`,
    ]);
    expect(report.status).toBe(status);
  });

  test("certificates that are not checked are a warning", async () => {
    const { port } = await behindTls("localhost");
    const report = await reported({
      IDENTITY_DOMAIN: `localhost:${port}`,
      IDENTITY_AUDIENCE: `${setUp.simulator.url}/api/v2/`,
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
    });
    expect(line(report, "connection.tls")?.[0]).toBe("warning");
  });
});

describe("proxies", () => {
  const password = "hidden-password";

  test("one that works is named, and its password is not shown", async () => {
    const { port, file } = await behindTls(HOST);
    const address = await proxy(port);
    const env = {
      IDENTITY_DOMAIN: HOST,
      NODE_EXTRA_CA_CERTS: file,
      HTTPS_PROXY: `http://me:${password}@${address}`,
    };
    const report = await reported(env);
    expect(line(report, "connection.connect")).toEqual([
      "ok",
      `${HOST} answers through the proxy ${address}`,
    ]);
    expect(line(report, "connection.tls")?.[1]).toMatch(/^the certificate is trusted, and valid until /);
    expect(report.status).toBe("ok");
    expect(JSON.stringify(report)).not.toContain(password);
  });

  test.each([
    [
      "is not there",
      `http://me:${password}@127.0.0.1:1`,
      /failed: no connection to the proxy 127\.0\.0\.1:1: /,
    ],
    ["is no URL", `me:${password}@proxy:x`, /^The proxy for .* is not usable: /],
  ])("one that %s: the program's own error, and nothing else", async (_, HTTPS_PROXY, says) => {
    const report = await reported({ IDENTITY_DOMAIN: HOST, HTTPS_PROXY });
    expect(line(report, "connection.connect")).toEqual(["error", expect.stringMatching(says)]);
    expect(report.first).toMatch(says);
    expect(report.findings.filter(({ status }) => status === "error")).toHaveLength(1);
    expect(JSON.stringify(report)).not.toContain(password);
  });
});

test("with the real CLI: the stack's configuration with a secret, another stack, and the environment over both", async () => {
  const stack = await Stack.create({ program: "" });
  close.push(() => stack.remove());
  await stack.config("identity:domain", setUp.simulator.url);
  await stack.config("identity:clientId", CLIENT_ID);
  await stack.config("identity:clientSecret", CLIENT_SECRET, { secret: true });
  const run = async (args: string, env = "") => {
    const { code, all } = await stack.shell(`${env} ${process.execPath} ${bin} doctor --format json ${args}`);
    expect(all).not.toContain(CLIENT_SECRET);
    return { code, report: JSON.parse(all) as Report };
  };

  const { code, report } = await run("--require RoleGroupAssignment");
  expect(code).toBe(0);
  expect(report.status).toBe("ok");
  expect(line(report, "settings.stack")).toEqual(["ok", "test"]);
  expect(line(report, "settings.clientSecret")).toEqual(["ok", "(secret), from identity:clientSecret"]);
  expect(line(report, "program.pulumi")?.[0]).toBe("ok");
  expect(line(report, "program.package")?.[0]).toBe("ok");
  expect(setUp.simulator.log()).toEqual([
    "POST /oauth/token 200",
    "GET /api/v2/connection-profiles?take=10 200",
  ]);

  const other = await run("--stack nope");
  expect(other.code).toBe(1);
  expect(line(other.report, "settings.stack")?.[1]).toMatch(/no stack named 'nope' found\.$/);
  expect(other.report.first).toBe("Name one that `pulumi stack ls` lists.");

  const over = await run("", "IDENTITY_CLIENT_SECRET=a-secret-of-yesterday");
  expect(over.code).toBe(1);
  expect(line(over.report, "settings.stack")).toEqual([
    "ok",
    "test; the environment wins over its clientSecret",
  ]);
  expect(line(over.report, "settings.clientSecret")?.[1]).toBe("(secret), from IDENTITY_CLIENT_SECRET");
});

test("the plugin that the doctor names is the one that the engine starts", async () => {
  const program = "resources: { a: { type: identity:ConnectionProfile, properties: { name: a } } }\n";
  const stack = await Stack.create({ program, language: "yaml", isNextAtOnce: true });
  close.push(() => stack.remove());
  await stack.configure(setUp.simulator);
  const started = join(stack.home, "started");
  const plugin = resolve(__dirname, "../../dist/provider/plugin.js");
  const put = (folder: string, mode = 0o755) => {
    const file = join(stack.home, folder, "pulumi-resource-identity");
    rmSync(file, { force: true });
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\necho "$0" > "${started}"\nexec "${process.execPath}" "${plugin}" "$@"\n`);
    chmodSync(file, mode);
  };
  const named: string[] = [];
  const look = async (environment: Record<string, string> = {}) => {
    const PATH = `${join(stack.home, "bin")}:${shellPath(process.env["PATH"])}`;
    const env = { PATH, ...environment };
    const home = join(stack.home, "pulumi");
    const { findings } = await reportedIn(stack.folder, { PULUMI_HOME: home, ...env }, ["--no-read"]);
    const said = findings.flatMap(({ id, says }) => (id === "program.plugin" ? [says] : [])).join();
    succeeded(await stack.preview({ env }));
    const ran = dirname(readFileSync(started, "utf8").trim());
    expect(said).toContain(`pulumi-resource-identity ${PACKAGE_VERSION}, `);
    expect(said).toContain(ran);
    named.push(relative(stack.home, ran));
  };

  for (const version of ["0.0.9", "0.0.10"]) put(`pulumi/plugins/resource-identity-v${version}`);
  rmSync(join(stack.home, `pulumi/plugins/resource-identity-v${PACKAGE_VERSION}`), { recursive: true });
  put("bin", 0o644);
  await look();
  mkdirSync(join(stack.folder, "sdks"));
  writeFileSync(
    join(stack.folder, "sdks/identity.yaml"),
    "packageDeclarationVersion: 1\nname: identity\nversion: 0.0.9\n",
  );
  await look();
  put("bin");
  await look();
  await look({ PULUMI_IGNORE_AMBIENT_PLUGINS: "true" });
  put("entry");
  stack.write(`${program}plugins: { providers: [{ name: identity, path: ../entry }] }\n`);
  await look();

  const installed = (version: string) => `pulumi/plugins/resource-identity-v${version}`;
  expect(named).toEqual([installed("0.0.10"), installed("0.0.9"), "bin", installed("0.0.9"), "entry"]);
});
