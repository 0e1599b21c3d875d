import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile } from "../../../provider";

const DOMAIN = { "identity:domain": "tenant.example.com", "identity:clientId": "client" };

let warn: jest.SpyInstance;

beforeEach(async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }),
    call: () => ({}),
  });
  warn = jest.spyOn(pulumi.log, "warn").mockResolvedValue();
});

afterEach(() => {
  jest.restoreAllMocks();
  pulumi.runtime.setAllConfig({});
});

/** Warnings of a program with some resources. */
async function warnings(config: Record<string, string>, secretKeys: string[] = []): Promise<string[]> {
  pulumi.runtime.setAllConfig(config, secretKeys);
  await pulumi.runtime.runInPulumiStack(() => {
    for (const name of ["a", "b", "c"]) new ConnectionProfile(name, { name });
    return Promise.resolve({});
  });
  return warn.mock.calls.map(([message]) => String(message));
}

test.each(["clientSecret", "privateKey", "accessToken"])("a plain %s is warned of once", async (name) => {
  const found = await warnings({ ...DOMAIN, [`identity:${name}`]: "in-clear" });

  expect(found).toEqual([
    `identity:${name} is in clear in stack configuration, and so in state. Make it a secret: ` +
      `pulumi config set --secret identity:${name}. Then rotate it, since the old value stays in the history of both.`,
  ]);
  expect(found.join()).not.toContain("in-clear");
});

test("secret ones, none, and an empty one are no reason for a warning", async () => {
  expect(await warnings({ ...DOMAIN, "identity:clientSecret": "x" }, ["identity:clientSecret"])).toEqual([]);
  expect(await warnings(DOMAIN)).toEqual([]);
  expect(await warnings({})).toEqual([]);
  expect(await warnings({ ...DOMAIN, "identity:clientSecret": "" })).toEqual([]);
});

test("another run of a program in the same process is warned again", async () => {
  const config = { ...DOMAIN, "identity:clientSecret": "x" };
  expect(await warnings(config)).toHaveLength(1);
  expect(await warnings(config)).toHaveLength(2);
});
