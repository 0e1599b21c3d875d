import { CLIENT_SECRET } from "../../../simulator/default-seed";
import { SetUp } from "./set-up";

/* What the doctor advises for `--stack prod` while another stack is selected. */

test("each command that it advises names the stack", async () => {
  const setUp = await SetUp.start();
  try {
    setUp.unset("clientId");
    setUp.config["auth0:clientId"] = { value: "a client", secret: false };
    setUp.set("domain", "https://tenant.example.com/login");
    setUp.set("clientSecret", CLIENT_SECRET);
    setUp.set("maxConcurrencey", "16");
    const advice = async (stack?: string) =>
      (await setUp.examine(stack === undefined ? {} : { stack })).findings
        .flatMap(({ id, do: advised = "" }) => (id.startsWith("settings.") ? advised : []))
        .filter((advised) => advised !== "");
    expect(await advice("prod")).toEqual([
      "Run `pulumi config set --stack prod --secret identity:clientSecret`, and rotate it: the old value stays in the history of both.",
      "Copy it: pulumi config get --stack prod auth0:clientId | pulumi config set --stack prod identity:clientId",
      "Correct domain: `pulumi config set --stack prod identity:domain`.",
      "Correct the key, or remove it: pulumi config rm --stack prod identity:maxConcurrencey.",
    ]);
    expect((await advice()).join()).not.toContain("--stack");
    setUp.unset("domain");
    expect((await advice("prod")).join()).toContain(
      "for example: pulumi config set --stack prod identity:domain tenant.example.com.",
    );
  } finally {
    await setUp.end();
  }
});
