import { makeReadingClient } from "../../../cli/tenant/client";
import { Border } from "../../../provider/border";

test.each([
  ["64 without a setting", undefined, 64],
  ["as many as the setting says", "4", 4],
])("a command's requests at once: %s", async (_, maxConcurrency, expected) => {
  const settings = { domain: "tenant.example.com", accessToken: "none", maxConcurrency };
  const client = makeReadingClient(settings, { from: "stack" }, new Border());
  expect(client.settings.limits.maxConcurrency).toBe(expected);
  await client.close();
});
