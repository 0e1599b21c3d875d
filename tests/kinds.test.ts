import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as entry from "../provider";
import { dynamicToken, KIND_NAMES, KINDS, kindOf, kindOfType, pluginToken } from "../provider/kinds";
import * as plugin from "../provider/plugin-classes";
import * as runtime from "../provider/runtime";

const uncapitalized = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);

test("each kind has its class for both doors, its handlers, and its place in the schema, and nothing else has", () => {
  expect(Object.keys(runtime).sort()).toEqual(KIND_NAMES.map(uncapitalized).sort());
  const schema = readFileSync(join(__dirname, "../schema.json"), "utf8");
  const { resources } = JSON.parse(schema) as { resources: object };
  expect(Object.keys(resources).sort()).toEqual(KIND_NAMES.map(pluginToken).sort());
  for (const name of KIND_NAMES) {
    expect([name, entry[name].name, plugin[name].name]).toEqual([name, name, name]);
    expect(plugin[name]).not.toBe(entry[name]);
  }
});

test("a type of either door tells the kind, and one of another package none", () => {
  for (const name of KIND_NAMES)
    expect([dynamicToken(name), pluginToken(name)].map(kindOfType)).toEqual([name, name]);
  const others = [
    "",
    "ConnectionProfile",
    "identity:index:getRole",
    "auth0:index/role:Role",
    "a:identity:index:Role",
  ];
  expect(others.map(kindOfType)).toEqual(others.map(() => undefined));
  expect(kindOfType("identity:index:toString")).toBeUndefined();
});

test("what a kind manages, and where, leads back to it", () => {
  for (const name of KIND_NAMES) expect(kindOf(KINDS[name].manages, KINDS[name])).toBe(name);
});
