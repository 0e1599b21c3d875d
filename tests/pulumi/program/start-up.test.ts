import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

/*
 * The parts of the built package that a process loads. A program and a provider host start with every command
 * of the CLI, so unneeded parts must not slow them down.
 */

const root = resolve(__dirname, "../../..");

/**
 * Returns the packages and the files of dist/ that a script loads, beyond those that `@pulumi/pulumi` loads
 * by itself.
 */
function loadedBy(script: string): { packages: string[]; files: string[] } {
  const text = `
    const pulumi = require("@pulumi/pulumi");
    const before = new Set(Object.keys(require.cache));
    const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
    const config = { get: (key) => ({ "identity:domain": "http://127.0.0.1:9", "identity:accessToken": "x" })[key] };
    (async () => {
      ${script}
      const after = Object.keys(require.cache).filter((file) => !before.has(file));
      console.log(JSON.stringify(after));
    })();`;
  const printed = execFileSync(process.execPath, ["-e", text], { cwd: root, encoding: "utf8" });
  const loaded = JSON.parse(printed) as string[];
  const modules = join(root, "node_modules") + "/";
  const inside = loaded.filter((file) => file.startsWith(modules));
  return {
    packages: [...new Set(inside.map((file) => file.slice(modules.length).split("/")[0] ?? ""))].sort(),
    files: loaded
      .filter((file) => file.startsWith(join(root, "dist")))
      .map((file) => file.slice(root.length + 6).replace(/^provider\/|\.js$/g, "")),
  };
}

test("importing the package loads no more than its entry", () => {
  const entries = loadedBy(`require("pulumi-identity"); require("pulumi-identity/runtime");`);
  expect(entries).toEqual({ packages: [], files: ["index", "pulumi/program/program-folder", "runtime"] });
});

const MOCKS = `pulumi.runtime.setMocks({ newResource: ({ name, inputs }) => ({ id: name, state: inputs }), call: ({ inputs }) => inputs });`;

test("a program with resources loads neither what validates inputs nor what talks to the tenant", () => {
  const { packages, files } = loadedBy(`
    ${MOCKS}
    const identity = require("pulumi-identity");
    const provider = new identity.Provider("eu", { domain: "eu.example.com", accessToken: "x" });
    new identity.ConnectionProfile("a", { name: "a", adopt: ID }, { provider });
    new identity.RoleGroupAssignment("b", { roleId: "rol_4hNkVx8QmTz2bRcW", groupIds: ["grp_7TqWc2nYx5RkHbVd9sPmZa"] });
    new identity.DeviceCredentialRemoval("c", { deviceCredentialId: "dcr_6XnTb4kWq9ZpHs2V" });
    await new Promise((resolve) => setTimeout(resolve, 200));`);
  expect(packages).toEqual([]);
  expect(
    files.filter((file) => /^(service|data-sources|pulumi\/host)\/|kind$|client|transport/.test(file)),
  ).toEqual([]);
});

test("a host that has nothing to send loads no HTTP client, and of zod what it uses, from one file", () => {
  const { packages } = loadedBy(`
    const { connectionProfile } = require("pulumi-identity/runtime");
    await connectionProfile.configure({ config });
    const inputs = { name: "a" };
    const state = { ...inputs, adopted: false, tenant: "127.0.0.1:9" };
    const checked = await connectionProfile.check(inputs, inputs);
    if (checked.failures.length > 0) throw new Error(JSON.stringify(checked.failures));
    const { changes } = await connectionProfile.diff(ID, state, inputs);
    if (changes !== false) throw new Error("changed");`);
  expect(packages).toEqual([]);
});

test("what sends without a proxy loads no more of undici than it needs, and leaves the process's own fetch alone", () => {
  const { packages } = loadedBy(`
    for (const name of ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"]) delete process.env[name];
    const { UndiciTransport } = require("./dist/provider/http/transport.js");
    const limits = { requestTimeoutSeconds: 1, maxConcurrency: 1 };
    const transport = new UndiciTransport({ origin: "https://nobody.invalid", limits, nameOf: (name) => name });
    const error = await transport.send({ method: "GET", path: "/", headers: {} }).catch((error) => error);
    if (!["UnknownHostError", "NetworkError", "TimeoutError"].includes(error.name)) throw error;
    if (require.cache[require.resolve("undici")] !== undefined) throw new Error("the whole of it is loaded");
    if (globalThis[Symbol.for("undici.globalDispatcher.1")] !== undefined) throw new Error("fetch sends through it");`);
  expect(packages).toEqual(["undici"]);
});

test("a review loads neither what validates inputs nor what talks to the tenant", () => {
  const { packages, files } = loadedBy(`
    const { readdirSync, readFileSync } = require("node:fs");
    const { readPreview } = require("./dist/cli/review/input/preview.js");
    const { reviewOf } = require("./dist/cli/review/review.js");
    for (const name of readdirSync("tests/fuzz/previews")) {
      const text = readFileSync("tests/fuzz/previews/" + name, "utf8");
      reviewOf(readPreview(text), name === "refresh.json");
    }`);
  expect(packages).toEqual([]);
  expect(files).toContain("resources/connection-profile/plan");
  expect(
    files.filter((file) => /^zod$|^http\/(client|transport|errors)$|^pulumi\/(host|program)\//.test(file)),
  ).toEqual([]);
});
