import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { useSimulator } from "../../testkit/simulator";
import { environmentOf, Stack } from "../../testkit/stack";

const repository = resolve(__dirname, "../..");

const simulator = useSimulator();
let stack: Stack;

beforeAll(async () => {
  stack = await Stack.create({
    // Loaded from elsewhere, as a dependency of a dependency is.
    program: `
      const { ConnectionProfile } = require(${JSON.stringify(repository)});
      for (const name of ["a", "b", "c"]) new ConnectionProfile(name, { name });`,
    env: environmentOf(simulator),
  });
  const modules = join(stack.folder, "node_modules");
  unlinkSync(modules);
  mkdirSync(modules);
  symlinkSync(join(repository, "node_modules", "@pulumi"), join(modules, "@pulumi"), "junction");
  writeFileSync(join(stack.home, "package.json"), `{ "name": "program", "private": true }`);
});

afterAll(() => stack.remove());

test("a package that the provider host will not find is told once, in a preview, with the package.json that needs it", async () => {
  const { code, all } = await stack.preview();
  expect(code).toBeGreaterThan(0);
  expect(all).toContain('ConnectionProfile "a": Pulumi runs resources with the package pulumi-identity');
  expect(all).toContain(`Add "pulumi-identity" to the dependencies in ${join(stack.home, "package.json")}`);
  expect(all).not.toMatch(/ConnectionProfile "[bc]"|Require stack|Cannot find module/);
  expect(simulator.log()).toEqual([]);
});

test("a package in the folder above is found, as in workspaces", async () => {
  mkdirSync(join(stack.home, "node_modules"));
  for (const name of ["@pulumi", "pulumi-identity"]) {
    const target = name === "pulumi-identity" ? repository : join(repository, "node_modules", name);
    symlinkSync(target, join(stack.home, "node_modules", name), "junction");
  }
  expect(await stack.up()).toMatchObject({ code: 0 });
  expect(simulator.state().connection_profiles).toHaveLength(3);
});
