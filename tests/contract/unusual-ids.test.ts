import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inMarkdown } from "../../cli/escape";
import { readPreview } from "../../cli/review/input/preview";
import { documentOf } from "../../cli/review/output/document";
import { reviewMarkdown } from "../../cli/review/output/markdown";
import { toJson } from "../../cli/review/output/json";
import { reviewOf } from "../../cli/review/review";
import { manyGroups } from "../../testkit/assignments";
import {
  assignment,
  organizationAssignment,
  profile,
  type Program,
  removal,
  type Resource,
} from "../../testkit/engine";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";
import { UNUSUAL_IDS } from "../../testkit/unusual-ids";
import { ways } from "../../testkit/ways";

/*
 * Ids that the document allows and no recorded tenant has, from the program to the reports: the preview, its
 * review, the run that is held to it, state, imports, and who has which role.
 */

const tenant = useTenant();
catchLines();
const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-ids-"));
afterAll(() => rmSync(folder, { recursive: true }));

const ACME = "org_5vJmTq8XbRz3kWcY";

beforeEach(() => {
  tenant.seed({
    groups: GROUPS.map((id) => ({ id })),
    roles: UNUSUAL_IDS.map((id, n) => ({ id, name: `role ${id}`, groups: [otherOf(n)] })),
    organizations: [{ id: ACME, name: "acme", groups: GROUPS }],
    connection_profiles: UNUSUAL_IDS.map((id, n) => ({ id, name: `old ${n}` })),
    device_credentials: UNUSUAL_IDS.map((id) => ({ id, user_id: "auth0|1", type: "refresh_token" })),
  });
});

/** A group has at most ten roles. */
const GROUPS = manyGroups(UNUSUAL_IDS.length);
const groupOf = (n: number) => GROUPS[n] ?? "";
/** Has the role before, and loses it: the review knows that only from a line. */
const otherOf = (n: number) => GROUPS[(n + 1) % GROUPS.length] ?? "";
const each = <Of>(of: (id: string, index: number) => Of) => UNUSUAL_IDS.map(of);
const programOf = (of: (id: string, index: number) => [name: string, resource: Resource][]): Program =>
  Object.fromEntries(UNUSUAL_IDS.flatMap(of));

const program = programOf((id, n) => [
  [`here${n}`, assignment({ roleId: id, groupIds: [groupOf(n)], exclusive: true })],
  [`there${n}`, organizationAssignment({ organizationId: ACME, roleId: id, groupIds: [groupOf(n)] })],
  [`profile${n}`, profile({ name: `new ${n}`, adopt: id })],
  [`lost${n}`, removal(id)],
]);

// Ids pass through the classes of /plugin as through YAML.
describe.each(ways(tenant).filter(([way]) => way !== "the classes of /plugin"))(
  "ids without prefixes, through %s",
  (way, start) => {
    test("the review says what the run does, and the run does what the review says", async () => {
      const engine = start();
      const unheld = engine.config;
      const review = reviewOf(readPreview(await engine.previewJson(program)), false);

      const { access, removals, profiles, unknown } = review;
      expect(unknown).toEqual([]);
      expect(
        access.map(({ effect, organization, role, holder }) => [effect, organization, role, holder]),
      ).toEqual(
        expect.arrayContaining(
          each((id, n) => [
            ["gains", undefined, id, { group: groupOf(n) }],
            ["loses", undefined, id, { group: otherOf(n) }],
            ["gains", ACME, id, { group: groupOf(n) }],
          ]).flat(),
        ),
      );
      expect(access).toHaveLength(3 * UNUSUAL_IDS.length);
      expect(removals.map(({ id }) => id).sort()).toEqual([...UNUSUAL_IDS].sort());
      expect(profiles.map(({ op, id, had }) => [op, id, had?.["name"]])).toEqual(
        expect.arrayContaining(each((id, n) => ["adopt", id, `old ${n}`])),
      );
      const markdown = reviewMarkdown([documentOf(review, [], true)], "", {
        names: {},
        source: undefined,
        commit: undefined,
        fingerprint: review.fingerprint,
        maxLength: 1_000_000,
      });
      for (const id of UNUSUAL_IDS) expect(markdown).toContain(inMarkdown(id).replaceAll("|", "\\u007c"));

      const file = join(folder, "review.json");
      const made = { made: new Date(), unknownAccepted: false, environmentTenant: undefined };
      writeFileSync(file, JSON.stringify(toJson(review, made)));
      engine.config = { ...unheld, "identity:reviewFile": file };
      await engine.up(program);

      expect(each((id) => tenant.groupsOf(id))).toEqual(GROUPS.map((group) => [group]));
      expect(each((id) => tenant.profile(id)?.["name"])).toEqual(each((_id, n) => `new ${n}`));
      expect(tenant.credentials()).toEqual([]);
      const roles = tenant.simulator.state().organizations.flatMap((organization) => organization.roles);
      expect(roles.map(({ id, groups }) => [id, groups])).toEqual(
        expect.arrayContaining(each((id, n) => [id, [groupOf(n)]])),
      );
      expect([...engine.state.values()].map(({ id }) => id)).toEqual(
        expect.arrayContaining(each((id) => [id, `${ACME}/${id}`]).flat()),
      );
      const again = await engine.preview(program);
      expect(again.steps).toEqual([]);

      engine.config = unheld;
      await engine.destroy({});
      expect(each((id) => tenant.groupsOf(id)).flat()).toEqual([]);
    });

    test("get reads each by its id", async () => {
      await start().up(program);
      const read = start();
      await read.up(
        programOf((id, n) => [
          [`here${n}`, { ...assignment({}), inputs: {}, get: id }],
          [`there${n}`, { ...organizationAssignment({}), inputs: {}, get: `${ACME}/${id}` }],
        ]),
      );
      const roles = each((id, n) => ["here", "there"].map((name) => [`${name}${n}`, id])).flat();
      expect(roles.map(([name = ""]) => [name, read.resource(name).outputs["roleId"]])).toEqual(roles);
    });

    if (way !== "the classes")
      test("import takes each over by its id", async () => {
        const roles = UNUSUAL_IDS.map((id, n) => ({ id, groups: [groupOf(n)] }));
        tenant.reseed({ roles, organizations: [{ id: ACME, name: "acme", groups: GROUPS, roles }] });
        const engine = start();
        const imported = programOf((id, n) =>
          Object.entries(program)
            .filter(([name]) => [`here${n}`, `there${n}`].includes(name))
            .map(([name, { inputs, ...resource }]) => [
              name,
              {
                ...resource,
                inputs: { ...inputs, exclusive: false },
                import: name.startsWith("here") ? id : `${ACME}/${id}`,
              },
            ]),
        );
        await engine.up(imported);
        expect([...engine.state.values()].map(({ id }) => id).sort()).toEqual(
          each((id) => [id, `${ACME}/${id}`])
            .flat()
            .sort(),
        );
        const again = await engine.preview(imported);
        expect(again.steps).toEqual([]);
      });
  },
);
