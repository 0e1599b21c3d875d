import { QUALIFIED_NAME } from "../../../provider/pulumi/hidden-inputs";
import { ADMINS, BILLING, CONTRACTORS, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { assigned, exactly, listed, manyGroups, unassigned, viewers } from "../../../testkit/assignments";
import { assignment } from "../../../testkit/engine";
import { type Row } from "../table";
import {
  AFTER,
  answered,
  DAY,
  ENDED,
  grants,
  inPart,
  line,
  LONG_BEFORE,
  takes,
  unlisted,
  until,
  URL_OF_GROUPS as path,
} from "../words";

/* `create`: what was asked for in one call, and what is recorded where the service did a part of it. */

const a = viewers(ADMINS);
const three = viewers(SUPPORT, BILLING, ADMINS);
const SIXTY = manyGroups(60);
const FIFTY = SIXTY.slice(0, 50);
const [FULL = "", , THIRD = ""] = FIFTY;
const GONE = [SIXTY[3] ?? "", SIXTY[55] ?? ""];
const MANY = manyGroups(120);
const without = (groups: readonly string[], ...gone: string[]) =>
  groups.filter((group) => !gone.includes(group));
const tenantOf = (groups: readonly string[]) => ({
  groups: groups.map((id) => ({ id })),
  roles: [{ id: VIEWER }],
});
const granting = (groups: readonly string[]) =>
  line(`+ ${groups.slice(0, 10).join(", ")} and ${groups.length - 10} more`);

export const CREATE: readonly Row[] = [
  {
    title: "one POST of a sorted set, which the preview names",
    when: { up: { a: viewers(ADMINS, BILLING, ADMINS) } },
    then: {
      steps: ["create a"],
      preview: "the same",
      requests: [assigned(BILLING, ADMINS)],
      lines: [grants(BILLING, ADMINS)],
      state: {
        a: {
          roleId: VIEWER,
          groupIds: [BILLING, ADMINS],
          exclusive: false,
          until: undefined,
          [QUALIFIED_NAME]: "a",
        },
      },
      outputs: { a: ["__name", "__provider", "exclusive", "groupIds", "roleId", "tenant"] },
    },
    sample: true,
  },
  {
    title: "exclusive: the preview names whom it takes the role from, and they lose it",
    given: { foreign: [SUPPORT, CONTRACTORS] },
    when: { up: { a: exactly(ADMINS, SUPPORT) } },
    then: {
      preview: "the same",
      requests: [listed, listed, assigned(SUPPORT, ADMINS), unassigned(CONTRACTORS)],
      lines: [grants(SUPPORT, ADMINS), takes(`1 group that others gave it to: ${CONTRACTORS}`)],
    },
  },
  {
    title: "a lost answer is resolved by the list",
    given: { faults: [{ method: "POST", path, action: { drop: "after" } }] },
    when: { up: { a } },
    then: { requests: [answered(assigned(ADMINS), 0), listed], lines: [grants(ADMINS)] },
  },
  {
    title:
      "done for one group, then refused, where the list can't be read: the groups are recorded as unconfirmed",
    given: { faults: [...inPart("POST", 400), unlisted(500)] },
    when: { up: { a: three } },
    then: {
      errors: [/answered 400/],
      requests: [answered(assigned(SUPPORT, BILLING, ADMINS), 400), listed.replace(/200$/, "500")],
      lines: [grants(SUPPORT, BILLING, ADMINS)],
      state: { a: { groupIds: [SUPPORT, BILLING, ADMINS], unconfirmed: [SUPPORT, BILLING, ADMINS] } },
      groups: [SUPPORT],
    },
  },
  ...[400, 403].map((status) => ({
    title: `one of fifty groups is refused with ${status}: 49 get the role`,
    given: { tenant: { ...tenantOf(SIXTY), behaviour: { refused_groups: { [THIRD]: status } } } },
    when: { up: { a: viewers(...FIFTY) } },
    then: {
      errors: [new RegExp(`^a: Group ${THIRD} .*answered ${status}.* 49 other groups got the role\\.$`)],
      requests: { writes: 13 },
      lines: [granting(FIFTY)],
      state: { a: without(FIFTY, THIRD) },
    },
  })),
  {
    title: "a role that does not exist: the message says so, and nothing is recorded",
    when: { up: { a: assignment({ roleId: "rol_none", groupIds: [ADMINS] }) } },
    then: {
      // A refresh wouldn't help.
      errors: [/\/roles\/rol_none\/groups answered 404.*not on the tenant .*: check the ids\.$/],
      requests: [/^POST .* 404$/, /^GET .* 404$/, "GET /roles 200"],
      lines: [`a: role rol_none: + ${ADMINS}`],
    },
  },
  {
    title:
      "of 120 groups, the calls after the first are refused: what was done is recorded, and the next run finishes",
    given: {
      tenant: tenantOf(MANY),
      faults: [{ method: "POST", path, after: 1, times: 15, action: { status: 403 } }],
    },
    when: { up: { a: viewers(...MANY) } },
    then: {
      errors: [/^a: POST .* answered 403/],
      requests: { writes: 16 },
      lines: [granting(MANY)],
      state: { a: MANY.slice(0, 50) },
    },
    next: {
      then: {
        requests: [assigned(...MANY.slice(50, 100)), assigned(...MANY.slice(100))],
        lines: [granting(MANY.slice(50))],
      },
    },
  },
  {
    title: "60 groups in two calls, each with one that is gone: both are named in one sentence",
    given: { tenant: tenantOf(without(SIXTY, ...GONE)) },
    when: { up: { a: viewers(...SIXTY) } },
    then: {
      errors: [
        new RegExp(
          `^a: Groups ${GONE.join(", ")} don't exist on [\\d.:]+: POST .* answered 404: The group \\S+ does not exist\\. ` +
            '.*look (the group|each) up by its name, getGroup\\({ name: "…" }\\): a group that its directory has made anew ' +
            "has a new id\\. 58 other groups got the role\\.$",
        ),
      ],
      requests: { writes: 22 },
      lines: [granting(SIXTY)],
      state: { a: without(SIXTY, ...GONE) },
    },
  },
  {
    title: "a group at its limit of 10 roles: the limit is named, and no scope",
    given: {
      tenant: {
        groups: SIXTY.map((id) => ({ id })),
        roles: [
          ...Array.from({ length: 10 }, (_, i) => ({ id: `rol_${i}`, groups: [FULL] })),
          { id: VIEWER },
        ],
      },
    },
    when: { up: { a: viewers(FULL, THIRD) } },
    then: {
      errors: [
        new RegExp(
          `^a: (?!.*create:group_roles)Group ${FULL} didn't get the role: .* 10 roles on a group, and 100 .*deleteBeforeReplace: true\\. 1 other group got the role`,
        ),
      ],
      requests: { writes: 3 },
      lines: [grants(FULL, THIRD)],
      state: { a: [THIRD] },
    },
  },
  {
    title:
      "a refusal of all alike is no matter of single groups: it ends after 15 calls, with the service's words",
    given: {
      tenant: {
        groups: SIXTY.map((id) => ({ id })),
        roles: [
          ...Array.from({ length: 100 }, (_, i) => ({ id: `rol_${i}`, groups: [SIXTY[55 + (i % 5)] ?? ""] })),
          { id: VIEWER },
        ],
      },
    },
    when: { up: { a: viewers(...FIFTY) } },
    then: {
      errors: [/^a: POST .* 100 roles are already assigned to groups.* 100 different roles/],
      requests: { writes: 15 },
      lines: [granting(FIFTY)],
    },
  },
  {
    title:
      "exclusive, where the list of the role can't be read whole: refused, and the preview says that it could not ask",
    given: {
      tenant: {
        groups: MANY.map((id) => ({ id })),
        roles: [{ id: VIEWER, groups: MANY }],
        behaviour: { cursor_lists: "total", max_page_size: 50 },
      },
    },
    when: { up: { a: exactly(FULL) } },
    then: {
      preview: "the same",
      errors: [
        new RegExp(
          `GET /roles/${VIEWER}/groups can't be read whole: it counts 120 entries, and answers 50\\.`,
        ),
      ],
      requests: { writes: 0 },
      lines: [grants(FULL), /the list can't be read whole/],
    },
  },
  {
    title: "before its end, the line says until when",
    when: { up: { a: until(DAY, [ADMINS]) }, at: LONG_BEFORE },
    then: { preview: "the same", requests: [assigned(ADMINS)], lines: [line(`+ ${ADMINS}, until ${DAY}`)] },
  },
  {
    title: "after its end, it gives the role to nobody",
    when: { up: { a: until(DAY, [ADMINS]) }, at: AFTER },
    then: { lines: [ENDED] },
  },
];
