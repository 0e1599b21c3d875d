import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { sourcesOf } from "../../../../cli/review/input/sources";
import { groups, previewText, step } from "../../../../testkit/cli/previews";
import { useFolder } from "../../../../testkit/folder";

const folder = useFolder();
const { PATH } = process.env;
afterEach(() => (process.env["PATH"] = PATH));

/** A `pulumi` on the PATH that runs this script of `sh` in its folder. */
function pulumi(script: string): void {
  const file = join(folder, "pulumi");
  writeFileSync(file, `#!/bin/sh\ncd ${folder}\n${script}\n`);
  chmodSync(file, 0o755);
  process.env["PATH"] = [folder, PATH].join(delimiter);
}

const STATE = {
  deployment: {
    resources: [],
    pending_operations: [
      {
        type: "creating",
        resource: {
          urn: "urn:pulumi:dev::access::identity:index:ConnectionProfile::partners",
          type: "identity:index:ConnectionProfile",
          inputs: { name: "partners" },
        },
      },
    ],
  },
};
const CONFIG = { "identity:domain": { value: "tenant.example.com", secret: false } };

test("the state and the settings are read while the preview runs", async () => {
  writeFileSync(join(folder, "state.json"), JSON.stringify(STATE));
  writeFileSync(join(folder, "config.json"), JSON.stringify(CONFIG));
  // The preview ends once the others have been asked for.
  pulumi(`case "$1" in
    preview)
      for i in $(seq 600); do if [ -e state ] && [ -e config ]; then echo '{"steps":[]}'; exit; fi; sleep 0.1; done
      exit 9;;
    stack) touch state; cat state.json;;
    config) touch config; cat config.json;;
  esac`);

  const [source] = await sourcesOf([], { stack: ["dev"], read: true });

  expect(source?.preview.errors).toEqual([]);
  expect(source?.preview.pending).toMatchObject([{ name: "partners" }]);
  expect((await source?.askedBy())?.settings.domain).toBe("tenant.example.com");
});

test.each([
  [
    `echo '{"steps":[]}'`,
    "pulumi preview exited with 3, and its JSON doesn't say why. Run it without --json.",
  ],
  [
    "",
    "pulumi preview exited with 3 before it printed a preview. Its error message is in the log of this run.",
  ],
  [
    "echo 'error: get stack secrets manager: passphrase must be set' >&2",
    "pulumi preview exited with 3 before it printed a preview: get stack secrets manager: passphrase must be set. " +
      "Set PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE to the passphrase of the stack.",
  ],
])("a preview that failed without an error, after %j, is no empty one", async (printed, error) => {
  pulumi(`case "$1" in preview) ${printed || ":"}; exit 3;; *) echo '{"deployment":{}}';; esac`);
  const [source] = await sourcesOf([], { stack: ["dev"], read: false });

  expect(source?.preview.errors.map(({ message }) => message.toString())).toEqual([error]);
});

test("a review that asks nobody reads no settings", async () => {
  pulumi(`echo "$1" >> asked; case "$1" in stack) echo '{"deployment":{}}';; *) echo '{"steps":[]}';; esac`);
  await sourcesOf([], { stack: ["dev"], read: false });

  expect(readFileSync(join(folder, "asked"), "utf8").trim().split("\n").sort()).toEqual(["preview", "stack"]);
});

test("without identity:domain, new resources are on the tenant of IDENTITY_DOMAIN, in a file of a preview too", async () => {
  const preview = {
    ...(JSON.parse(previewText([step({ name: "a", after: groups("grp_1") })])) as object),
    config: {},
  };
  writeFileSync(join(folder, "preview.json"), JSON.stringify(preview));
  pulumi(`case "$1" in preview) cat preview.json;; stack) echo '{"deployment":{}}';; *) echo '{}';; esac`);
  const tenantsOf = async (args: string[], stack: string[]) => {
    const [source] = await sourcesOf(args, { stack, read: false });
    return source?.preview.steps.map(({ after }) => after?.tenant);
  };
  const ways = () => Promise.all([tenantsOf([], ["dev"]), tenantsOf([join(folder, "preview.json")], [])]);
  const { IDENTITY_DOMAIN } = process.env;
  try {
    process.env["IDENTITY_DOMAIN"] = "Tenant.example.com";
    expect(await ways()).toEqual([["tenant.example.com"], ["tenant.example.com"]]);
    delete process.env["IDENTITY_DOMAIN"];
    expect(await ways()).toEqual([[undefined], [undefined]]);
  } finally {
    if (IDENTITY_DOMAIN !== undefined) process.env["IDENTITY_DOMAIN"] = IDENTITY_DOMAIN;
  }
});
