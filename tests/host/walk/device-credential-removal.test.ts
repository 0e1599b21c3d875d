import fc from "../../properties";
import { type BehaviourInput } from "../../../simulator";
import { removal } from "../engine";
import { useTenant } from "../tenant";
import { steps, testWalks, walk } from "./walk";

const tenant = useTenant();

describe("device-credential removals", () => {
  const IDS = ["dcr_1", "dcr_2", "dcr_3", "dcr_4"];
  const behaviour: fc.Arbitrary<BehaviourInput> = fc.record({
    delete_unknown_device_credential: fc.constantFrom(404, 204),
  });

  /** Credentials by names of resources: two resources that remove the same one are refused. */
  const PROGRAM = fc
    .dictionary(fc.constantFrom("x", "y", "z"), fc.constantFrom(...IDS))
    .filter((program) => new Set(Object.values(program)).size === Object.keys(program).length);

  testWalks(
    10,
    fc.asyncProperty(behaviour, steps(PROGRAM, fc.constantFrom(...IDS)), async (behaviour, walked) => {
      tenant.seed({ behaviour, device_credentials: IDS.map((id) => ({ id, type: "refresh_token" })) });
      const gone = new Set<string>();
      await walk<Record<string, string>, string>(tenant, walked, {
        program: (edit) => Object.fromEntries(Object.entries(edit).map(([name, id]) => [name, removal(id)])),
        async outside(id) {
          if (tenant.credentials().includes(id)) await tenant.outside("DELETE", `/device-credentials/${id}`);
          gone.add(id);
        },
        before: (edit) => Object.values(edit).forEach((id) => gone.add(id)),
        expectAsWanted: () => expect(tenant.credentials()).toEqual(IDS.filter((id) => !gone.has(id))),
      });
    }),
  );
});
