import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Workplace } from "../../cli/places";
import { workplaceOf } from "../../cli/workplace";
import { useFolder } from "../../testkit/folder";

/* Places as the engine tells them, and the files of the repository that they stand for. */

const folder = realpathSync(useFolder());

function write(files: Record<string, string>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

const urn = (name: string, project = "access") =>
  `urn:pulumi:prod::${project}::identity:index:RoleGroupAssignment::${name}`;
/** As the engine encodes it, relative to the project's folder as Pulumi knows it. */
const position = (root: string, file: string, line = 9) =>
  `project:///${relative(join(folder, root), file.startsWith("/") ? file : join(folder, file))
    .split("/")
    .map(encodeURIComponent)
    .join("/")}#${line},3`;
const found = (workplace: Workplace, positions: readonly string[], name = "a") => {
  const place = workplace.locate(positions, urn(name));
  return place && [place.file, place.line, workplace.inRepository(place)?.file];
};

describe("the project", () => {
  test.each([
    ["Pulumi.yaml", "name: access\nruntime: nodejs\n"],
    ["Pulumi.yml", "name: access\nruntime: nodejs\n"],
    ["Pulumi.json", '{"name": "access", "runtime": "nodejs"}'],
  ])("is found by %s in a subfolder, and from a folder below", (file, text) => {
    write({ [`repo/infra/${file}`]: text, "repo/infra/src/index.ts": "", "repo/.git/HEAD": "" });
    for (const below of ["repo/infra", "repo/infra/src"]) {
      const workplace = workplaceOf(join(folder, below), {});
      expect(found(workplace, [position("repo/infra", "repo/infra/src/index.ts")])).toEqual([
        "src/index.ts",
        9,
        "infra/src/index.ts",
      ]);
      expect(workplace.inRepository({ file: workplace.projectFile, line: 1 })?.file).toBe(`infra/${file}`);
    }
  });

  test("may be reached by links, and so may the workspace", () => {
    write({ "real/deep/repo/infra/Pulumi.yaml": "name: access\n", "real/deep/repo/infra/index.ts": "" });
    symlinkSync(join(folder, "real/deep/repo"), join(folder, "work"));
    const file = "real/deep/repo/infra/index.ts";
    const environment = { GITHUB_WORKSPACE: join(folder, "work"), PWD: join(folder, "work/infra") };
    // Node.js starts commands in the real folder; the shell, and so Pulumi, knows the other one.
    for (const root of ["work/infra", "real/deep/repo/infra"]) {
      const workplace = workplaceOf(join(folder, "real/deep/repo/infra"), environment);
      expect(found(workplace, [position(root, file)])).toEqual(["index.ts", 9, "infra/index.ts"]);
    }
  });

  test("may have blanks and umlauts in its path, which are encoded once", () => {
    write({
      "repo/my dir/Pulumi.yaml": "name: access\n",
      "repo/my dir/grüße 100%.ts": "",
      "repo/.git": "gitdir: x",
    });
    const workplace = workplaceOf(join(folder, "repo/my dir"), {});
    expect(found(workplace, [position("repo/my dir", "repo/my dir/grüße 100%.ts")])).toEqual([
      "grüße 100%.ts",
      9,
      "my dir/grüße 100%.ts",
    ]);
  });

  test("of a state in a file may be another one", () => {
    write({ "repo/Pulumi.yaml": "name: access\nruntime: yaml\nresources:\n  a: {}\n" });
    const { locate } = workplaceOf(join(folder, "repo"), {});
    expect(locate(["project:///index.ts#7,1"], urn("a", "other"))).toEqual({ file: "index.ts", line: 7 });
    expect(locate(["project:///index.ts#7,1"], urn("a"))).toEqual({ file: "Pulumi.yaml", line: 4 });
  });
});

describe("the repository", () => {
  test("is the checkout, in a folder of the workspace, too; what is above doesn't count", () => {
    write({
      ".git/HEAD": "",
      "work/checkout/.git/HEAD": "",
      "work/checkout/infra/Pulumi.yaml": "name: access\n",
      "work/other/Pulumi.yaml": "name: access\n",
    });
    const of = (project: string) => {
      const workplace = workplaceOf(join(folder, project), { CI_PROJECT_DIR: join(folder, "work") });
      return workplace.inRepository({ file: "index.ts", line: 1 })?.file;
    };
    expect(of("work/checkout/infra")).toBe("infra/index.ts");
    expect(of("work/other")).toBe("other/index.ts");
  });

  test("is what a line is in that no project around the command has", () => {
    write({ ".git/HEAD": "", "ci/review.sh": "" });
    const { inRepository } = workplaceOf(join(folder, "ci"), {});
    expect(inRepository({ file: "infra/index.ts", line: 1 })).toEqual({ file: "infra/index.ts", line: 1 });
  });

  test("holds files beside the project, and none of its packages; others have no place", () => {
    write({
      "repo/.git/HEAD": "",
      "repo/infra/Pulumi.yaml": "name: access\n",
      "repo/infra/index.ts": "",
      "repo/infra/node_modules/lib/index.js": "",
      "repo/lib/groups.ts": "",
      "elsewhere/lib.ts": "",
    });
    const workplace = workplaceOf(join(folder, "repo/infra"), {});
    const at = (file: string, line?: number) => position("repo/infra", file, line);
    const lib = at("repo/lib/groups.ts", 3);
    const packaged = at("repo/infra/node_modules/lib/index.js", 5);
    expect(found(workplace, [packaged, lib])).toEqual(["../lib/groups.ts", 3, "lib/groups.ts"]);
    expect(found(workplace, [packaged, lib, at("repo/infra/index.ts")])).toEqual([
      "index.ts",
      9,
      "infra/index.ts",
    ]);
    expect(found(workplace, [at("elsewhere/lib.ts")])).toBeUndefined();
    expect(workplace.inRepository({ file: "../../elsewhere/lib.ts", line: 1 })).toBeUndefined();
  });

  test("doesn't have a project outside of the workspace", () => {
    write({ "work/.git/HEAD": "", "other/Pulumi.yaml": "name: access\n" });
    const workplace = workplaceOf(join(folder, "other"), { GITHUB_WORKSPACE: join(folder, "work") });
    expect(workplace.inRepository({ file: "Pulumi.yaml", line: 1 })).toBeUndefined();
  });
});

describe("YAML", () => {
  const host = "project:///../../../go/pkg/mod/github.com/pulumi/pulumi-yaml/pkg/run.go#1304";
  const program =
    "resources:\n  # A comment.\n  first:\n    type: a\n  second:\n    name: renamed\n    type: a\n";

  test.each([
    ["Pulumi.yaml", `name: access\nruntime: yaml\n${program}`, "Pulumi.yaml"],
    ["Pulumi.yaml", `name: access\nruntime:\n  name: yaml\n${program}`, "Pulumi.yaml"],
    [
      "Pulumi.json",
      '{"name": "access", "runtime": {"name": "yaml"},\n"resources": {\n"first": {},\n"second": {"name": "renamed"}}}',
      "Pulumi.json",
    ],
  ])("the resource's key has the line, in %s", (file, text, expected) => {
    write({ [`repo/infra/${file}`]: text, "repo/.git/HEAD": "" });
    const workplace = workplaceOf(join(folder, "repo/infra"), {});
    const line = (key: string) =>
      text.split("\n").findIndex((one) => new RegExp(`^\\W*${key}\\b`).test(one)) + 1;
    expect(found(workplace, [host], "first")).toEqual([expected, line("first"), `infra/${expected}`]);
    expect(found(workplace, [host], "renamed")?.[1]).toBe(line("second"));
    expect(found(workplace, [host], "unknown")).toBeUndefined();
  });

  const other = "resources:\n\n\n  first: {}\n  third: {}\n";

  test.each([
    ["Main.json", { "program/Main.json": program, "program/Main.yaml": other, "program/Pulumi.yaml": other }],
    ["Main.yaml", { "program/Main.yaml": program, "program/Pulumi.yaml": other }],
    ["Pulumi.yaml", { "program/Pulumi.yaml": program }],
  ])("the program is the one file that the YAML host reads: %s", (file, files) => {
    const all = {
      "Pulumi.yaml": "name: access\nruntime: yaml\nmain: program\n",
      "program/Main.yml": other,
      "program/Pulumi.prod.yaml": other,
      "program/old.yaml": other,
      ...files,
    };
    write(Object.fromEntries(Object.entries(all).map(([name, text]) => [`repo/${name}`, text])));
    const workplace = workplaceOf(join(folder, "repo"), {});
    expect(found(workplace, [host], "first")).toEqual([`program/${file}`, 3, `program/${file}`]);
    expect(found(workplace, [host], "third")).toBeUndefined();
  });
});

test("Go: the module's name stands in place of its folder", () => {
  write({
    "repo/.git/HEAD": "",
    "repo/infra/Pulumi.yaml": "name: access\nruntime: go\n",
    "repo/infra/go.mod": "// A comment.\nmodule example.com/acme/access\n\ngo 1.24\n",
    "repo/infra/main.go": "",
    "repo/infra/pkg/roles.go": "",
  });
  const workplace = workplaceOf(join(folder, "repo/infra"), {});
  const at = (file: string, line?: number) => position("repo/infra", file, line);
  const sdk = at("/github.com/pulumi/pulumi/sdk/v3@v3.200.0/go/pulumi/context.go", 700);
  const main = at("/example.com/acme/access/main.go", 12);
  expect(found(workplace, [sdk, main])).toEqual(["main.go", 12, "infra/main.go"]);
  const nested = at("/example.com/acme/access/pkg/roles.go", 5);
  expect(found(workplace, [sdk, nested, main])).toEqual(["pkg/roles.go", 5, "infra/pkg/roles.go"]);
});

describe("languages whose hosts tell no lines", () => {
  const line = (files: Record<string, string>, name: string) => {
    write(Object.fromEntries(Object.entries(files).map(([file, text]) => [`repo/${file}`, text])));
    return found(workplaceOf(join(folder, "repo"), {}), [], name);
  };

  test.each([
    ["support", ["infra/more.tf", 3, "infra/more.tf"]],
    ['team["a"]', ["infra/more.tf", 6, "infra/more.tf"]],
    ["team[0]", ["infra/more.tf", 6, "infra/more.tf"]],
    ["twice", undefined],
    ["in-a-module", undefined],
  ])("HCL: the block of %s", (name, place) => {
    const files = {
      "Pulumi.yaml": "name: access\nruntime: hcl\nmain: infra\n",
      "infra/main.tf":
        'resource "identity_connection_profile" "support" {}\nresource "identity_role_group_assignment" "twice" {}\n',
      "infra/more.tf":
        '\n# resource "identity_role_group_assignment" "support" {\nresource "identity_role_group_assignment" "support" {\n' +
        '  role_id = "a"\n}\n  resource identity_role_group_assignment team {\n  }\n' +
        'resource "identity_role_group_assignment" "twice" {}\n',
      "infra/module/main.tf": 'resource "identity_role_group_assignment" "in-a-module" {}\n',
    };
    expect(line(files, name)).toEqual(place);
  });

  test.each([
    ["support", ["src/main/java/App.java", 4, "src/main/java/App.java"]],
    ["whole", ["src/main/java/App.java", 6, "src/main/java/App.java"]],
    ["twice", undefined],
    ["generated", undefined],
  ])("Java: the constructor of %s", (name, place) => {
    const files = {
      "Pulumi.yaml": "name: access\nruntime:\n  name: java\n",
      "src/main/java/App.java":
        '\nclass App {\n  var other = new ConnectionProfile("support", args);\n  var a = new RoleGroupAssignment("support", args);\n' +
        '  // new RoleGroupAssignment(name)\n  var b = new io.github.pulumiidentity.identity.RoleGroupAssignment(\n    "whole", args);\n' +
        '  var c = new RoleGroupAssignment("twice", one);\n}\n',
      "src/main/java/more/More.java": 'var d = new RoleGroupAssignment("twice", two);\n',
      "sdks/identity/src/main/java/Generated.java": 'new RoleGroupAssignment("generated", args);\n',
    };
    expect(line(files, name)).toEqual(place);
  });

  test("without sources, or in another language, there is none", () => {
    const files = {
      "Pulumi.yaml": "name: access\nruntime: nodejs\n",
      "src/App.java": 'new RoleGroupAssignment("support");',
    };
    expect(line({ "Pulumi.yaml": "name: access\nruntime: java\n" }, "support")).toBeUndefined();
    expect(line(files, "support")).toBeUndefined();
  });
});
