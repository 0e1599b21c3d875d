import * as pulumi from "@pulumi/pulumi";
import { ConnectionProfile, Provider } from "../../../provider";
import * as byPlugin from "../../../provider/plugin-classes";

/** The SDK's form of a secret for the engine. */
const { specialSigKey: SECRET_KEY, specialSecretSig: SECRET_MARK } = pulumi.runtime;

test("a Provider hands on its settings as texts, whatever their type", async () => {
  const providers: Record<string, unknown> = {};
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => {
      providers[name] = inputs;
      return { id: name, state: inputs as object };
    },
    call: () => ({}),
  });

  new Provider("eu", {
    domain: "eu.example.com",
    accessToken: "hidden",
    formerDomains: ["old.example.com", pulumi.output("older.example.com")],
    maxConcurrency: 3,
    rateLimitReserve: pulumi.output(0.5),
    requireReview: true,
    maxRevocations: 0,
  });
  new Provider("us", { domain: "us.example.com", accessToken: "hidden", requireReview: false });
  await pulumi.runtime.disconnect();

  expect(providers).toMatchObject({
    eu: {
      "identity:formerDomains": "old.example.com,older.example.com",
      "identity:maxConcurrency": "3",
      "identity:rateLimitReserve": "0.5",
      "identity:requireReview": "true",
      "identity:maxRevocations": "0",
    },
    us: { "identity:requireReview": "false" },
  });
});

test.each([
  ["the classes", Provider],
  ["the classes of /plugin", byPlugin.Provider],
])("%s: formerDomains as a text is refused, with the list to write", (_, Class) => {
  const args = {
    domain: "eu.example.com",
    accessToken: "hidden",
    formerDomains: "a.example.com, b.example.com",
  };
  expect(() => new Class("eu", args as never)).toThrow(
    'formerDomains of the Provider "eu" is a list: write formerDomains: ["a.example.com","b.example.com"].',
  );
});

test("a Provider keeps credentials as secrets, and all else as it is given", async () => {
  const registered: unknown[] = [];
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => {
      registered.push(inputs);
      return { id: name, state: inputs as object };
    },
    call: () => ({}),
  });

  new Provider("eu", {
    domain: "eu.example.com",
    clientSecret: "hidden",
    audience: pulumi.secret("urn:api"),
  });
  await pulumi.runtime.disconnect();

  const secret = (value: string) => ({ [SECRET_KEY]: SECRET_MARK, value });
  expect(registered).toEqual([
    {
      "identity:domain": "eu.example.com",
      "identity:clientSecret": secret("hidden"),
      "identity:audience": secret("urn:api"),
      "identity:provider": "eu",
    },
  ]);
});

test("a Provider serves the classes of its own module alone, given or inherited", async () => {
  await pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }),
    call: () => ({}),
  });
  const settings = { domain: "eu.example.com", accessToken: "hidden" };
  const dynamic = { Provider, ConnectionProfile };
  const pairs = [dynamic, byPlugin].flatMap((one) =>
    [dynamic, byPlugin].map((other) => [one, other] as const),
  );

  const refused = pairs.map(([of, to], i) => {
    const provider = new of.Provider(`p${i}`, settings);
    const parent = new pulumi.ComponentResource("acme:index:Access", `c${i}`, {}, { providers: [provider] });
    const { ConnectionProfile: Profile } = to;
    return [{ provider }, { parent }].map((options, n) => {
      try {
        new Profile(`r${i}-${n}`, { name: "x" }, options);
        return "";
      } catch (error) {
        return (error as Error).message;
      }
    });
  });
  await pulumi.runtime.disconnect();

  const different: unknown = expect.stringMatching(
    /"r\d-\d": its class and its Provider are from different modules/,
  );
  expect(refused).toEqual([
    ["", ""],
    [different, different],
    [different, different],
    ["", ""],
  ]);
});
