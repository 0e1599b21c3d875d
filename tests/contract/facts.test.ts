import { readPreview } from "../../cli/review/input/preview";
import { reviewOf } from "../../cli/review/review";
import { type Fact, factIn } from "../../provider/review/facts";
import { ADMINS, BILLING, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { exactly, groupsUrl, viewers } from "../../testkit/assignments";
import { assignment, type Engine, profile, type Program } from "../../testkit/engine";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";
import { ways, type WayName } from "../../testkit/ways";

/*
 * What a preview knows and Pulumi's JSON lacks, from the handler that prints it to the review that reads it
 * without asking a tenant. The other tables of this folder have the words of lines alone.
 */

const tenant = useTenant();
catchLines();

const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const theirs = { id: ID, name: "theirs", organization: { show_as_button: "none" } } as const;
const KEPT = "less than a minute ago, so state keeps it. Refresh again in a minute.";
const OTHERS = `which other groups lose ${VIEWER}, since it is exclusive:`;

interface Row {
  given?: (scene: Engine) => unknown;
  program: Program;
  facts: (way: WayName) => unknown[];
  /** What the review doesn't know. */
  unknown?: string[];
  /** Who loses the role, and unless what. */
  loses?: (way: WayName) => [group: string, unless: string | undefined][];
}

const seedWith = (groups: string[]) => () =>
  tenant.seed({ groups: [ADMINS, ...groups].map((id) => ({ id })), roles: [{ id: VIEWER, groups }] });
const upped = (program: Program) => (engine: Engine) => engine.up(program);
const failing = (path: string) => () =>
  tenant.fail({ method: "GET", path, times: 9, action: { status: 403 } });

const ROWS: Record<string, Row> = {
  "whom an exclusive assignment takes the role from": {
    given: seedWith([BILLING, SUPPORT]),
    program: { a: exactly(ADMINS) },
    facts: () => [{ exclusive: VIEWER, takes: [BILLING, SUPPORT] }],
    loses: () => [
      [SUPPORT, undefined],
      [BILLING, undefined],
    ],
  },
  "… nobody": {
    program: { a: exactly(ADMINS) },
    facts: () => [{ exclusive: VIEWER, takes: [] }],
  },
  "why it couldn't be asked": {
    given: failing(`*${groupsUrl(VIEWER)}*`),
    program: { a: exactly(ADMINS) },
    facts: () => [{ notAsked: VIEWER, why: "403" }],
    unknown: [`${OTHERS} the tenant could not be asked (403)`],
  },
  "what an adoption changes": {
    given: () => tenant.seed({ connection_profiles: [theirs] }),
    program: { p: profile({ name: "ours", adopt: ID, organization: {}, enabledFeatures: ["scim"] }) },
    facts: () => [
      {
        adopts: ID,
        name: "theirs",
        changes: {
          name: ["theirs", "ours"],
          organization: [{ showAsButton: "none" }, {}],
          enabledFeatures: [null, ["scim"]],
        },
        removes: ["organization.showAsButton"],
      },
    ],
  },
  "… nothing": {
    given: () => tenant.seed({ connection_profiles: [theirs] }),
    program: { p: profile({ name: "theirs", adopt: ID }) },
    facts: () => [{ adopts: ID, name: "theirs", changes: {} }],
  },
  "why that couldn't be read": {
    given: () => {
      tenant.seed({ connection_profiles: [theirs] });
      failing("*/connection-profiles*")();
    },
    program: { p: profile({ name: "ours", adopt: ID }) },
    facts: () => [{ notAsked: ID, why: "403" }],
    unknown: [`what changes on ${ID}: the tenant could not be asked (403)`],
  },
  "groups that leave an assignment": {
    given: upped({ a: viewers(ADMINS, BILLING) }),
    program: { a: viewers(ADMINS) },
    facts: (way) => (way === "YAML" ? [{ leaving: VIEWER, groups: { [BILLING]: "may revoke" } }] : []),
    loses: () => [[BILLING, undefined]],
  },
  "… for one that comes later": {
    given: upped({ a: viewers(ADMINS, BILLING) }),
    program: { a: viewers(ADMINS), b: viewers(BILLING) },
    facts: (way) => [
      way === "YAML"
        ? { leaving: VIEWER, groups: { [BILLING]: "may revoke" } }
        : { leaving: VIEWER, groups: { [BILLING]: "hands over" } },
    ],
  },
  "… for one that came before": {
    given: upped({ a: viewers(ADMINS, BILLING) }),
    program: { b: viewers(BILLING), a: viewers(ADMINS) },
    facts: (way) => [
      way === "YAML"
        ? { leaving: VIEWER, groups: { [BILLING]: "may hand over" } }
        : { leaving: VIEWER, groups: { [BILLING]: "hands over" } },
    ],
  },
  "grants alone": { program: { a: viewers(ADMINS, BILLING) }, facts: () => [] },
};

const told = (messages: readonly string[]): Fact[] => messages.flatMap((line) => factIn(line) ?? []);

describe.each(ways(tenant))("through %s", (way, start) => {
  test.each(Object.entries(ROWS))("%s", async (_title, row) => {
    const engine = start();
    await row.given?.(engine);
    expect(told((await engine.preview(row.program)).messages)).toEqual(row.facts(way));

    const review = reviewOf(readPreview(await engine.previewJson(row.program)), false);
    expect(review.unknown.map(({ reason }) => reason.toString())).toEqual(row.unknown ?? []);
    const losses = review.access.filter(({ effect }) => effect === "loses");
    expect(losses.map(({ holder, unless }) => [holder, unless?.toString()])).toEqual(
      (row.loses?.(way) ?? []).map(([group, unless]) => [{ group }, unless]),
    );
  });

  test("an adoption is reviewed with the values of both", async () => {
    tenant.seed({ connection_profiles: [theirs] });
    const program = {
      p: profile({ name: "ours", adopt: ID, organization: {}, enabledFeatures: ["scim"] }),
    };
    const { profiles } = reviewOf(readPreview(await start().previewJson(program)), false);
    expect(profiles).toMatchObject([
      {
        op: "adopt",
        id: ID,
        changes: [
          { path: "name", before: "theirs", after: "ours" },
          { path: "organization.showAsButton", before: "none", after: undefined },
          { path: "enabledFeatures", before: undefined, after: ["scim"] },
        ],
        had: { name: "theirs", organization: { showAsButton: "none" } },
      },
    ]);
    expect(profiles[0]?.had?.["enabledFeatures"]).toBeUndefined();
  });

  test("a group that moves to an assignment of which the preview has no step, since it is wrong", async () => {
    const engine = start();
    await engine.up({ a: viewers(ADMINS, BILLING) });
    const wrong = assignment({ roleId: VIEWER, groupIds: [BILLING], deleteOnDestroy: 7 });
    const json = await engine.previewJson({ a: viewers(ADMINS), b: wrong });
    const { access } = reviewOf(readPreview(json), false);
    expect(access.map(({ effect, unless }) => [effect, unless?.toString()])).toEqual([
      ["loses", way === "YAML" ? undefined : "an assignment outside of this preview lists it"],
    ]);
  });

  test("what a refresh keeps", async () => {
    tenant.behave({ read_lag: 100 });
    const engine = start({ isNextAtOnce: true });
    await engine.up({ p: profile({ name: "a" }), a: viewers(ADMINS) });
    const { id } = engine.resource("p");

    const { messages } = await engine.refresh();

    expect(told([...messages].sort())).toEqual([
      { kept: `ConnectionProfile ${id}`, on: tenant.host },
      { kept: `role ${VIEWER}`, groups: ADMINS },
    ]);
    const diagnostics = messages.sort().map((message) => ({ message, severity: "info" }));
    const { unknown } = reviewOf(readPreview(JSON.stringify({ steps: [], diagnostics })), true);
    expect(unknown.map(({ reason }) => reason.toString())).toEqual([
      `ConnectionProfile ${id}: ${tenant.host} doesn't show it, but this stack wrote it ${KEPT}`,
      `role ${VIEWER}: the tenant doesn't list ${ADMINS}, but this stack wrote the assignment ${KEPT}`,
    ]);
  });
});
