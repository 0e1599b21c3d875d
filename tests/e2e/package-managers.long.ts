import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { startSimulator } from "../../simulator";
import { ADMINS, VIEWER } from "../../simulator/default-seed";
import { installed } from "./packed";
import { environmentOf, Stack } from "../../testkit/stack";

/* The package as pnpm and Yarn install it: both link commands and place dependencies in ways of their own. */

const repository = resolve(__dirname, "../..");

const PROGRAM = `
name: access
runtime: yaml
variables:
  viewer: { fn::identity:getRole: { name: billing-viewer } }
resources:
  viewers:
    type: identity:RoleGroupAssignment
    properties: { roleId: "\${viewer.id}", groupIds: [${ADMINS}] }
`;

// Their caches are new ones, because Yarn would take an older package of the same version from its own.
test.each([
  ["pnpm", ["exec", "--yes", "pnpm@10", "--", "add", "--store-dir", "../store"]],
  ["Yarn 1", ["exec", "--yes", "yarn@1", "--", "add", "--cache-folder", "../cache"]],
])("installed by %s, the plugin starts and serves a program in YAML", async (_name, add) => {
  const { folder, project } = await installed(repository, ["@pulumi/pulumi"], add);
  const simulator = await startSimulator();
  writeFileSync(join(project, "Pulumi.yaml"), PROGRAM);
  const stack = await Stack.create({
    folder: project,
    env: environmentOf(simulator),
  });
  try {
    expect(await firstLine(join(project, "node_modules/.bin/pulumi-resource-identity"))).toMatch(/^\d+\n$/);
    expect(await stack.up()).toMatchObject({ code: 0 });
    expect(simulator.state().roles.find(({ id }) => id === VIEWER)?.groups).toEqual([ADMINS]);
  } finally {
    stack.remove();
    await simulator.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
});

/** What the plugin prints first, started with an address as the engine does. */
async function firstLine(command: string): Promise<string> {
  const child = spawn(command, ["127.0.0.1:9"], { stdio: ["ignore", "pipe", "inherit"], detached: true });
  try {
    const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    return line;
  } finally {
    process.kill(-(child.pid ?? 0), "SIGKILL");
  }
}
