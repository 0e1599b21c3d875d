import * as pulumi from "@pulumi/pulumi";
import { getGroupOutput, getRole, RoleGroupAssignment } from "../../../provider";
import { FOUND_NAMES } from "../../../provider/pulumi/hidden-inputs";
import { AGENT, BILLING, SUPPORT } from "../../../simulator/default-seed";
import { runInline } from "../../../testkit/inline-engine";
import { useSimulator } from "../../../testkit/simulator";

/* Names that a program has looked up go along with its ids; tests/contract/names.test.ts has their lines. */

const simulator = useSimulator();

async function namesSent(program: () => Promise<unknown>): Promise<unknown> {
  const { url, clientId, clientSecret } = simulator;
  const config = {
    "identity:domain": url,
    "identity:clientId": clientId,
    "identity:clientSecret": clientSecret,
  };
  const run = await runInline({ stack: "test", isPreview: false, config, program: program as never });
  expect(run.errors).toEqual([]);
  return run.inputs["a"]?.[FOUND_NAMES];
}

const group = (name: pulumi.Input<string>) => getGroupOutput({ name }).id;

test.each<[string, () => Promise<pulumi.Input<string>[]>, object | undefined]>([
  [
    "that it found by name, and no others",
    async () => {
      expect((await getRole({ name: "support-agent" })).id).toBe(AGENT);
      return [group("billing-team"), SUPPORT];
    },
    { [AGENT]: "support-agent", [BILLING]: "billing-team" },
  ],
  ["but none by a secret name", () => Promise.resolve([group(pulumi.secret("billing-team"))]), undefined],
  ["none for a secret id", () => Promise.resolve([pulumi.secret(group("billing-team"))]), undefined],
  ["and none of an earlier run", () => Promise.resolve([BILLING]), undefined],
])("ids have the names %s", async (_title, idsOf, expected) => {
  const names = await namesSent(async () => {
    const groupIds = await idsOf();
    new RoleGroupAssignment("a", { roleId: AGENT, groupIds });
    return {};
  });
  expect(names).toEqual(expected);
});
