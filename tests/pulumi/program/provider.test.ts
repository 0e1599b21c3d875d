import * as pulumi from "@pulumi/pulumi";
import { Provider } from "../../../provider/pulumi/program/provider";

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
  });
  new Provider("us", { domain: "us.example.com", accessToken: "hidden", uniqueProfileNames: false });
  await pulumi.runtime.disconnect();

  expect(providers).toMatchObject({
    eu: {
      "identity:maxConcurrency": "3",
      "identity:rateLimitReserve": "0.5",
      "identity:uniqueProfileNames": "true",
    },
    us: { "identity:uniqueProfileNames": "false" },
  });
});
