import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Simulator, startSimulator } from "../../simulator";
import { type Program } from "../engine";
import { Stack } from "../stack";
import { PLUGIN_BELIEFS } from "./plugin-beliefs";

/** The tests' engine (testkit/engine.ts) is only useful for the plugin if it behaves like this one. */

let simulator: Simulator;
let stack: Stack;

beforeAll(async () => {
  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  stack = await Stack.create({ language: "yaml", program: "" });
  await stack.configure(simulator);
});
afterAll(async () => {
  stack.remove();
  await simulator.close();
});

/** JSON is YAML. */
function yamlOf(program: Program): string {
  const resources = Object.entries(program).map(([name, resource]) => {
    const { kind, inputs, dependsOn = [], replaceOnChanges = [], import: id } = resource;
    const options = {
      ...(dependsOn.length > 0 && { dependsOn: dependsOn.map((one) => `\${${one}}`) }),
      ...(replaceOnChanges.length > 0 && { replaceOnChanges }),
      ...(id !== undefined && { import: id }),
    };
    return [name, { type: `identity:${kind}`, properties: inputs, options }];
  });
  return `resources: ${JSON.stringify(Object.fromEntries(resources))}\n`;
}

/** Returns the calls about resources, from the engine's own log of its calls. */
function callsIn(file: string): string[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { method: string; request?: { urn?: string }; response?: unknown })
    .filter(({ request, response }) => request?.urn?.includes("::identity:index:") && response !== undefined)
    .map(({ method, request }) => {
      const [, call = ""] = /ResourceProvider\/(\w+)$/.exec(method) ?? [];
      return `${call.toLowerCase()} ${request?.urn?.split("::").at(-1)}`;
    })
    .filter((call) => /^(check|diff|create|read|update|delete) /.test(call));
}

test.each(PLUGIN_BELIEFS)("$title", async ({ run, calls, left, error }) => {
  const file = join(stack.home, "calls.json");
  rmSync(file, { force: true });
  const options = { args: ["--parallel", "1"], env: { PULUMI_DEBUG_GRPC: file } };
  if (typeof run !== "string") stack.write(yamlOf(run));

  const { code, all } = await (typeof run === "string" ? stack[run](options) : stack.up(options));

  if (error === undefined && code !== 0) throw new Error(all);
  if (error !== undefined) expect(all).toMatch(error);
  expect(callsIn(file)).toEqual(calls);
  const { resources } = await stack.state();
  const groups = resources
    .filter(({ outputs }) => outputs?.["groupIds"] !== undefined)
    .map(({ urn, outputs }) => [urn.split("::").at(-1), outputs?.["groupIds"]]);
  expect(Object.fromEntries(groups)).toEqual(left);
});
