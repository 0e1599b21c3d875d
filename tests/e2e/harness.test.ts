import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  delete process.env["IDENTITY_DOMAIN"];
});

test("a TypeScript program runs as it is, without the settings of the shell, and a failing one says why", async () => {
  process.env["IDENTITY_DOMAIN"] = "from-the-shell.example";
  const stack = await start({
    language: "ts",
    env: { IDENTITY_CLIENT_ID: "given" },
    program: `
      export const sum: number = 1 + 2;
      export const settings = Object.keys(process.env).filter((name) => name.startsWith("IDENTITY_"));
    `,
  });
  expect((await stack.up()).code).toBe(0);
  expect(await stack.outputs()).toEqual({ sum: 3, settings: ["IDENTITY_CLIENT_ID"] });
  stack.write(`throw new Error("broken on purpose");`);
  const failed = await stack.up();
  expect(failed.code).not.toBe(0);
  expect(failed.all).toContain("broken on purpose");
});

test("a command that does not end is stopped with all that it started", async () => {
  const pulse = join(tmpdir(), `pulumi-identity-harness-${process.pid}`);
  const beat = `require("fs").writeFileSync(${JSON.stringify(pulse)}, String(Date.now()))`;
  const stack = await start({ program: `setInterval(() => ${beat}, 50);`, seconds: 25 });
  const result = await stack.up();
  expect(result.code).toBeNull();
  expect(result.all).toContain("was stopped: no end after 25 s");

  const last = readFileSync(pulse, "utf8");
  await sleep(500);
  expect(readFileSync(pulse, "utf8")).toBe(last);
  rmSync(pulse);
});
