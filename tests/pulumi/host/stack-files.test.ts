import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { restraintsInFiles } from "../../../provider/pulumi/host/stack-files";

let root: string;
beforeEach(() => (root = mkdtempSync(join(tmpdir(), "stack-files-"))));
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

const PROJECT = "name: access\nruntime: nodejs\n";
const found = (folder = ".", keys: string[] = [], stack: string | undefined = "prod") =>
  restraintsInFiles({ folder: join(root, folder), project: "access", stack, keys });

test.each([
  [
    "a stack's file",
    { "Pulumi.yaml": PROJECT, "Pulumi.prod.yaml": "config:\n  identity:maxRevocations: 5\n" },
    { maxRevocations: "5" },
  ],
  [
    "texts as they are written",
    {
      "Pulumi.yaml": PROJECT,
      "Pulumi.prod.yaml":
        'config: { "identity:requireReview": true, identity:maxRevocations: "007", identity:reviewFile: a b.json }\n',
    },
    { requireReview: "true", maxRevocations: "007", reviewFile: "a b.json" },
  ],
  [
    "a project's, which the stack's overrides",
    {
      "Pulumi.yaml": `${PROJECT}config:\n  identity:maxRevocations: { value: 3 }\n  identity:requireReview: true\n`,
      "Pulumi.prod.yaml": "config:\n  identity:maxRevocations: 9\n",
    },
    { maxRevocations: "9", requireReview: "true" },
  ],
  [
    "the folder that the project names",
    {
      "Pulumi.yaml": `${PROJECT}stackConfigDir: stacks\n`,
      "Pulumi.prod.yaml": "config: { identity:maxRevocations: 1 }",
      "stacks/Pulumi.prod.yaml": "config: { identity:maxRevocations: 2 }",
    },
    { maxRevocations: "2" },
  ],
  [
    "the older name of that folder",
    {
      "Pulumi.yaml": `${PROJECT}config: stacks\n`,
      "stacks/Pulumi.prod.yaml": "config: { identity:maxRevocations: 2 }",
    },
    { maxRevocations: "2" },
  ],
  [
    "files of the project's kind",
    {
      "Pulumi.json": '{"name": "access", "runtime": "nodejs"}',
      "Pulumi.prod.json": '{"config": {"identity:maxRevocations": "4"}}',
      "Pulumi.prod.yaml": "config: { identity:maxRevocations: 1 }",
    },
    { maxRevocations: "4" },
  ],
  [
    "nothing, where nobody has set any",
    {
      "Pulumi.yaml": PROJECT,
      "Pulumi.prod.yaml": "encryptionsalt: v1:x\nconfig:\n  identity:domain: t.example.com\n",
    },
    {},
  ],
  ["nothing, where no stack has a file", { "Pulumi.yaml": PROJECT }, {}],
])("from a folder below: %s", (_, files, restraints) => {
  write({ "src/deep/index.ts": "", ...files });
  expect(found("src/deep")).toEqual({ restraints, unknown: undefined });
});

test("a stack's file in UTF-16 counts, as Pulumi reads it, and one in another encoding can't be read", () => {
  write({ "Pulumi.yaml": PROJECT });
  const stack = join(root, "Pulumi.prod.yaml");
  writeFileSync(stack, "\ufeffconfig: { identity:maxRevocations: 5 }\n", "utf16le");
  expect(found().restraints).toEqual({ maxRevocations: "5" });
  writeFileSync(stack, "description: café\nconfig: { identity:maxRevocations: 5 }\n", "latin1");
  expect(found()).toEqual({ restraints: {}, unknown: "Pulumi.prod.yaml can't be read" });
});

test("the keys of a project that is called identity need no namespace", () => {
  write({
    "Pulumi.yaml":
      "name: identity\nruntime: nodejs\nconfig:\n  maxRevocations: { type: integer, default: 4 }\n",
  });
  const { restraints } = restraintsInFiles({
    folder: root,
    project: "identity",
    stack: "prod",
    keys: [],
  });
  expect(restraints).toEqual({ maxRevocations: "4" });
});

const FILE = { "Pulumi.yaml": PROJECT };

test.each([
  [
    "is encrypted",
    { ...FILE, "Pulumi.prod.yaml": "config:\n  identity:requireReview: { secure: v1:x }\n" },
    "identity:requireReview is encrypted in Pulumi.prod.yaml",
  ],
  [
    "may come from an environment",
    { ...FILE, "Pulumi.prod.yaml": "environment:\n  - acme/prod\nconfig: {}\n" },
    "Pulumi.prod.yaml imports an environment",
  ],
  [
    "stands in a renamed file",
    { ...FILE, "Pulumi.live.yaml": "config: {}\n" },
    "there is no Pulumi.prod.yaml, by which state knows the stack",
  ],
  [
    "stands in a broken file",
    { ...FILE, "Pulumi.prod.yaml": "config: [\n" },
    "Pulumi.prod.yaml can't be read",
  ],
  [
    "may stand in another file",
    { ...FILE, "Pulumi.prod.yaml": "config: { identity:clientId: me }\n" },
    "Pulumi.prod.yaml lacks identity:domain, which the last up had",
  ],
])("what can't be known, and why: it %s", (_, files, unknown) => {
  write(files);
  expect(found(".", ["identity:clientId", "identity:domain"])).toEqual({ restraints: {}, unknown });
});

test("no other project's files count, and none without a stack", () => {
  write({
    "Pulumi.yaml": "name: other\nruntime: nodejs\n",
    "Pulumi.prod.yaml": "config: { identity:maxRevocations: 1 }",
  });
  expect(found()).toEqual({
    restraints: {},
    unknown: `there is no Pulumi.yaml of this project in ${root} or above`,
  });
  expect(restraintsInFiles({ folder: root, project: "other", stack: undefined, keys: [] })).toEqual({
    restraints: {},
    unknown: "state doesn't name its stack",
  });
});

test("what is plain counts even where something else can't be known", () => {
  write({
    ...FILE,
    "Pulumi.prod.yaml": "config: { identity:maxRevocations: 1, identity:reviewFile: { secure: v1:x } }\n",
  });
  expect(found()).toEqual({
    restraints: { maxRevocations: "1" },
    unknown: "identity:reviewFile is encrypted in Pulumi.prod.yaml",
  });
});
