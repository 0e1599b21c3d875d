import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { withTenant } from "../../cli/stack-client";
import { readStackSettings } from "../../cli/stack-settings";
import { useFolder } from "../../testkit/folder";

const folder = useFolder();

/** A `pulumi` on the PATH that runs this script of `sh`, its words in "$@". */
function pulumi(script: string): NodeJS.ProcessEnv {
  const file = join(folder, "pulumi");
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { PATH: [folder, dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter) };
}

/** A `pulumi` with a selected stack `dev` of this configuration. */
function pulumiWith(config: Record<string, unknown>): NodeJS.ProcessEnv {
  writeFileSync(join(folder, "config.json"), JSON.stringify(config));
  return pulumi(`cat ${join(folder, "config.json")}`);
}

const CONFIG = {
  "identity:domain": { value: "tenant.example.com", secret: false },
  "identity:clientId": { value: "client-of-stack", secret: false },
  "identity:clientSecret": { value: "secret-of-stack", secret: true },
  "other:domain": { value: "other.example.com", secret: false },
};

test("settings come from the selected stack", async () => {
  const environment = pulumiWith(CONFIG);
  expect(await readStackSettings({ folder, environment })).toEqual({
    settings: {
      domain: "tenant.example.com",
      clientId: "client-of-stack",
      clientSecret: "secret-of-stack",
    },
    sourceOf: { domain: "stack", clientId: "stack", clientSecret: "stack" },
    secret: ["clientSecret"],
    stack: { overruled: [], plain: [], unknown: [], auth0: [] },
  });
});

test("what is missing is asked for, in the stack that was read", async () => {
  const { "identity:domain": domain } = CONFIG;
  const environment = pulumiWith({ "identity:domain": domain });
  const asked = withTenant({ folder, environment }, () => Promise.resolve());
  await expect(asked).rejects.toThrow(
    /^The connection to the identity tenant is not configured\. Credentials are missing: /,
  );
});

test("the environment wins, and a credential of it over another one of the stack", async () => {
  const environment = {
    ...pulumiWith(CONFIG),
    IDENTITY_DOMAIN: "env.example.com",
    IDENTITY_ACCESS_TOKEN: "token-of-environment",
    IDENTITY_CLIENT_ID: " ",
  };
  expect(await readStackSettings({ folder, environment })).toEqual({
    settings: {
      domain: "env.example.com",
      clientId: "client-of-stack",
      accessToken: "token-of-environment",
    },
    sourceOf: { domain: "environment", clientId: "stack", accessToken: "environment" },
    secret: ["accessToken"],
    stack: { overruled: ["domain", "clientSecret"], plain: [], unknown: [], auth0: [] },
  });
});

test("credentials without --secret, and keys that are no settings, are told apart", async () => {
  const environment = pulumiWith({
    "identity:clientSecret": { value: "in-plain-sight", secret: false },
    "identity:privateKey": { value: "", secret: false },
    "identity:clientID": { value: "misspelt", secret: false },
  });
  const { stack } = await readStackSettings({ folder, environment });
  expect(stack).toEqual({
    overruled: [],
    plain: ["clientSecret"],
    unknown: ["clientID"],
    auth0: [],
  });
});

test("a value that the stack stores as a secret is one, whatever the setting; not where the environment wins", async () => {
  const config = {
    "identity:domain": { value: "tenant.example.com", secret: true },
    "identity:clientId": { value: "client-of-stack", secret: true },
  };
  const environment = { ...pulumiWith(config), IDENTITY_CLIENT_ID: "client-of-environment" };
  expect(await readStackSettings({ folder, environment })).toMatchObject({ secret: ["domain"] });
});

test.each([
  ["a named stack, each word as given", "a b; c", "--stack|a b; c|"],
  ["the selected stack", undefined, ""],
])("one call of pulumi in the program's folder reads %s", async (_, name, words) => {
  const environment = pulumi(`printf '%s|' "$@" >> ${join("$(dirname $0)", "words")}; echo '{}'`);
  const { stack } = await readStackSettings({ stack: name, folder, environment });
  expect(stack).toEqual({ overruled: [], plain: [], unknown: [], auth0: [] });
  expect(readFileSync(join(folder, "words"), "utf8")).toBe(
    `config|--json|--show-secrets|${words}--cwd|${folder}|--non-interactive|`,
  );
});

describe("a stack that can't be read leaves the environment, and a reason", () => {
  const unread = async (environment: NodeJS.ProcessEnv, longestMs?: number) => {
    const found = await readStackSettings(
      { folder, environment: { ...environment, IDENTITY_CLIENT_SECRET: "secret-of-environment" } },
      longestMs,
    );
    expect(found.settings).toEqual({ clientSecret: "secret-of-environment" });
    expect(found.sourceOf).toEqual({ clientSecret: "environment" });
    expect(found.secret).toEqual(["clientSecret"]);
    return found.stack;
  };
  const failing = (text: string, code = 255) => pulumi(`echo '${text}' >&2; exit ${code}`);

  test.each([
    ['error: no stack named "dev" found', "Name one that `pulumi stack ls` lists."],
    [
      "error: incorrect passphrase",
      "Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the passphrase of the stack.",
    ],
    [
      "error: PULUMI_ACCESS_TOKEN must be set for login",
      "Run `pulumi login`, or set PULUMI_ACCESS_TOKEN or PULUMI_BACKEND_URL.",
    ],
    ["error: the disk is on fire", "Run `pulumi config` by hand in this folder."],
  ])("%s", async (text, advice) => {
    expect(await unread(failing(`warning: A new version is available\n${text}`))).toMatchObject({
      unread: `\`pulumi config\` exited with 255: ${text.replace("error: ", "").replace(/\.$/, "")}.`,
      advice,
    });
  });

  test("what it prints loses secrets and hidden characters", async () => {
    const environment = failing("error: got secret-of-environment \u001b[31m");
    expect(await unread(environment)).toMatchObject({
      unread: "`pulumi config` exited with 255: got [secret] \\u001b[31m.",
    });
  });

  test.each([
    ["exited with 3", "exit 3"],
    ["failed (SIGKILL)", "kill -9 $$"],
  ])("it %s after it has printed the configuration, of which nothing is told", async (how, end) => {
    const environment = pulumi(`echo '${JSON.stringify(CONFIG)}'; ${end}`);
    expect(await unread(environment)).toMatchObject({ unread: `\`pulumi config\` ${how}.` });
  });

  test("it prints something else", async () => {
    expect(await unread(pulumi("echo hello"))).toMatchObject({
      unread: "`pulumi config --json` printed something else than the configuration of a stack.",
    });
  });

  test("it hangs", async () => {
    expect(await unread(pulumi("exec sleep 30"), 300)).toMatchObject({
      unread: "`pulumi config` was ended after 0.3 s without an answer.",
    });
  });
});
