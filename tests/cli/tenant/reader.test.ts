import { AGENT, BILLING, DEFAULT_SEED, SUPPORT } from "../../../simulator/default-seed";
import { reading } from "../../../testkit/cli/reading";
import { useSimulator } from "../../../testkit/simulator";

const simulator = useSimulator();
beforeEach(() => {
  simulator.seed(DEFAULT_SEED);
  simulator.reset();
});

test("after a refusal of the client itself, nothing more is sent", async () => {
  simulator.fail({ path: "/api/v2/roles", times: 9, action: { status: 401 } });
  const asked = await reading(simulator, async (reader) => {
    const refused = { reason: "the tenant refused the credentials" };
    expect(await reader.roles()).toMatchObject(refused);
    const [answer] = (await reader.groupsOfRoles([AGENT])).values();
    expect(answer).toMatchObject(refused);
  });
  expect(new Set(asked)).toEqual(new Set(["/roles"]));
});

test("it shows how many of so many are answered", async () => {
  let shown = "";
  const write = (text: string | Uint8Array) => {
    shown += String(text);
    return true;
  };
  await reading(
    simulator,
    async (reader) => {
      await reader.membersOfGroups([SUPPORT, BILLING]);
      await reader.groupsOfRoles([AGENT]);
    },
    { isTTY: true, write, columns: 80 },
  );
  expect(shown.split("\r\u001b[K").filter((text) => text !== "")).toEqual([
    "Reading members of groups 0 of 2 …",
    "Reading members of groups 1 of 2 …",
    "Reading members of groups 2 of 2 …",
    "Reading groups of roles …",
    "Reading groups of roles …",
  ]);
});
