import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Border } from "../../../provider/border";
import { ConfigurationError } from "../../../provider/http/errors";
import { parseCommand, tokenFromCommand } from "../../../provider/http/credentials/token-command";
import { failure } from "../tenant";

const SETTING = "identity:accessTokenCommand";

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), "pulumi-identity-command-"))));
afterAll(() => rmSync(folder, { recursive: true }));

/** A command that runs a script of `sh`. */
const sh = (script: string) => ["sh", "-c", script];

const run = (command: readonly string[], options: { longestMs?: number; cancelled?: AbortSignal } = {}) =>
  tokenFromCommand(command, { setting: SETTING, border: new Border(), ...options });

/** What a command fails with, without the setting that each message begins with. */
async function problem(command: readonly string[], longestMs?: number): Promise<string> {
  const error = await failure(run(command, longestMs === undefined ? {} : { longestMs }));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect(error.message.slice(0, SETTING.length + 2)).toBe(`${SETTING}: `);
  return error.message.slice(SETTING.length + 2);
}

describe("what a command prints", () => {
  test.each([
    ["is the token", "printf token-1"],
    ["is taken without blanks and line breaks around it", "echo; echo ' token-1 '"],
    ["counts, and not what it says of errors", "echo warning >&2; echo token-1"],
  ])("%s", async (_, script) => {
    expect(await run(sh(script))).toBe("token-1");
  });

  test("is known to the border before anybody gets it", async () => {
    const border = new Border();
    const token = await tokenFromCommand(["printf", "token-1"], { setting: SETTING, border });
    expect(border.clean(`Bearer: ${token}`)).toBe("Bearer: [secret]");
  });

  test("may come from a process that leaves another one behind", async () => {
    const start = performance.now();
    expect(await run(sh("sleep 20 & echo token-1"))).toBe("token-1");
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  test.each([
    ["nothing", "exit 0", "printed nothing: it must print the token."],
    ["blanks", "echo ' '", "printed nothing: it must print the token."],
    ...[
      "echo hidden-a hidden-b",
      "printf 'hidden-a\\nhidden-b'",
      'echo \'{"token":"hidden"}\'',
      "echo hidden-é",
    ].map((script) => [
      script,
      script,
      "did not print a token: it must print one token, without quotes or JSON, and nothing else.",
    ]),
    ["too much", "yes hidden", "printed more than 16 KiB."],
  ])("must be one token, and is not shown: %s", async (_, script, expected) => {
    expect(await problem(sh(script))).toBe(`the command "sh" ${expected}`);
  });
});

describe.each([1_000, 16 * 1024, 2_000_000])("of %d characters that a command prints", (length) => {
  const token = randomBytes(length).toString("hex").slice(0, length);
  let file: string;
  beforeAll(() => writeFileSync((file = join(folder, `${length}-characters`)), token));

  test("nothing is shown when it fails, although its errors repeat them", async () => {
    for (const script of [`cat ${file}`, `cat ${file}; exit 1`]) {
      const repeats = `cat ${file} >&2; printf '\\ngot ' >&2; head -c 3000 ${file} >&2; ${script}`;
      const border = new Border();
      const error = await tokenFromCommand(sh(repeats), { setting: SETTING, border }).catch(
        (thrown: unknown) => thrown,
      );
      const shown = error instanceof Error ? border.clean(error.message) : border.clean(String(error));
      expect(shown.length).toBeLessThan(200);
      for (let at = 0; at < 4_000; at += 16) expect(shown).not.toContain(token.slice(at, at + 16) || "none");
    }
  });

  test("all is the token, or too much for one", async () => {
    const taken = run(["cat", file]);
    if (length <= 16 * 1024) expect(await taken).toBe(token);
    else expect((await failure(taken)).message).toContain("printed more than 16 KiB.");
  });
});

describe("a command that fails is told with how it ended and the last line of its errors:", () => {
  test.each([
    ["a code", "exit 3", "ended with code 3."],
    [
      "a code and a reason",
      "echo first >&2; echo 'not logged in' >&2; exit 2",
      "ended with code 2: not logged in.",
    ],
    ["a signal", "echo going >&2; kill -TERM $$", "was ended by SIGTERM: going."],
    ["what it printed before it failed", "echo hidden-token; exit 1", "ended with code 1."],
    [
      "an error that repeats what it printed",
      "set -x; echo hidden-token; exit 1",
      "ended with code 1: + exit 1.",
    ],
    [
      "an error that ends with what it printed",
      "echo hidden-token; echo 'got hidden-token' >&2; exit 1",
      "ended with code 1: got [secret].",
    ],
    [
      "control characters and CI commands",
      "printf '\\033[31m::add-mask::x' >&2; exit 1",
      "ended with code 1: \\u001b[31m: :add-mask::x.",
    ],
    ["an error without end", "head -c 9000 /dev/zero | tr '\\0' x >&2; exit 1", "ended with code 1."],
  ])("%s", async (_, script, expected) => {
    expect(await problem(sh(script))).toBe(`the command "sh" ${expected}`);
  });

  test.each([
    ["a word", ["key-of-the-vault"], "bad key: key-of-the-vault", "bad key: [secret]"],
    ["what an option is set to", ["--key=key-of-the-vault"], "bad key-of-the-vault", "bad [secret]"],
    ["what a word is set to", ["secret=key-of-the-vault"], "bad key-of-the-vault", "bad [secret]"],
    ["not the name of an option", ["--password-file", "x"], "no --password-file", "no --password-file"],
    ["not a short word", ["read"], "could not read it", "could not read it"],
  ])("its own words, which may be secret, are hidden: %s", async (_, words, said, expected) => {
    const script = `echo '${said}' >&2; exit 1`;
    expect(await problem([...sh(script), ...words])).toBe(`the command "sh" ended with code 1: ${expected}.`);
  });

  test.each([
    ["no-such-command", 'the command "no-such-command" was not found on the PATH.'],
    ["/no/such/command", 'the command "/no/such/command" does not exist.'],
    // It looks like a token, pasted by mistake.
    ["x".repeat(41), "the command was not found on the PATH."],
  ])("%s", async (command, expected) => {
    expect(await problem([command])).toBe(expected);
  });

  test("a file that is no program", async () => {
    const file = join(folder, "no-program");
    writeFileSync(file, "token");
    expect(await problem([file])).toBe(
      `the command ${JSON.stringify(file)} may not be run by the user who runs this.`,
    );
  });

  test("a word that is too long for the system", async () => {
    expect(await problem(["echo", "x".repeat(3_000_000)])).toBe(
      'the command "echo" could not be started (E2BIG).',
    );
  });
});

describe("a command that does not end", () => {
  const pidFile = () => join(folder, "pid");
  /** Has a child that would go on by itself. */
  const endless = () => sh(`sleep 60 & echo $! > ${pidFile()}; echo waiting >&2; wait`);

  const isRunning = (pid: number) => {
    try {
      // What nobody has collected yet has ended all the same.
      return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  };

  async function expectChildEnded(): Promise<void> {
    const pid = Number(readFileSync(pidFile(), "utf8"));
    for (let i = 0; i < 100 && isRunning(pid); i++) await setTimeout(20);
    expect(isRunning(pid)).toBe(false);
  }

  test("is ended, with what it has started", async () => {
    expect(await problem(endless(), 500)).toBe(
      'the command "sh" gave no token within 0.5 s, and was ended: waiting.',
    );
    await expectChildEnded();
  });

  test("is ended with the run", async () => {
    rmSync(pidFile(), { force: true });
    const cancellation = new AbortController();
    const running = failure(run(endless(), { cancelled: cancellation.signal }));
    while (!existsSync(pidFile())) await setTimeout(10);
    await setTimeout(50);
    cancellation.abort(new Error("the run is over"));
    expect((await running).message).toBe("the run is over");
    await expectChildEnded();
  });

  test("is not begun once the run is over", async () => {
    const marker = join(folder, "marker");
    const error = await failure(
      run(["touch", marker], { cancelled: AbortSignal.abort(new Error("the run is over")) }),
    );
    expect(error.message).toBe("the run is over");
    expect(existsSync(marker)).toBe(false);
  });
});

describe("there is no shell", () => {
  test("words reach the command as they are", async () => {
    const script = join(folder, "count");
    writeFileSync(script, '#!/bin/sh\nprintf "%s/" "$#" "$@"\n');
    chmodSync(script, 0o755);
    const { command } = parseCommand(`${script} $(id) "a  b" | x>y *`) as { command: string[] };
    expect(await run(command)).toBe('7/$(id)/"a/b"/|/x>y/*/'.replace("7", String(command.length - 1)));
  });

  test.each([["'a"], ['"a'], ["|"], ["&&"], [";"], [">x"], ["$(id)"], ["${HOME}"], ["$HOME"], ["`id`"]])(
    "which is said when a command with the word %s fails",
    async (word) => {
      expect(await problem(["false", word])).toBe(
        'the command "false" ended with code 1. It runs without a shell, so that quotes, $ and | stand for ' +
          "themselves: put them into a script.",
      );
    },
  );

  test("standard input is empty", async () => {
    expect(await run(sh("cat; echo token-1"))).toBe("token-1");
  });
});

describe("the words of a command", () => {
  test.each([
    ["vault read -field=token secret/tenant", ["vault", "read", "-field=token", "secret/tenant"]],
    ["  op\tread  op://vault/item \n", ["op", "read", "op://vault/item"]],
    ['["cat", "/run/a b", ""]', ["cat", "/run/a b", ""]],
    ["/usr/bin/op", ["/usr/bin/op"]],
  ])("%j", (text, command) => {
    expect(parseCommand(text)).toEqual({ command });
  });

  const SAMPLE = 'such as ["vault", "read", "-field=token", "secret/tenant"]';
  test.each([
    ...['["vault"', '["vault", 1]', '[["vault"]]', "[null]"].map((text) => [
      text,
      `begins as a JSON list, but is no list of texts, ${SAMPLE}`,
    ]),
    ...["", " ", "[]", '[""]', '[" ", "x"]'].map((text) => [
      text,
      `names no command: it must be a list of words, ${SAMPLE}`,
    ]),
    ["~/bin/token", 'begins with "~", which is not expanded: give the absolute path'],
    ...["./token", "bin/token", '["../token"]'].map((text) => [
      text,
      "must begin with the name of a command on the PATH, or with an absolute path: a program can run in any folder",
    ]),
    ["a b\0c", "holds a character that no command takes"],
  ])("%j is refused", (text, problem) => {
    expect(parseCommand(text)).toEqual({ problem });
  });
});
