import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { projectOf } from "../../cli/project";
import { useFolder } from "../../testkit/folder";

const root = useFolder();
beforeEach(() => mkdirSync(join(root, "src/deep"), { recursive: true }));

test.each([
  ["name: a\nruntime: nodejs\n", ""],
  ["name: a\nmain: src\n", "src"],
  ["\ufeffname: a\nmain: src\n", "src"],
  ["name: a\nmain: './src/index.ts'\n", "src"],
  ["runtime:\n  name: nodejs\n  options: { main: no }\nname: a\nmain: src\n", "src"],
  ['{"name": "a", "main": "src/index.ts", "runtime": "nodejs"}', "src"],
  ['{"runtime": {"name": "nodejs", "main": "no"}, "name": "a", "main": "src"}', "src"],
])("%j has its program in %j", (text, folder) => {
  const file = join(root, "Pulumi.yaml");
  writeFileSync(file, text);
  expect(projectOf(join(root, "src/deep"))).toEqual({ file, folder: join(root, folder), name: "a" });
});

test("the nearest project counts; without one there is none", () => {
  writeFileSync(join(root, "Pulumi.yaml"), "name: outer\n");
  writeFileSync(join(root, "src/Pulumi.yaml"), "name: inner\n");
  expect(projectOf(join(root, "src/deep"))?.file).toBe(join(root, "src/Pulumi.yaml"));
  expect(projectOf("/")).toBeUndefined();
});
