import { UNKNOWN_VALUE } from "../../../provider/seen";
import { findingsOf } from "../../../cli/review/output/findings";
import { documentOf } from "../../../cli/review/output/document";
import { toJson } from "../../../cli/review/output/json";
import { reviewMarkdown } from "../../../cli/review/output/markdown";
import { type Workplace } from "../../../cli/places";
import { type Place } from "../../../provider/sentence";
import { type Review } from "../../../cli/review/review";
import { ADMINS, AGENT, BILLING, DEFAULT_SEED, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { ACME, GLOBEX } from "../../../testkit/cli/access";
import {
  adds,
  appearanceOf,
  AskedTenant,
  assignment,
  clientsWithout,
  MAKING,
} from "../../../testkit/cli/asked";
import { made, step } from "../../../testkit/cli/previews";

/* Roles in organizations: rows, names, people and rules, next to those of the tenant. */

const tenant = AskedTenant.forTests();

const MANAGER = "rol_2kCvRw7ZtMh9sPxE";
const ONE = "auth0|one";
const ALL = [ADMINS, BILLING, SUPPORT];

beforeEach(() => seed());
const seed = (roles: object[] = [], more: object = {}) =>
  tenant.seed({
    users: [{ user_id: ONE, groups: [ADMINS, BILLING] }],
    roles: [
      ...(DEFAULT_SEED.roles ?? []),
      { id: MANAGER, name: "order-manager", type: "organization", owner_id: ACME },
    ],
    organizations: [
      { id: ACME, name: "acme", groups: ALL, roles: roles as { id: string }[] },
      { id: GLOBEX, name: "globex", groups: ALL },
    ],
    ...more,
  });

const inputs = (role: string, groups: unknown, organization: unknown = ACME, more = {}) => ({
  ...assignment(role, groups, more),
  organizationId: organization,
});
const KIND = "OrganizationRoleGroupAssignment";
const gives = (name: string, role: string, groups: unknown, organization: unknown = ACME, more = {}) =>
  step({ kind: KIND, name, after: inputs(role, groups, organization, more) });
const ends = (name: string, role: string, groups: string[], organization = ACME) =>
  step({ kind: KIND, name, id: `${organization}/${role}`, before: inputs(role, groups, organization) });

const rows = ({ access }: Review) =>
  access.map(
    ({ effect, organization = "-", role, holder }) =>
      `${effect} ${organization} ${role} ${"group" in holder ? holder.group : holder.user}`,
  );
const reviewed = (...given: Parameters<AskedTenant["reviewedAlone"]>) => tenant.reviewedAlone(...given);

const markdown = (review: Review) => reviewMarkdown([documentOf(review, [])], "", appearanceOf(review));

test("a role in an organization is another one than in the tenant, or in another organization", () => {
  const review = made([
    ends("a", AGENT, [ADMINS]),
    gives("b", AGENT, [ADMINS], GLOBEX),
    adds("c", AGENT, [ADMINS]),
  ]);
  expect(rows(review).sort()).toEqual(
    [
      `loses ${ACME} ${AGENT} ${ADMINS}`,
      `gains ${GLOBEX} ${AGENT} ${ADMINS}`,
      `gains - ${AGENT} ${ADMINS}`,
    ].sort(),
  );
});

test("the table goes by the organization, then by the role", () => {
  const review = made([
    gives("a", VIEWER, [ADMINS]),
    gives("b", AGENT, [ADMINS], GLOBEX),
    adds("c", VIEWER, [ADMINS]),
  ]);
  const table = markdown(review).match(/^\|.*gains.*$/gm) ?? [];
  expect(table.map((row) => /rol_\w+` in `\w+|rol_\w+/.exec(row)?.[0])).toEqual([
    VIEWER,
    `${VIEWER}\` in \`${ACME}`,
    `${AGENT}\` in \`${GLOBEX}`,
  ]);
});

test("rows, Markdown, JSON and findings name the organization, by the name that the tenant tells", async () => {
  seed([
    { id: MANAGER, groups: [SUPPORT] },
    { id: AGENT, groups: [BILLING] },
  ]);
  const review = await reviewed([gives("a", MANAGER, [ADMINS]), ends("b", AGENT, [BILLING])]);
  expect(review.names).toMatchObject({
    [ACME]: "acme",
    [MANAGER]: "order-manager (organization)",
    [ADMINS]: "directory-admins",
  });
  expect(markdown(review)).toMatch(/order-manager[^|]* in [^|]*acme[^|]*\|[^|]*gains/);
  const json = toJson(review, MAKING);
  expect(json.access).toContainEqual(
    expect.objectContaining({ organization: ACME, role: MANAGER, group: ADMINS, effect: "gains" }),
  );
  expect(json.after).toContainEqual(
    expect.objectContaining({ organization: ACME, role: MANAGER, groups: [{ id: ADMINS }] }),
  );
  const findings = findingsOf([review], review.names, {
    projectFile: "Pulumi.yaml",
    inRepository: (place: Place) => place,
  } as unknown as Workplace);
  expect(findings.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/loses support-agent rol_\w+ in acme/),
  );
});

test("who has the role there today, and who has it there directly, is asked of the organization", async () => {
  seed([{ id: AGENT, groups: [BILLING], members: [ONE] }]);
  const review = await reviewed([gives("a", AGENT, [ADMINS, BILLING])]);
  expect(rows(review)).toEqual([`keeps ${ACME} ${AGENT} ${BILLING}`, `gains ${ACME} ${AGENT} ${ADMINS}`]);
  const [, people] = [...review.people][0] ?? [];
  expect(people).toMatchObject({
    people: [ONE],
    same: { count: 1, through: [BILLING] },
    direct: { count: 1 },
  });
  const asked = tenant.simulator.log().filter((line) => line.includes("/roles/"));
  expect(asked.filter((line) => line.includes(`/api/v2/roles/${AGENT}/groups`))).toEqual([]);
  expect(asked).toContain(`GET /api/v2/organizations/${ACME}/roles/${AGENT}/groups?take=100 200`);
});

test("an answer that is refused, or an organization that isn't known, is a doubt", async () => {
  seed([], { clients: clientsWithout("read:organization_group_roles") });
  const refused = await reviewed([gives("a", AGENT, [ADMINS])]);
  expect(refused.unknown.map(({ reason }) => String(reason))).toEqual([
    expect.stringMatching(
      new RegExp(`^who has ${AGENT} in ${ACME} today could not be read \\(.*read:organization_group_roles`),
    ),
  ]);
  expect(
    made([gives("a", AGENT, [ADMINS], UNKNOWN_VALUE)]).unknown.map(({ reason }) => String(reason)),
  ).toEqual([`its role or its organization is known only when the change is made; it goes to ${ADMINS}`]);
});

describe("rules", () => {
  const broken = ({ rules }: Review) =>
    (rules?.breaches ?? []).map(({ isNew, reason }) => `${isNew ? "" : "old: "}${String(reason)}`);
  const judged = (rules: string, ...steps: object[]) => reviewed(steps, { rules });
  const APART = `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`;

  test("hold in each organization: who may have a role", async () => {
    const review = await judged("allow:\n  support-agent: [support-desk]\n", gives("a", AGENT, [ADMINS]));
    expect(broken(review)).toContain(`${ADMINS} has ${AGENT} in ${ACME}, which rules.yaml:2 doesn't allow`);
    const [breach] = toJson(review, MAKING).rules?.breaches ?? [];
    expect(breach).toMatchObject({ organization: ACME });
    expect(review.categories).toContain("rules");
  });

  describe("across organizations", () => {
    const ACROSS = `conflicts:\n  - roles: [${AGENT}, ${VIEWER}]\n    anyContext: true\n`;
    const doubts = ({ unknown }: Review) =>
      unknown.filter(({ categories }) => categories.includes("rules")).map(({ reason }) => String(reason));

    test("only with anyContext, what groups and people have elsewhere counts", async () => {
      const change = [gives("a", AGENT, [ADMINS]), gives("b", VIEWER, [ADMINS], GLOBEX)];
      const review = await judged(ACROSS, ...change);
      expect(broken(review)).toEqual([
        `${ADMINS} has ${AGENT} in ${ACME} and ${VIEWER} in ${GLOBEX}, which rules.yaml:2 keeps apart`,
      ]);
      expect(toJson(review, MAKING).rules?.breaches).toMatchObject([{ contexts: [ACME, GLOBEX] }]);
      expect(review.names).toMatchObject({ [ACME]: "acme", [GLOBEX]: "globex" });
      expect(doubts(review)).toEqual([]);
    });

    test("by hand, in the tenant or in an organization that no stack names", async () => {
      const inTenant = {
        roles: [
          { id: AGENT, name: "support-agent" },
          { id: VIEWER, groups: [BILLING] },
        ],
      };
      seed([], inTenant);
      expect(broken(await judged(ACROSS, gives("a", AGENT, [ADMINS])))).toEqual([
        `1 person has ${AGENT} in ${ACME} through ${ADMINS} and ${VIEWER} in the tenant through ${BILLING}, which rules.yaml:2 keeps apart`,
      ]);
      expect(broken(await judged(APART, gives("a", AGENT, [ADMINS])))).toEqual([]);
      const elsewhere = [{ id: GLOBEX, name: "globex", roles: [{ id: VIEWER, members: [ONE] }] }];
      seed([], {
        organizations: [{ id: ACME, name: "acme", groups: ALL }, ...elsewhere],
      });
      const review = await judged(ACROSS, gives("a", AGENT, [ADMINS]));
      expect(broken(review)).toEqual([
        `1 person has ${AGENT} in ${ACME} through ${ADMINS} and ${VIEWER} in ${GLOBEX} directly, which rules.yaml:2 keeps apart`,
      ]);
      expect(doubts(review)).toEqual([]);
    });

    test("what can't be asked there is a doubt", async () => {
      seed([], { clients: clientsWithout("read:organizations") });
      expect(doubts(await judged(ACROSS, gives("a", AGENT, [ADMINS])))).toEqual([
        expect.stringMatching(
          /^who has roles in other organizations was not read, so not all conflicts of rules.yaml were judged \(.*read:organizations/,
        ),
      ]);
      const many = Array.from({ length: 101 }, (_, index) => ({
        id: `org_more${index}`,
        name: `more-${index}`,
      }));
      seed([], { organizations: [{ id: ACME, name: "acme", groups: ALL }, ...many] });
      expect(doubts(await judged(ACROSS, gives("a", AGENT, [ADMINS])))).toEqual([
        expect.stringContaining("(more than 100 organizations)"),
      ]);
      seed([], { clients: clientsWithout("read:organization_member_roles") });
      expect(doubts(await judged(ACROSS, gives("a", AGENT, [ADMINS]))).join("\n")).toContain(
        `${VIEWER} in ${GLOBEX} directly was not read`,
      );
      const unasked = await reviewed([gives("a", AGENT, [ADMINS])], {
        rules: ACROSS,
        asks: false,
      });
      expect(doubts(unasked).join("\n")).toContain("who has roles in other organizations was not read");
    });

    test("a rule that names one asks no other", async () => {
      const rules = `conflicts:\n  - roles: [${AGENT}, { role: ${VIEWER}, organization: globex }]\n    anyContext: true\n`;
      seed([], {
        organizations: [
          { id: ACME, name: "acme", groups: ALL },
          { id: GLOBEX, name: "globex", groups: ALL, roles: [{ id: VIEWER, groups: [BILLING] }] },
        ],
      });
      expect(broken(await judged(rules, adds("a", AGENT, [ADMINS])))).toEqual([
        `1 person has ${AGENT} in the tenant through ${ADMINS} and ${VIEWER} in ${GLOBEX} through ${BILLING}, which rules.yaml:2 keeps apart`,
      ]);
      expect(tenant.simulator.log().filter((line) => line.includes(`/organizations/${ACME}/`))).toEqual([]);
    });
  });

  test.each([
    [
      "read:organization_group_roles",
      `who has ${AGENT} in ${ACME} and ${VIEWER} in ${ACME} today was not read`,
    ],
    [
      "read:organization_member_roles",
      `who has ${AGENT} in ${ACME} and ${VIEWER} in ${ACME} directly was not read`,
    ],
  ])("without %s, a conflict there is a doubt", async (scope, doubt) => {
    seed([], { clients: clientsWithout(scope) });
    const review = await judged(APART, gives("a", AGENT, [ADMINS]));
    const doubts = review.unknown.filter(({ categories }) => categories.includes("rules"));
    expect(doubts.map(({ reason }) => String(reason)).join("\n")).toContain(doubt);
  });
});
