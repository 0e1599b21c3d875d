import { type AccessRequest } from "../../../cli/access/ask";
import { csvOf } from "../../../cli/access/csv";
import { readDecisions } from "../../../cli/access/decisions";
import { type Access } from "../../../cli/access/document";
import { formatted } from "../../../cli/access/formats";
import { findingsIn } from "../../../cli/access/roles";
import { type Fault, type SeedInput } from "../../../simulator";
import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { clientsWithout } from "../../../testkit/cli/asked";
import {
  ACME,
  assignment,
  csvRows,
  GLOBEX,
  jsonOf,
  lines,
  rules,
  useAccess,
} from "../../../testkit/cli/access";
import { pageJson } from "../../../testkit/cli/pages";

/* Nobody can tell what is where nobody asked: it is neither clean, nor revoked, nor nobody's. */

const { simulator, ...access } = useAccess();

const THERE = `${ACME}/${AGENT}`;
const NOT_FOUND = { status: 404, body: { statusCode: 404, error: "Not Found", message: "Not found." } };

type Organization = NonNullable<SeedInput["organizations"]>[number];

/** A tenant where nobody has a role outside of acme. */
function seed(roles: Organization["roles"], more: SeedInput = {}): void {
  access.holders(
    {},
    {
      users: [{ user_id: "auth0|one", groups: [ADMINS, BILLING] }],
      organizations: [{ id: ACME, name: "acme", groups: [ADMINS, BILLING], roles: roles ?? [] }],
      ...more,
    },
  );
}

const ask = (request: Partial<AccessRequest> = {}, resources: Record<string, object> = {}) =>
  access.ask(resources, request);

describe("a rule that holds in every organization", () => {
  test.each<[kind: string, text: string, roles: Organization["roles"]]>([
    ["default", "default: closed\n", [{ id: AGENT, groups: [BILLING] }]],
    ["direct", `direct:\n  ${AGENT}: forbid\n`, [{ id: AGENT, members: ["auth0|one"] }]],
  ])("is judged in one that nobody names: %s", async (_kind, text, roles) => {
    seed(roles);
    const answer = await ask({ rules: rules(text) });
    expect(jsonOf(answer)).toMatchObject({
      organizations: [ACME],
      rules: { gaps: [], breaches: [expect.objectContaining({ organization: ACME })] },
    });
    expect(answer.otherOrganizations).toBeUndefined();
    expect(findingsIn(answer)).toContain("rules");
  });

  test.each([
    ["allows any group", `allow:\n  ${AGENT}: "*"\n`],
    ["allows people", `direct:\n  default: allow\n  ${AGENT}: allow\n`],
    ["is about another organization", "organizations:\n  globex:\n    default: closed\n"],
  ])("asks no organization if it %s", async (_why, text) => {
    seed([], {
      organizations: [
        { id: ACME, name: "acme" },
        { id: GLOBEX, name: "globex" },
      ],
    });
    const answer = await ask({ rules: rules(text) });
    expect(answer.rules).toMatchObject({ gaps: [], breaches: [] });
    expect(answer.organizations).not.toContain(ACME);
  });

  test("is a gap if there are more than are asked, or the client can't list them", async () => {
    const closed = rules("default: closed\n");
    const organizations = Array.from({ length: 101 }, (_, index) => ({
      id: `org_more${index}`,
      name: `more-${index}`,
    }));
    seed([], { organizations });
    const many = await ask({ rules: closed });
    expect(many.rules?.gaps).toEqual([expect.stringContaining("--organization all asks them")]);
    expect(formatted(many, "text")).not.toContain("Nothing breaks");
    seed([], { clients: clientsWithout("read:organizations") });
    const unlisted = await ask({ rules: closed });
    expect(unlisted.rules?.gaps).toEqual([expect.stringContaining("needs read:organizations")]);
    expect(findingsIn(unlisted)).toContain("rules");
  });

  test("says how many requests that takes before it sends them", async () => {
    seed([], {
      organizations: Array.from({ length: 11 }, (_, index) => ({
        id: `org_more${index}`,
        name: `more-${index}`,
      })),
    });
    const told: string[] = [];
    const spy = jest.spyOn(process.stderr, "write").mockImplementation((text) => {
      told.push(`${String(text)} after ${simulator.log().length}`);
      return true;
    });
    await ask({ rules: rules("default: closed\n"), direct: false });
    spy.mockRestore();
    expect(told).toEqual([
      "The rules hold in every organization, so 11 more are asked, with at least 33 requests.\n after 3",
    ]);
  });
});

describe("a role whose own list answers 404", () => {
  const denied = (path: string): Fault => ({ path: `/api/v2${path}`, times: 9, action: NOT_FOUND });

  test.each([1, 2])("is not nobody's, where it is one of %i roles", async (number) => {
    const roles = [
      { id: AGENT, name: "agent", groups: [BILLING] },
      { id: VIEWER, name: "viewer" },
    ].slice(0, number);
    seed([], { roles, organizations: [] });
    simulator.fail(denied("/roles/*/groups"));
    const answer = await ask({ rules: rules("default: closed\n") }, { a: assignment(AGENT, [SUPPORT]) });
    const json = jsonOf(answer);
    expect(json).toMatchObject({ complete: false, counts: { drift: 0, grants: 0 } });
    expect(json.incomplete).toContain(
      `GET /roles/${AGENT}/groups can't be read whole: it answered 404, and the tenant lists the role. ` +
        "Check that the credentials are this tenant's, and that the client may read this list. Then run this again.",
    );
    expect(json.roles.map(({ incomplete }) => incomplete)).toEqual(roles.map(() => true));
    const text = formatted(answer, "text");
    expect(text).not.toContain("No group has");
    expect(text).not.toContain("Nothing breaks");
    expect(findingsIn(answer)).toEqual(["unmanaged", "drift", "expired", "rules"]);
  });

  test("--group: no list of its roles isn't an empty one", async () => {
    seed([], { roles: [{ id: AGENT, groups: [BILLING] }], organizations: [] });
    simulator.fail(denied(`/groups/${BILLING}/roles`));
    const answer = await ask({ group: [BILLING] }, { a: assignment(AGENT, [BILLING]) });
    expect(jsonOf(answer)).toMatchObject({ complete: false, counts: { drift: 0 } });
    expect(answer.incomplete).toEqual([
      expect.stringContaining(`GET /groups/${BILLING}/roles can't be read`),
    ]);
  });
});

describe("a row of a sign-off", () => {
  const revoked = (answer: Access) => {
    const rows = csvRows(answer).map((row) => ({
      ...row,
      decision: "revoke",
      reviewer: "reviewer@example.com",
    }));
    const names = Object.keys(rows[0] ?? {});
    const text = csvOf([names, ...rows.map((row) => Object.values(row))]);
    return readDecisions({ file: "access.csv", text });
  };
  const kinds = ({ decisions }: Access) =>
    (decisions?.findings ?? []).map(({ kind, reason }) => `${kind}: ${String(reason)}`);

  test("stays open if its organization isn't asked, and is in the next file", async () => {
    seed([{ id: AGENT, groups: [BILLING], members: ["auth0|one"] }]);
    const decisions = revoked(await ask({ organization: ["all"], people: true }));
    const answer = await ask({ people: true, decisions });
    expect(jsonOf(answer).decisions?.counts).toEqual({ confirmed: 0, revoked: 0, otherTenants: 0 });
    expect(kinds(answer)).toEqual([
      `unread: whether billing-team has support-agent in acme was not read: --organization ${ACME} asks it`,
      `unread: whether auth0|one has support-agent in acme was not read: --organization ${ACME} asks it`,
    ]);
    expect(formatted(answer, "text")).toContain("0 confirmed, 0 revoked; open: 2 not read");
    expect(
      csvRows(answer).map(({ role_id, group_id, people, decision, reviewer }) => [
        role_id,
        group_id || people,
        decision,
        reviewer,
      ]),
    ).toEqual([
      [THERE, BILLING, "revoke", "reviewer@example.com"],
      [THERE, "auth0|one", "revoke", "reviewer@example.com"],
    ]);

    seed([]);
    const gone = await ask({ organization: ["acme"], people: true, decisions });
    expect(gone.decisions).toMatchObject({ counts: { revoked: 2 }, findings: [] });
    expect(csvRows(gone)).toEqual([]);
    seed([], { organizations: [] });
    const without = await ask({ organization: ["all"], people: true, decisions });
    expect(kinds(without)).toHaveLength(2);
  });

  test("stays open if the role's list answers 404, or isn't whole", async () => {
    const tenant = { roles: [{ id: AGENT, name: "agent", groups: [BILLING] }], organizations: [] };
    seed([], tenant);
    const decisions = revoked(await ask({ people: true }));
    simulator.fail({ path: `/api/v2/roles/${AGENT}/groups`, times: 9, action: NOT_FOUND });
    expect(kinds(await ask({ people: true, decisions }))).toEqual([
      "unread: whether billing-team has agent was not read: the tenant doesn't list all of its groups",
    ]);
    seed([], { ...tenant, roles: [{ id: AGENT, name: "agent" }] });
    expect((await ask({ people: true, decisions })).decisions?.counts.revoked).toBe(1);
    seed([], { ...tenant, roles: [] });
    expect((await ask({ people: true, decisions })).decisions?.counts.revoked).toBe(1);
  });

  test("in an organization stays open if the tenant doesn't list all of its roles: they count there, too", async () => {
    const there = [{ id: VIEWER, members: ["auth0|one"] }];
    seed(there);
    const decisions = revoked(await ask({ organization: ["acme"], people: true }));
    seed(there, { behaviour: { max_page_size: 1, max_numbered_entries: 1 } });
    const answer = await ask({ organization: ["acme"], direct: false, decisions });
    expect(answer.decisions?.counts.revoked).toBe(0);
    expect(kinds(answer)).toEqual([
      "unread: whether auth0|one has billing-viewer in acme was not read: the tenant doesn't list all of its roles",
    ]);
  });

  test("about a person stays open beyond the first 1,000, and where people aren't asked for", async () => {
    const people = Array.from({ length: 1_001 }, (_, index) => ({
      user_id: `auth0|${String(index + 1000)}`,
      roles: [AGENT],
    }));
    const last = "auth0|2000";
    const tenant = { organizations: [], roles: [{ id: AGENT, name: "agent" }] };
    seed([], { ...tenant, users: [{ user_id: last, roles: [AGENT] }] });
    const decisions = revoked(await ask({ people: true }));
    seed([], { ...tenant, users: people });
    const answer = await ask({ people: true, decisions });
    expect(kinds(answer)).toContain(
      `unread: whether ${last} has agent was not read: more than 1,000 people have it`,
    );
    expect(answer.decisions?.counts.revoked).toBe(0);
    const without = await ask({ direct: false, decisions });
    expect(kinds(without)).toEqual([
      `unread: whether ${last} has agent was not read: people were not asked for`,
    ]);
    expect(JSON.stringify(pageJson(formatted(without, "html")))).not.toContain(last);
  });

  test("in a file that decides on all that was asked, nothing says that it decides on all of it", async () => {
    seed([], { roles: [{ id: AGENT, name: "agent", groups: [BILLING] }] });
    const decisions = revoked(await ask({ people: true }));
    seed([], { roles: [{ id: AGENT, name: "agent" }] });
    expect(formatted(await ask({ people: true, decisions }), "text")).toContain(
      "1 revoked; nothing is open in what was read",
    );
  });
});

test("--fail-on unmanaged can't tell of organizations that were not asked; drift and ends are only in others", async () => {
  seed([{ id: AGENT, groups: [BILLING] }]);
  expect(findingsIn(await ask())).toEqual(["unmanaged"]);
  const all = await ask({ organization: ["all"] });
  expect(lines(jsonOf(all))).toEqual(["support-agent in acme: billing-team unmanaged"]);
  seed([]);
  expect(findingsIn(await ask({ organization: ["all"] }))).toEqual([]);
  seed([], { clients: clientsWithout("read:organizations") });
  expect(findingsIn(await ask())).toEqual(["unmanaged"]);
});
