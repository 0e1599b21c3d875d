import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Stack, type StackOptions } from "./stack";

jest.setTimeout(120_000);

let stack: Stack | undefined;

async function start(options: StackOptions): Promise<Stack> {
  stack = await Stack.create(options);
  return stack;
}

afterEach(() => {
  stack?.remove();
  stack = undefined;
});

const note = (text: string) => `
  const pulumi = require("@pulumi/pulumi");
  class Note extends pulumi.CustomResource {
    constructor(name, args) {
      const code = 'exports.handler=()=>({create:async(i)=>({id:"note-1",outs:i}),update:async(id,o,n)=>({outs:n})})';
      super("pulumi-nodejs:dynamic/test:Note", name, { ...args, __provider: code });
    }
  }
  new Note("note", { text: ${JSON.stringify(text)} });
  const config = new pulumi.Config("identity");
  exports.domain = config.get("domain");
  exports.secret = config.getSecret("clientSecret");
  exports.inherited = process.env.IDENTITY_TOKEN ?? "nothing";
`;

test("a stack goes through its whole life", async () => {
  const stack = await start({ program: note("first") });
  await stack.config("identity:domain", "tenant.example");
  await stack.config("identity:clientSecret", "-hush", { secret: true });

  const preview = await stack.preview({ json: true });
  expect(preview.stderr).toBe("");
  expect(JSON.parse(preview.stdout)).toMatchObject({ changeSummary: { create: 2 } });

  const created = await stack.up();
  expect(created).toMatchObject({ code: 0 });
  expect(created.all).toContain("+ 2 created");
  expect(await stack.outputs()).toEqual({ domain: "tenant.example", secret: "-hush", inherited: "nothing" });

  stack.write(note("second"));
  expect((await stack.up()).all).toContain("~ 1 updated");
  const { resources } = await stack.state();
  expect(resources.find(({ id }) => id === "note-1")?.outputs).toMatchObject({ text: "second" });
  expect(JSON.stringify(resources)).not.toContain("-hush");

  expect((await stack.refresh()).code).toBe(0);
  expect((await stack.destroy()).all).toContain("- 2 deleted");
  expect((await stack.state()).resources).toEqual([]);
});

test("a TypeScript program runs as it is, and a failing one says why", async () => {
  const stack = await start({ language: "ts", program: `export const sum: number = 1 + 2;` });
  expect((await stack.up()).code).toBe(0);
  expect(await stack.outputs()).toEqual({ sum: 3 });
  stack.write(`throw new Error("broken on purpose");`);
  const failed = await stack.up();
  expect(failed.code).not.toBe(0);
  expect(failed.all).toContain("broken on purpose");
});

test("a program folder runs in place and stays as it was", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-harness-"));
  symlinkSync(resolve(__dirname, "../../node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "Pulumi.yaml"), "name: in-place\nruntime: nodejs\n");
  writeFileSync(join(folder, "index.js"), note("in place") + "exports.folder = process.cwd();");
  writeFileSync(join(folder, "package.json"), `{ "main": "index.js" }`);
  const before = readdirSync(folder);

  const stack = await start({ folder });
  await stack.config("identity:domain", "tenant.example");
  expect((await stack.up()).code).toBe(0);
  expect(await stack.outputs()).toMatchObject({ domain: "tenant.example", folder });
  expect((await stack.destroy()).code).toBe(0);
  expect(readdirSync(folder)).toEqual(before);
  rmSync(folder, { recursive: true });
});

test("a command that does not end is stopped with all that it started", async () => {
  const pulse = join(tmpdir(), `pulumi-identity-harness-${process.pid}`);
  const beat = `require("fs").writeFileSync(${JSON.stringify(pulse)}, String(Date.now()))`;
  const stack = await start({ program: `setInterval(() => ${beat}, 50);`, seconds: 6 });
  const result = await stack.up();
  expect(result.code).toBeNull();
  expect(result.all).toContain("was stopped: no end after 6 s");

  const last = readFileSync(pulse, "utf8");
  await sleep(500);
  expect(readFileSync(pulse, "utf8")).toBe(last);
  rmSync(pulse);
});
