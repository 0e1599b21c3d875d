import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

/*
 * examples/auth0-roles, without `@pulumi/auth0`: with that in its node_modules, a program needs its plugin,
 * used or not. The substitute has the types and calls of 3.49.0 that the example uses.
 */

const root = resolve(__dirname, "../..");
const STAND_IN = {
  "package.json": JSON.stringify({ name: "@pulumi/auth0", version: "3.49.0", main: "index.js" }),
  "index.d.ts": `
    import * as pulumi from "@pulumi/pulumi";
    export declare class Role extends pulumi.CustomResource {
      readonly description: pulumi.Output<string>;
      readonly name: pulumi.Output<string>;
      constructor(name: string, args?: RoleArgs, opts?: pulumi.CustomResourceOptions);
    }
    export interface RoleArgs {
      description?: pulumi.Input<string | undefined>;
      name?: pulumi.Input<string | undefined>;
    }
    export declare function getRoleOutput(
      args?: GetRoleOutputArgs,
      opts?: pulumi.InvokeOutputOptions,
    ): pulumi.Output<{ readonly description: string; readonly id: string; readonly name?: string }>;
    export interface GetRoleOutputArgs {
      name?: pulumi.Input<string | undefined>;
      roleId?: pulumi.Input<string | undefined>;
      skipPermissions?: pulumi.Input<boolean | undefined>;
      skipUsers?: pulumi.Input<boolean | undefined>;
    }`,
  "index.js": `
    const pulumi = require("@pulumi/pulumi");
    exports.Role = class extends pulumi.CustomResource {
      constructor(name, args, opts) { super("auth0:index/role:Role", name, { ...args }, opts); }
    };
    exports.getRoleOutput = (args, opts) => pulumi.runtime.invokeOutput("auth0:index/getRole:getRole", args, opts);`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "auth0-roles-"));
  cpSync(join(root, "examples/auth0-roles"), folder, { recursive: true });
  for (const name of ["@pulumi/pulumi", "@types/node", "typescript", "pulumi-identity"]) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === "pulumi-identity" ? root : join(root, "node_modules", name), link, "junction");
  }
  const standIn = join(folder, "node_modules/@pulumi/auth0");
  mkdirSync(standIn);
  for (const [name, text] of Object.entries(STAND_IN)) writeFileSync(join(standIn, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: folder });

test("its types fit, and its own test passes with what a role and a lookup answer", async () => {
  await run("node_modules/typescript/bin/tsc");
  const { stdout } = await run("--test", "bin/index.test.js");
  expect(stdout).toMatch(/pass 1\b/);
  expect(stdout).toMatch(/fail 0\b/);
});
