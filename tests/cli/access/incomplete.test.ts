import { findingsIn } from "../../../cli/access/roles";
import { formatted } from "../../../cli/access/formats";
import { type BehaviourInput } from "../../../simulator";
import { USER_ID } from "../../../simulator/default-seed";
import { ACME, asked, assignment, inOrganization, jsonOf, state } from "../../../testkit/cli/access";
import { useSimulator } from "../../../testkit/simulator";

/*
 * Lists that the tenant returns only in part: the answer has the known entries, and says that there are more.
 */

const simulator = useSimulator();

const numbered = (prefix: string, index: number) => `${prefix}${String(index + 1111).replaceAll("0", "z")}`;
const GROUPS = Array.from({ length: 60 }, (_, index) => numbered("grp_AAAAAAAAAAAA", index));
const ROLES = Array.from({ length: 120 }, (_, index) => numbered("rol_", index));
const [ROLE = "", OTHER = ""] = ROLES;
const LAST = ROLES.at(-1)!;
const [GROUP = ""] = GROUPS;
const LAST_GROUP = GROUPS.at(-1)!;

function behave(behaviour: BehaviourInput): void {
  simulator.seed({
    behaviour,
    groups: GROUPS.map((id) => ({ id })),
    organizations: [{ id: ACME, name: "acme", groups: [GROUP] }],
    roles: ROLES.map((id) => ({ id, name: `role ${id}`, groups: id === ROLE ? GROUPS : [GROUP] })),
    users: [
      {
        user_id: USER_ID,
        permissions: GROUPS.map((permission_name) => ({
          resource_server_identifier: "https://api.example.com",
          permission_name,
          sources: [{ source_id: "", source_name: "", source_type: "DIRECT" }],
        })),
      },
    ],
  });
  simulator.reset();
}

const exported = (resources: Record<string, object>) => [
  state(new URL(simulator.url).host, "access/prod", resources),
];

describe("a part of the roles", () => {
  const GAP =
    "GET /roles can't be read whole: after 100 of 120 entries it answered 400: You can only page through the first 100 " +
    "records. Running this again won't help: ask the service's support.";
  beforeEach(() => behave({ max_numbered_entries: 100 }));

  test("is shown, and each format or the exit code says that it is one", async () => {
    const answer = await asked(simulator, { exports: exported({}) });
    expect(jsonOf(answer)).toMatchObject({ complete: false, incomplete: [GAP], counts: { roles: 100 } });
    expect(formatted(answer, "text")).toContain(`Not complete: ${GAP}`);
    expect(formatted(answer, "markdown")).toContain("- Not complete: ");
    // Any of them may be among the missing entries.
    expect(findingsIn(answer)).toEqual(["unmanaged", "drift", "expired"]);
  });

  test("says of no role that it is not there: those that states know, or that are named, are read", async () => {
    const exports = exported({ a: assignment(LAST, [GROUP]), b: assignment("rol_gone", [GROUP]) });
    const { roles } = jsonOf(await asked(simulator, { exports }));
    expect(roles).toHaveLength(102);
    expect(roles.find(({ id }) => id === LAST)).toMatchObject({
      exists: true,
      groups: [{ status: "managed" }],
    });
    expect(roles.find(({ id }) => id === "rol_gone")).toMatchObject({ exists: false });
    const [named] = jsonOf(await asked(simulator, { exports, role: [ROLES[110]!] })).roles;
    expect(named).toMatchObject({ exists: true, groups: [{ id: GROUP, status: "unmanaged" }] });
    const ofGroup = jsonOf(await asked(simulator, { exports, group: [GROUP] }));
    expect(ofGroup.roles.find(({ id }) => id === LAST)).toMatchObject({ exists: true });
    await expect(asked(simulator, { exports: exported({}), role: ["rol_never"] })).rejects.toThrow(
      "The role rol_never is not on the tenant",
    );
  });
});

test("a part of the roles: one of the others is there if its own list answers 404", async () => {
  behave({ max_numbered_entries: 100 });
  const exports = exported({ a: assignment(LAST, [GROUP]), b: inOrganization(ACME, LAST, [GROUP]) });
  const notFound = { status: 404, body: { statusCode: 404, error: "Not Found", message: "Not found." } };
  const lists = [`/api/v2/roles/${LAST}/groups`, `/api/v2/organizations/*/roles/${LAST}/groups`];
  simulator.fail(...lists.map((path) => ({ path, times: 9, action: notFound })));
  const { roles } = jsonOf(await asked(simulator, { exports }));
  const of = (key: string) => roles.find(({ id }) => id === key);
  expect([of(LAST), of(`${ACME}/${LAST}`)]).toMatchObject([
    { exists: true, groups: [] },
    { exists: true, groups: [] },
  ]);
  expect(simulator.requests().filter(({ path }) => path === `/api/v2/roles/${LAST}`)).toHaveLength(1);
});

test("a part of the groups of a role: those that it leaves out are no drift", async () => {
  behave({ cursor_lists: "total", max_page_size: 50 });
  const exports = exported({ a: assignment(ROLE, [GROUP, LAST_GROUP]), b: assignment(OTHER, [LAST_GROUP]) });
  const answer = jsonOf(await asked(simulator, { exports, role: [ROLE, OTHER] }));
  expect(answer.incomplete).toEqual([
    `GET /roles/${ROLE}/groups can't be read whole: it counts 60 entries, and answers 50. Run this again; if it stays so, ask the service's support.`,
  ]);
  expect(answer.counts).toMatchObject({ managed: 1, unmanaged: 50, drift: 1 });
  const ofGroup = jsonOf(
    await asked(simulator, { exports: exported({ a: assignment("rol_x", [GROUP]) }), group: [GROUP] }),
  );
  expect(ofGroup).toMatchObject({ complete: false, counts: { grants: 50, drift: 0 } });
});

test("a part of a user's permissions", async () => {
  behave({ max_numbered_entries: 50, max_page_size: 50 });
  const answer = await asked(simulator, { exports: exported({}), user: USER_ID });
  expect(answer.user?.permissions).toHaveLength(50);
  expect(jsonOf(answer)).toMatchObject({
    complete: false,
    incomplete: [expect.stringContaining("/permissions")],
  });
  expect(formatted(answer, "text")).toContain("Not complete: GET /users/");
});
