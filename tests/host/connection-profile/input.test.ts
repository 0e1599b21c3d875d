import { Engine, profile } from "../../../testkit/engine";
import { catchLines, inProcess } from "../../../testkit/hosts/host-in-process";
import { useTenant } from "../../../testkit/tenant";

const tenant = useTenant();
catchLines();

test("names with hostile characters reach the service unchanged", async () => {
  const names = ["\u{1F600}".repeat(25), "\u202eright-to-left", 'quote"and\\backslash', "{org_id}"];
  const engine = new Engine(tenant, { startHost: inProcess });

  await engine.up(Object.fromEntries(names.map((name, i) => [`p${i}`, profile({ name })])));

  expect(
    tenant
      .profiles()
      .map(({ name }) => name as string)
      .sort(),
  ).toEqual([...names].sort());
  expect((await engine.refresh()).steps).toEqual([]);
});
