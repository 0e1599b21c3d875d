import { join, resolve } from "node:path";
import ts from "typescript";

/* The reference: the comments on everything the package exports, as editors show them. */

const root = resolve(__dirname, "../..");
const program = programOf(["provider/index.ts", "dist/review.d.ts", "dist/access.d.ts"]);
const checker = program.getTypeChecker();
const exported = program
  .getRootFileNames()
  .flatMap((path) => exportsOf(program.getSourceFile(path) as ts.SourceFile));

const functions = exported.filter(({ flags }) => flags & ts.SymbolFlags.Function);
const classes = exported.filter(({ flags }) => flags & ts.SymbolFlags.Class);
const interfaces = exported.filter(({ flags }) => flags & ts.SymbolFlags.Interface);
/** Classes that programs construct; errors are only caught. */
const constructed = classes.filter(({ name }) => !name.endsWith("Error"));
/** Interfaces that programs pass: arguments, options, and objects within them. */
const arguments_ = interfaces.filter(({ name }) =>
  /(?:Args|Options)$|^(?:ConnectionProfileOrganization|StrategyOverride|CrossAppAccessResourceApp|CrossAppAccessStatus|ConnectionProvisioning|GoogleWorkspaceProvisioning|ScimProvisioning|ScimTokens)$/.test(
    name,
  ),
);

/** Optional arguments that simply aren't set or sent if absent, without a default value. */
const WITHOUT_DEFAULT = [
  "ConnectionProfileArgs.connectionConfig",
  "ConnectionProfileArgs.connectionNamePrefixTemplate",
  "ConnectionProfileArgs.crossAppAccessResourceApp",
  "ConnectionProfileArgs.enabledFeatures",
  "ConnectionProfileArgs.organization",
  "ConnectionProfileArgs.provisioning",
  "ConnectionProfileArgs.strategyOverrides",
  "ConnectionProfileOrganization.assignMembershipOnLogin",
  "ConnectionProfileOrganization.showAsButton",
  "ConnectionProvisioning.googleWorkspace",
  "ConnectionProvisioning.scim",
  "CrossAppAccessResourceApp.status",
  "CrossAppAccessStatus.allowedValues",
  "CrossAppAccessStatus.defaultValue",
  "DataSourceOptions.parent",
  "DataSourceOutputOptions.dependsOn",
  "GoogleWorkspaceProvisioning.syncUsers",
  "ProviderArgs.accessToken",
  "ProviderArgs.clientId",
  "ProviderArgs.clientSecret",
  "ProviderArgs.formerDomains",
  "ProviderArgs.privateKey",
  "ScimTokens.defaultExpiry",
  "ScimTokens.maxAllowedExpiry",
  "StrategyOverride.connectionConfig",
  "StrategyOverride.crossAppAccessResourceApp",
  "StrategyOverride.enabledFeatures",
  "StrategyOverride.provisioning",
];

/** The only tags that the sources use; editors know all of them. */
const TAGS = ["remarks", "default", "example", "internal", "throws"];

test("the exports of each kind are found", () => {
  expect(functions).toHaveLength(16);
  expect(constructed.map(({ name }) => name).sort()).toEqual([
    "ConnectionProfile",
    "DeviceCredentialRemoval",
    "OrganizationRoleGroupAssignment",
    "Provider",
    "RoleGroupAssignment",
    "UserSignOut",
  ]);
  expect(classes.length).toBeGreaterThan(10);
  expect(arguments_).toHaveLength(24);
});

test("every export has a comment", () => {
  expect(namesOf(exported.filter((symbol) => commentOf(symbol) === ""))).toEqual([]);
  const overloads = functions.flatMap(({ declarations = [] }) =>
    declarations.length === 1 ? declarations : declarations.slice(0, -1),
  );
  const without = overloads.filter((overload) => ts.getJSDocCommentsAndTags(overload).length === 0);
  expect(without.map((overload) => overload.getText())).toEqual([]);
});

test("comments know no document but those that their readers have", () => {
  const texts = documented().map((symbol) => [symbol.name, commentOf(symbol)]);
  expect(texts.filter(([, text = ""]) => /source document|\bsections? \d/i.test(text))).toEqual([]);
});

test("every argument, setting, output of a resource and field of an error has a comment", () => {
  const members = [...arguments_, ...classes].flatMap(membersOf);
  expect(members.length).toBeGreaterThan(70);
  expect(namesOf(members.filter((symbol) => commentOf(symbol) === ""))).toEqual([]);
});

test("every optional argument says what it is when it is left out, in a tag", () => {
  const optional = arguments_.flatMap(membersOf).filter(({ flags }) => flags & ts.SymbolFlags.Optional);
  const without = optional.filter((symbol) => textsOf(symbol, "default").length !== 1);
  expect(namesOf(without)).toEqual(WITHOUT_DEFAULT);
  const inProse = documented().filter((symbol) => /\bDefault(?::|s to)/.test(commentOf(symbol)));
  expect(namesOf(inProse)).toEqual([]);
});

test("all that a program constructs or calls has examples, each one a module that imports the package", () => {
  const shown = [...functions, ...constructed, ...constructed.flatMap(gettersOf)];
  expect(shown).toHaveLength(16 + 6 + 4);
  const without = shown.filter((symbol) => textsOf(symbol, "example").length === 0);
  expect(namesOf(without)).toEqual([]);
  const examples = documented().flatMap((symbol) => textsOf(symbol, "example"));
  const wrong = examples.filter(
    (text) =>
      !/^[A-Z][^\n]+\n```ts\n(?:import [^;]+;\n)*?import [^;]+ from "pulumi-identity";\n[^`]+\n```$/.test(
        text,
      ),
  );
  expect(wrong).toEqual([]);
});

test("calls say which errors they end with, by names of exported classes", () => {
  const plain = functions.filter(({ name }) => !name.endsWith("Output"));
  const throwing = [...plain, ...constructed.flatMap(gettersOf)];
  expect(namesOf(throwing.filter((symbol) => textsOf(symbol, "throws").length === 0))).toEqual([]);
  const known = new Set(classes.map(({ name }) => name));
  for (const symbol of documented()) {
    for (const text of textsOf(symbol, "throws")) {
      const [, name = ""] = /^(?:an?|another) \{@link (\w+) ?\} when \w/.exec(text) ?? [];
      expect([symbol.name, text, known.has(name)]).toEqual([symbol.name, text, true]);
    }
  }
});

test("links lead to exports or their members, and no other tag is used", () => {
  const names = new Set([
    ...exported.map(({ name }) => name),
    ...interfaces.flatMap((symbol) => membersOf(symbol).map(({ name }) => `${symbol.name}.${name}`)),
  ]);
  for (const symbol of documented()) {
    const tags = symbol.getJsDocTags(checker);
    const texts = [commentOf(symbol), ...tags.map(({ text }) => ts.displayPartsToString(text))];
    const links = texts.flatMap((text) =>
      [...text.matchAll(/\{@link ([\w.]+) ?\}/g)].map(([, target = ""]) => target),
    );
    expect([symbol.name, links.filter((target) => !names.has(target))]).toEqual([symbol.name, []]);
    expect([symbol.name, tags.filter(({ name }) => !TAGS.includes(name))]).toEqual([symbol.name, []]);
  }
});

function programOf(files: readonly string[]): ts.Program {
  const { config } = ts.readConfigFile(join(root, "tsconfig.build.json"), (path) =>
    ts.sys.readFile(path),
  ) as {
    config: object;
  };
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, root);
  return ts.createProgram(
    files.map((file) => join(root, file)),
    options,
  );
}

function exportsOf(file: ts.SourceFile): ts.Symbol[] {
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file) as ts.Symbol);
  return symbols.map((symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  );
}

/** Returns the members that a class or interface of this package declares for its users. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  return [...(symbol.members?.values() ?? [])].filter(
    (member) =>
      member.flags & ts.SymbolFlags.Property &&
      !member.declarations?.some(
        (declaration) =>
          ts.isPrivateIdentifier(ts.getNameOfDeclaration(declaration) ?? declaration) ||
          ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private,
      ),
  );
}

/** The static method `get` of a resource. */
function gettersOf({ exports }: ts.Symbol): ts.Symbol[] {
  return [...(exports?.values() ?? [])].filter(({ name }) => name === "get");
}

/** Returns everything whose comment a user may see. */
function documented(): ts.Symbol[] {
  return [
    ...exported,
    ...[...classes, ...interfaces].flatMap(membersOf),
    ...classes.flatMap(gettersOf),
    ...classes.flatMap(constructorsOf),
  ];
}

function constructorsOf({ members }: ts.Symbol): ts.Symbol[] {
  return [...(members?.values() ?? [])].filter(({ flags }) => flags & ts.SymbolFlags.Constructor);
}

function commentOf(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker));
}

function textsOf(symbol: ts.Symbol, tag: string): string[] {
  return symbol
    .getJsDocTags(checker)
    .filter(({ name }) => name === tag)
    .map(({ text }) => ts.displayPartsToString(text));
}

/** `ProviderArgs.domain` of a member, `Provider` of an export; sorted. */
function namesOf(symbols: readonly ts.Symbol[]): string[] {
  const nameOf = (symbol: ts.Symbol) => {
    const owner = symbol.declarations?.[0]?.parent;
    const isMember =
      owner !== undefined && (ts.isInterfaceDeclaration(owner) || ts.isClassDeclaration(owner));
    return isMember ? `${owner.name?.text}.${symbol.name}` : symbol.name;
  };
  return symbols.map(nameOf).sort();
}
