import * as pulumi from "@pulumi/pulumi";
import { getGroupOutput } from "../../../provider/data-sources/get-group";
import { foundNames, noteFound } from "../../../provider/pulumi/program/found-names";
import { BILLING } from "../../../simulator/default-seed";
import { runInline } from "../../../testkit/inline-engine";
import { useSimulator } from "../../../testkit/simulator";
import { settled } from "../../data-sources/tenant";

/* tests/e2e/data-sources.long.ts has the names of real lookups, in lines of the real CLI. */

const simulator = useSimulator();

async function named(program: () => Promise<object>): Promise<object> {
  const { url, clientId, clientSecret } = simulator;
  const config = {
    "identity:domain": url,
    "identity:clientId": clientId,
    "identity:clientSecret": clientSecret,
  };
  const run = await runInline({ stack: "test", isPreview: false, config, program: program as never });
  expect(run.errors).toEqual([]);
  return run.outputs;
}

const inputs = { roleId: Promise.resolve("rol_1"), groupIds: [pulumi.output("grp_1"), "grp_2"] };

test("ids get the names of their tenant, in the run that found them, unless they are secret", async () => {
  const outputs = await named(async () => {
    noteFound("eu", { id: "rol_1", name: "agent" });
    noteFound("eu", { id: "grp_1", name: "desk" });
    noteFound("us", { id: "grp_1", name: "of another tenant" });
    noteFound("eu", { id: "grp_2", name: undefined });
    return {
      eu: await foundNames("eu", inputs),
      us: await foundNames("us", inputs),
      secret: await foundNames("eu", { ...inputs, groupIds: [pulumi.secret("grp_1")] }),
      none: (await foundNames("eu", { roleId: "rol_2", groupIds: undefined })) ?? "none",
    };
  });
  expect(outputs).toEqual({
    eu: { rol_1: "agent", grp_1: "desk" },
    us: { grp_1: "of another tenant" },
    secret: { rol_1: "agent" },
    none: "none",
  });
  expect(await named(async () => ({ next: (await foundNames("eu", inputs)) ?? "none" }))).toEqual({
    next: "none",
  });
});

test.each([
  ["a plain name is found again by its id", (name: string) => name, { [BILLING]: "billing-team" }],
  ["a secret name isn't", (name: string) => pulumi.secret(name), "none"],
])("%s", async (_, as, found) => {
  const outputs = await named(async () => {
    await settled(getGroupOutput({ name: as("billing-team") }));
    return { found: (await foundNames(new URL(simulator.url).host, { groupIds: [BILLING] })) ?? "none" };
  });
  expect(outputs).toEqual({ found });
});
