import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { SETTING_NAMES } from "../../provider/pulumi/settings-table";

const root = resolve(__dirname, "../..");
const text = (path: string) => readFileSync(join(root, path), "utf8");

interface Manifest {
  version: string;
  dependencies: Record<string, string>;
  peerDependencies: Record<string, string>;
}
const manifest = (path: string) => JSON.parse(text(path)) as Manifest;

test("the template takes this release, with the Pulumi SDK that it supports", () => {
  const { version, peerDependencies } = manifest("package.json");
  expect(manifest("template/package.json").dependencies).toEqual({
    ...peerDependencies,
    // Once it is published: `^${version}`. Until then, `pulumi new` installs what lies in the new folder.
    "pulumi-identity": `file:pulumi-identity-${version}.tgz`,
  });
});

test("the template asks for settings that there are, and takes the secret as one", () => {
  const { template } = parse(text("template/Pulumi.yaml")) as {
    template: { config: Record<string, { description: string; secret?: boolean }> };
  };
  const keys = Object.keys(template.config);
  expect(keys).toEqual(["identity:domain", "identity:clientId", "identity:clientSecret"]);
  expect(SETTING_NAMES.map((name) => `identity:${name}`)).toEqual(expect.arrayContaining(keys));
  expect(template.config["identity:clientSecret"]).toMatchObject({ secret: true });
});
