import { OTHER_ROLE_ID as VIEWER } from "../../../simulator/default-seed";
import { Engine, failed } from "../../../testkit/engine";
import { useTenant } from "../../../testkit/tenant";
import { exactly, manyGroups } from "../../../testkit/assignments";

/* Nothing is decided on part of a role's groups. */

const tenant = useTenant();
const GROUPS = manyGroups(120);
const [FIRST = ""] = GROUPS;
const GAP = `GET /roles/${VIEWER}/groups can't be read whole: it counts 120 entries, and answers 50.`;

const behave = (cursor_lists: "total" | "numbers" | "cursor") =>
  tenant.seed({
    groups: GROUPS.map((id) => ({ id })),
    roles: [{ id: VIEWER, groups: GROUPS }],
    behaviour: { cursor_lists, max_page_size: 50 },
  });
const writes = () => tenant.sent().filter((line) => /^(POST|DELETE)/.test(line));

test("an exclusive assignment is refused, and changes nothing; its preview says that it could not ask", async () => {
  behave("total");
  const engine = new Engine(tenant);
  const { messages } = await engine.preview({ a: exactly(FIRST) });
  expect(messages.join("\n")).toContain("the list can't be read whole");
  const { errors } = await failed(engine.up({ a: exactly(FIRST) }));
  expect(errors.join("\n")).toContain(GAP);
  expect(writes()).toEqual([]);
  expect(engine.state.size).toBe(0);
});

test.each(["numbers", "cursor"] as const)(
  "where the rest can be read (%s), all 119 others lose the role",
  async (way) => {
    behave(way);
    const engine = new Engine(tenant);
    await engine.up({ a: exactly(FIRST) });
    expect(tenant.groupsOf(VIEWER)).toEqual([FIRST]);
  },
);

test("a refresh is refused, and state stays as it was", async () => {
  behave("cursor");
  const engine = new Engine(tenant);
  const program = { a: exactly(...GROUPS) };
  await engine.up(program);
  const before = structuredClone([...engine.state]);
  const { roles } = tenant.simulator.state();
  tenant.seed({
    groups: GROUPS.map((id) => ({ id })),
    roles,
    behaviour: { cursor_lists: "total", max_page_size: 50 },
  });
  const { errors } = await failed(engine.refresh());
  expect(errors.join("\n")).toContain(GAP);
  expect([...engine.state]).toEqual(before);
});
