import * as pulumi from "@pulumi/pulumi";
import { Provider } from "../../../provider/pulumi/program/provider";

/** How the SDK hands a secret to the engine. */
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
    maxConcurrency: 3,
    rateLimitReserve: pulumi.output(0.5),
    uniqueProfileNames: true,
    maxRevocations: 0,
  });
  new Provider("us", { domain: "us.example.com", accessToken: "hidden", uniqueProfileNames: false });
  await pulumi.runtime.disconnect();

  expect(providers).toMatchObject({
    eu: {
      "identity:maxConcurrency": "3",
      "identity:rateLimitReserve": "0.5",
      "identity:uniqueProfileNames": "true",
      "identity:maxRevocations": "0",
    },
    us: { "identity:uniqueProfileNames": "false" },
  });
});

test("a Provider keeps credentials as secrets, and where they are kept as it is given", async () => {
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
    clientSecretFile: "/run/secrets/identity",
    privateKeyFile: pulumi.secret("/run/secrets/key"),
    accessTokenCommand: "print-token",
  });
  await pulumi.runtime.disconnect();

  const secret = (value: string) => ({ [SECRET_KEY]: SECRET_MARK, value });
  expect(registered).toEqual([
    {
      "identity:domain": "eu.example.com",
      "identity:clientSecret": secret("hidden"),
      "identity:clientSecretFile": "/run/secrets/identity",
      "identity:privateKeyFile": secret("/run/secrets/key"),
      "identity:accessTokenCommand": "print-token",
      "identity:provider": "eu",
    },
  ]);
});
