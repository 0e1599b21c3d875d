import { join, resolve } from "node:path";
import ts from "typescript";

/*
 * The texts an editor shows while you write a program, from the language service that editors use too.
 */

const root = resolve(__dirname, "../..");
const PROGRAM = join(root, "program.ts");
const RESOURCES = ["ConnectionProfile", "RoleGroupAssignment", "DeviceCredentialRemoval"];
const EXPORTS = [...RESOURCES, "Provider"];

const OVERRIDES = `new ConnectionProfile("p", { name: "p", strategyOverrides: {`;

const source = [
  `import { ${EXPORTS.join(", ")} } from "./provider";`,
  ...EXPORTS.map((name) => `new ${name}("name", {} as never);`),
  ...RESOURCES.map((name) => `${name}.get("name", "id");`),
  ...EXPORTS.map((name) => `export type An${name} = ${name};`),
  `${OVERRIDES} } });`,
].join("\n");

const services = ts.createLanguageService({
  getScriptFileNames: () => [PROGRAM],
  getScriptVersion: () => "1",
  getScriptSnapshot: (path) =>
    ts.ScriptSnapshot.fromString(path === PROGRAM ? source : (ts.sys.readFile(path) ?? "")),
  getCompilationSettings: () => ({ module: ts.ModuleKind.NodeNext, types: [] }),
  getCurrentDirectory: () => root,
  getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
  fileExists: (path) => ts.sys.fileExists(path),
  readFile: (path) => ts.sys.readFile(path),
  directoryExists: (path) => ts.sys.directoryExists(path),
});

/** Returns the text shown when hovering over the last name in `code`. */
function hoverOf(code: string): string {
  const lastLetter = source.indexOf(code) + code.replace(/\W+$/, "").length - 1;
  const { documentation } = services.getQuickInfoAtPosition(PROGRAM, lastLetter) ?? {};
  return ts.displayPartsToString(documentation);
}

// A comment on a constructor hides its class's comment: editors show only one of the two.
test.each(EXPORTS)("`new %s(` shows what the class says of itself", (name) => {
  const text = hoverOf(`An${name} = ${name};`);
  expect(text.length).toBeGreaterThan(150);
  expect(hoverOf(`new ${name}(`)).toBe(text);
});

// All three are one function.
test.each([
  ["ConnectionProfile", "Reads an existing profile by its id"],
  ["RoleGroupAssignment", "Reads an existing role with all its groups"],
  ["DeviceCredentialRemoval", "A removal that happened elsewhere"],
])("`%s.get(` shows what it reads", (name, beginning) => {
  expect(hoverOf(`${name}.get(`)).toMatch(new RegExp(`^${beginning}`));
});

test("each strategy is proposed once", () => {
  const at = source.indexOf(OVERRIDES) + OVERRIDES.length + 1;
  const { entries = [] } = services.getCompletionsAtPosition(PROGRAM, at, undefined) ?? {};
  const names = entries.map(({ name }) => name);
  expect(names).toContain('"google-apps"');
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
});
