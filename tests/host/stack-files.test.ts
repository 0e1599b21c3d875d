import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ADMINS, BILLING, VIEWER } from "../../simulator/default-seed";
import { viewers } from "../../testkit/assignments";
import { Engine, failed, type Run } from "../../testkit/engine";
import { useFolder } from "../../testkit/folder";
import { catchLines, HostInProcess } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";
import { within, withoutVariables } from "./environment";

/*
 * Where a destroy through the classes finds today's restraints: the files of the project. What they restrain
 * is in max-revocations.test.ts.
 */

const tenant = useTenant();
catchLines();
const root = useFolder();
afterEach(withoutVariables);

/** A destroy from a folder below the project's, by a host that sees these files. */
async function destroy(files: Record<string, string | Buffer>, project = "access"): Promise<Run> {
  const folder = join(root, "src", "deep");
  for (const [name, text] of Object.entries({ "src/deep/index.ts": "", ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const startHost = within({ PULUMI_PROJECT: project }, (address, moment) => {
    return new HostInProcess(address, moment, folder);
  });
  const engine = new Engine(tenant, { startHost });
  await engine.up({ a: viewers(ADMINS, BILLING) });
  return engine.destroy();
}

const PROJECT = "name: access\nruntime: nodejs\n";
/** The keys that the last `up` had. */
const KEYS = "identity:domain: a, identity:clientId: b, identity:clientSecret: { secure: c }";
const config = (more: string) => `config: { ${KEYS}, ${more} }\n`;
const limited = (limit: number | string) => config(`identity:maxRevocations: ${limit}`);

test.each<[string, Record<string, string | Buffer>]>([
  ["a stack's file", { "Pulumi.test.yaml": limited(1) }],
  ["a text that is written in another way", { "Pulumi.test.yaml": limited('"001"') }],
  ["UTF-16, as Pulumi reads it", { "Pulumi.test.yaml": Buffer.from(`\ufeff${limited(1)}`, "utf16le") }],
  [
    "a project's file",
    {
      "Pulumi.yaml": `${PROJECT}config:\n  identity:maxRevocations: { value: 1 }\n`,
      "Pulumi.test.yaml": config("a:b: c"),
    },
  ],
  [
    "a project's file, which the stack's overrides",
    {
      "Pulumi.yaml": `${PROJECT}config:\n  identity:maxRevocations: { value: 5 }\n`,
      "Pulumi.test.yaml": limited(1),
    },
  ],
  [
    "the folder that the project names",
    {
      "Pulumi.yaml": `${PROJECT}stackConfigDir: stacks\n`,
      "Pulumi.test.yaml": limited(0),
      "stacks/Pulumi.test.yaml": limited(1),
    },
  ],
  [
    "the older name of that folder",
    { "Pulumi.yaml": `${PROJECT}config: stacks\n`, "stacks/Pulumi.test.yaml": limited(1) },
  ],
  [
    "files of the project's kind",
    {
      "Pulumi.json": '{"name": "access", "runtime": "nodejs"}',
      "Pulumi.test.json": '{"config": {"identity:maxRevocations": "1"}}',
      "Pulumi.test.yaml": limited(0),
    },
  ],
  [
    "a file that hides something else, too",
    { "Pulumi.test.yaml": config("identity:maxRevocations: 1, identity:reviewFile: { secure: x }") },
  ],
])("a limit is found in %s", async (_, files) => {
  const own = ["Pulumi.yaml", "Pulumi.json"].some((name) => Object.hasOwn(files, name));
  const { errors } = await failed(destroy(own ? files : { "Pulumi.yaml": PROJECT, ...files }));
  expect(errors.join()).toContain(`(IDENTITY_MAX_REVOCATIONS) allows 1.`);
  expect(tenant.groupsOf(VIEWER)).toHaveLength(2);
});

test("the keys of a project that is called identity need no namespace", async () => {
  const file = "name: identity\nruntime: nodejs\nconfig:\n  maxRevocations: { type: integer, default: 1 }\n";
  const { errors } = await failed(destroy({ "Pulumi.yaml": file }, "identity"));
  expect(errors.join()).toContain("(IDENTITY_MAX_REVOCATIONS) allows 1.");
});

test.each<[string, Record<string, string | Buffer>, string | undefined]>([
  ["nobody has set any", { "Pulumi.test.yaml": `encryptionsalt: v1:x\n${config("a:b: c")}` }, undefined],
  [
    "it is encrypted",
    { "Pulumi.test.yaml": config("identity:requireReview: { secure: v1:x }") },
    "identity:requireReview is encrypted in Pulumi.test.yaml",
  ],
  [
    "it may come from an environment",
    { "Pulumi.test.yaml": `environment:\n  - acme/prod\n${config("a:b: c")}` },
    "Pulumi.test.yaml imports an environment",
  ],
  [
    "it stands in a renamed file",
    { "Pulumi.live.yaml": "config: {}\n" },
    "there is no Pulumi.test.yaml, by which state knows the stack",
  ],
  ["it stands in a broken file", { "Pulumi.test.yaml": "config: [\n" }, "Pulumi.test.yaml can't be read"],
  [
    "it stands in a file of another encoding",
    { "Pulumi.test.yaml": Buffer.from(`description: café\n${limited(0)}`, "latin1") },
    "Pulumi.test.yaml can't be read",
  ],
  [
    "it may stand in another file",
    { "Pulumi.test.yaml": "config: { identity:clientId: b, identity:clientSecret: { secure: c } }\n" },
    "Pulumi.test.yaml lacks identity:domain, which the last up had",
  ],
  [
    "the files are another project's",
    { "Pulumi.yaml": "name: other\nruntime: nodejs\n", "Pulumi.test.yaml": limited(0) },
    `there is no Pulumi.yaml of this project in ${join(root, "src", "deep")} or above`,
  ],
])("no limit is found where %s, and a reason is told", async (_, files, why) => {
  const { messages } = await destroy({ "Pulumi.yaml": PROJECT, ...files });
  const [told] = messages.filter((line) => line.startsWith("In this run"));
  if (why === undefined) expect(told).toBeUndefined();
  else expect(told).toContain(`isn't known, because ${why}. `);
});
