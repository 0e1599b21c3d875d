import { Engine, profile, type Program } from "../engine";
import { useTenant } from "../tenant";

const tenant = useTenant();

beforeEach(() => tenant.behave({ profile_name_conflict: "allow" }));

const twelve: Program = Object.fromEntries(
  Array.from({ length: 12 }, (_, i) => [`p${i}`, profile({ name: "enterprise" })]),
);

describe.each([1, 2, 3, 8, 32])(
  "a refresh of twelve managed profiles of one name, --parallel %i",
  (parallel) => {
    test("says nothing", async () => {
      const engine = new Engine(tenant, { parallel });
      await engine.up(twelve);

      const { steps, messages } = await engine.refresh();

      expect([steps, messages]).toEqual([[], []]);
    });
  },
);

describe.each([2, 3, 8, 32])("with one unmanaged twin, --parallel %i", (parallel) => {
  test("says so once, with the way to adopt it, and no word of deleting", async () => {
    // On the first page of the list, which is the one that is read anyway.
    const twin = (await tenant.outside("POST", "/connection-profiles", { name: "enterprise" })) as {
      id: string;
    };
    const engine = new Engine(tenant, { parallel });
    await engine.up(twelve);

    const { steps, messages } = await engine.refresh();

    expect(steps).toEqual([]);
    expect(messages).toEqual([
      `Not managed by this stack, but named "enterprise" like a profile of it: ${twin.id}. If an interrupted run has ` +
        `left it behind, take it over with adopt: "${twin.id}".`,
    ]);
  });
});
