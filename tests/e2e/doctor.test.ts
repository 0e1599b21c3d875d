import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { type Report } from "../../cli/doctor/report";
import { SetUp } from "../cli/doctor/set-up";
import { selfSigned } from "../../testkit/certificate";
import { runBin } from "../../testkit/cli/review";
import { CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";
import { Stack } from "../../testkit/stack";

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

/** A proxy that connects every host to one port, or answers a status. */
async function proxy(target: number, status = 200): Promise<string> {
  const server = http.createServer((_, response) => response.writeHead(400).end());
  server.on("connect", (_, client) => {
    client.on("error", () => undefined);
    if (status !== 200) return client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
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
    expect(stdout).toMatch(/^Connection {2}ok {2}host, proxy, connect, tls, clock$/m);
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
    expect(wrong.stdout).toMatch(/\nThe doctor found 1 error\. Fix this first: Correct identity:clientId/);
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
  test("a certificate that NODE_EXTRA_CA_CERTS vouches for is trusted", async () => {
    const { port, file } = await behindTls("localhost");
    const report = await reported({
      IDENTITY_DOMAIN: `localhost:${port}`,
      IDENTITY_AUDIENCE: `${setUp.simulator.url}/api/v2/`,
      NODE_EXTRA_CA_CERTS: file,
    });
    expect(line(report, "connection.tls")).toEqual([
      "ok",
      "the certificate is trusted, and valid until 2049-12-31",
    ]);
    expect(report.status).toBe("ok");
  });

  test.each([
    [
      "localhost",
      "200102000000Z",
      "the certificate has expired",
      "Have it renewed; if it is new, set this machine's clock.",
    ],
    [
      "other.example.test",
      "491231235959Z",
      "the certificate is not for localhost, but for other.example.test",
      "Set identity:domain (IDENTITY_DOMAIN) to a host name that the certificate has.",
    ],
  ])("a certificate of %s that ends at %s", async (host, until, says, advice) => {
    const { port, file } = await behindTls(host, until);
    const report = await reported({ IDENTITY_DOMAIN: `localhost:${port}`, NODE_EXTRA_CA_CERTS: file });
    expect(line(report, "connection.tls")).toEqual(["error", says, advice]);
    expect(report.first).toBe(advice);
    expect(setUp.simulator.log()).toEqual([]);
  });

  test("NODE_EXTRA_CA_CERTS is looked at where it did not help", async () => {
    const { port } = await behindTls("localhost");
    const IDENTITY_DOMAIN = `localhost:${port}`;
    const none = await reported({ IDENTITY_DOMAIN, NODE_EXTRA_CA_CERTS: "/none/ca.pem" });
    expect(none.first).toBe("NODE_EXTRA_CA_CERTS names /none/ca.pem, which can't be read: correct it.");
    const other = join(setUp.folder, "other.pem");
    writeFileSync(other, selfSigned("localhost").cert);
    const foreign = await reported({ IDENTITY_DOMAIN, NODE_EXTRA_CA_CERTS: other });
    expect(foreign.first).toBe(
      `The CA in NODE_EXTRA_CA_CERTS (${other}) did not sign it: add the one that did.`,
    );
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

  test("a host that does not speak TLS", async () => {
    const port = await listen(net.createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
    const report = await reported({ IDENTITY_DOMAIN: `localhost:${port}` });
    expect(line(report, "connection.tls")?.[1]).toMatch(
      /^the host does not speak TLS as expected \(ERR_SSL_\w+\)$/,
    );
  });
});

describe("proxies", () => {
  const password = "hidden-password";

  test("the name is left to the proxy, whose password is not shown", async () => {
    const { port, file } = await behindTls(HOST);
    const address = await proxy(port);
    const env = {
      IDENTITY_DOMAIN: HOST,
      NODE_EXTRA_CA_CERTS: file,
      HTTPS_PROXY: `http://me:${password}@${address}`,
    };
    const report = await reported(env);
    expect(line(report, "connection.proxy")).toEqual(["ok", `${address}, by HTTPS_PROXY`]);
    expect(line(report, "connection.host")).toEqual(["ok", `${HOST} is left to the proxy to resolve`]);
    expect(line(report, "connection.tls")?.[0]).toBe("ok");
    expect(report.status).toBe("ok");
    expect(JSON.stringify(report)).not.toContain(password);
  });

  test.each([
    [407, "Put user name and password into HTTPS_PROXY."],
    [403, `Correct HTTPS_PROXY, or add ${HOST} to NO_PROXY if it needs no proxy.`],
  ])("one that answers %d", async (status, advice) => {
    const address = await proxy(0, status);
    const report = await reported({ IDENTITY_DOMAIN: HOST, HTTPS_PROXY: `http://${address}` });
    expect(line(report, "connection.proxy")).toEqual([
      "error",
      `${address}, by HTTPS_PROXY: it answered ${status}`,
      advice,
    ]);
    expect(report.findings.filter(({ status }) => status === "error")).toHaveLength(1);
  });

  test("one that is not there, one that is no URL, and one that NO_PROXY passes by", async () => {
    const address = "127.0.0.1:1";
    const gone = await reported({ IDENTITY_DOMAIN: HOST, https_proxy: `http://${address}` });
    expect(line(gone, "connection.proxy")?.slice(0, 2)).toEqual([
      "error",
      `${address}, by https_proxy: no connection (ECONNREFUSED)`,
    ]);
    const unusable = await reported({ IDENTITY_DOMAIN: HOST, HTTPS_PROXY: `me:${password}@proxy:x` });
    expect(line(unusable, "connection.proxy")?.[0]).toBe("error");
    expect(JSON.stringify(unusable)).not.toContain(password);
    const passed = await reported({
      IDENTITY_DOMAIN: HOST,
      HTTPS_PROXY: `http://${address}`,
      NO_PROXY: HOST,
    });
    expect(line(passed, "connection.proxy")).toEqual(["ok", `none: NO_PROXY has ${HOST}`]);
    expect(line(passed, "connection.host")?.[0]).toBe("error");
    for (const report of [gone, unusable, passed]) {
      expect(report.findings.filter(({ status }) => status === "error")).toHaveLength(1);
    }
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
