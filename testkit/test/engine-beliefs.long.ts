import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Belief, BELIEFS, PROVIDERS, Story, type Thing } from "./beliefs";
import { type CommandResult, type Deployment, Stack } from "../stack";

/** The tests' engine (testkit/engine.ts) is only useful if it behaves like this one. */

let stack: Stack;
let story: Story;

beforeAll(async () => {
  stack = await Stack.create({});
  story = new Story(join(stack.home, "story"));
});
afterAll(() => stack.remove());

const urn = (name: string) => `urn:pulumi:test::test::pulumi-nodejs:dynamic/test:Thing::${name}`;

function programOf(things: Record<string, Thing>): string {
  const declared = Object.entries(things).map(
    ([name, { dependsOn = [], provider, deletedWith, replaceWith = [], value, ...rest }]) => {
      const options = JSON.stringify(rest);
      const inputs = JSON.stringify(story.inputsOf(name, { value }));
      const others = Object.entries({ provider, deletedWith })
        .filter(([, other]) => other !== undefined)
        .map(([option, other]) => `, ${option}: ${other}`)
        .concat(`, dependsOn: [${dependsOn.join()}], replaceWith: [${replaceWith.join()}]`)
        .join("");
      return `const ${name} = new Thing("${name}", ${inputs}, { ...${options}${others} });`;
    },
  );
  const used = PROVIDERS.filter((name) => Object.values(things).some(({ provider }) => provider === name));
  return `
    const pulumi = require("@pulumi/pulumi");
    class Thing extends pulumi.CustomResource {
      constructor(name, inputs, options) { super("pulumi-nodejs:dynamic/test:Thing", name, inputs, options); }
    }
    class Provider extends pulumi.ProviderResource {
      constructor(name) { super("pulumi-nodejs", name, { "test:name": name }); }
    }
    ${used.map((name) => `const ${name} = new Provider("${name}");`).join("\n")}
    ${declared.join("\n")}`;
}

function tell({ run, options = {}, parallel = 1 }: Belief): Promise<CommandResult> {
  const { refresh, runProgram, continueOnError, target = [], replace = [] } = options;
  const args = [
    ...["--parallel", String(parallel)],
    ...(refresh ? ["--refresh"] : []),
    ...(runProgram ? ["--run-program"] : []),
    ...(continueOnError ? ["--continue-on-error"] : []),
    ...target.flatMap((name) => ["--target", urn(name)]),
    ...replace.flatMap((name) => ["--replace", urn(name)]),
  ];
  if (typeof run === "string") return stack[run]({ args });
  stack.write(programOf(run));
  return stack.up({ args });
}

/** Reads the file, because a command takes a second. */
function left(): Record<string, string> {
  const file = join(stack.home, "state", ".pulumi", "stacks", "test", "test.json");
  const { checkpoint } = JSON.parse(readFileSync(file, "utf8")) as {
    checkpoint: { latest: Partial<Deployment> };
  };
  const things = (checkpoint.latest.resources ?? []).filter(({ type }) => type.endsWith(":Thing"));
  return Object.fromEntries(
    things.map(({ id, outputs, delete: replaced, pendingReplacement }) => {
      const value = String(outputs?.["value"]);
      const flags = `${replaced ? ", replaced" : ""}${pendingReplacement ? ", pending replacement" : ""}`;
      return [String(id), value + flags];
    }),
  );
}

test.each(BELIEFS)("$title", async (belief) => {
  story.begin(belief);

  const { code, all } = await tell(belief);

  if (belief.error === undefined && code !== 0) throw new Error(all);
  if (belief.error !== undefined) {
    expect(code).not.toBe(0);
    expect(all).toMatch(belief.error);
  }
  story.expectBelieved(belief);
  if (belief.left !== undefined) expect(left()).toEqual(belief.left);
});
