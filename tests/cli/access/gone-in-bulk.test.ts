import { ADMINS, AGENT, BILLING, VIEWER } from "../../../simulator/default-seed";
import { adopted } from "../../../testkit/cli/adopt";
import { asked, assignment, jsonOf, state } from "../../../testkit/cli/access";
import { useSimulator } from "../../../testkit/simulator";

/* With another tenant's credentials, or without a scope, the service answers 404 for everything. */

const simulator = useSimulator();
const ROLES = ["rol_1", "rol_2", "rol_3"];

function seed(roles: readonly string[]): void {
  simulator.seed({
    groups: [{ id: ADMINS }],
    roles: roles.map((id) => ({ id, groups: [ADMINS] })),
  });
}

const exported = (...roles: string[]) => [
  state(
    new URL(simulator.url).host,
    "access/prod",
    Object.fromEntries(roles.map((role) => [role, assignment(role, [BILLING])])),
  ),
];

test("where nothing of three roles is there, the answer is not complete, and says what to check", async () => {
  seed([]);
  const answer = jsonOf(await asked(simulator, { exports: exported(...ROLES) }));
  expect(answer).toMatchObject({ complete: false, counts: { drift: 3 } });
  expect(answer.incomplete).toEqual([
    `Nothing in the states is on ${new URL(simulator.url).host}. Check that the credentials are this tenant's, and that the client may read role groups.`,
  ]);
});

test("two, one of three that is there, or a role that was asked for, can be gone", async () => {
  seed([]);
  const two = jsonOf(await asked(simulator, { exports: exported(AGENT, VIEWER) }));
  expect(two).toMatchObject({ complete: true, counts: { drift: 2 } });
  const one = jsonOf(await asked(simulator, { exports: exported(...ROLES), role: [ROLES[0]!] }));
  expect(one).toMatchObject({ complete: true, counts: { drift: 1 } });
  simulator.seed({ groups: [{ id: BILLING }], roles: [{ id: "rol_3", groups: [BILLING] }] });
  const some = jsonOf(await asked(simulator, { exports: exported(...ROLES) }));
  expect(some).toMatchObject({ complete: true, counts: { drift: 2, managed: 1 } });
});

test("roles that are listed, and whose groups all answer 404, are no roles without groups", async () => {
  const unread = () =>
    simulator.fail({
      path: "/api/v2/roles/*/groups",
      times: 3,
      action: { status: 404, body: { statusCode: 404, error: "Not Found", message: "Not found." } },
    });
  seed(ROLES);
  const why = /lists 3 roles, and answers 404 for the groups of each of them\. Check that the credentials/;
  unread();
  await expect(asked(simulator, { exports: exported() })).rejects.toThrow(why);
  unread();
  await expect(adopted(simulator, { allRoles: true })).rejects.toThrow(why);
});
