import { ADMINS, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { exactly, listed, manyGroups, viewers } from "../../../testkit/assignments";
import { at, given, takenAway, upped, type Row } from "../table";
import { AFTER, DAY, LONG_BEFORE, until } from "../words";

/* `read`, in a refresh: what of state the tenant still has. It sends nothing but GET, and prints nothing. */

const a = viewers(ADMINS);
const both = viewers(ADMINS, BILLING);
const GROUPS = manyGroups(120);
const GAP = `GET /roles/${VIEWER}/groups can't be read whole: it counts 120 entries, and answers 50.`;

export const READ: readonly Row[] = [
  {
    title: "groups that somebody else gave the role are no drift",
    given: { made: { a }, since: given(SUPPORT) },
    when: { refresh: {} },
    then: { requests: [listed], steps: [] },
  },
  {
    title: "a group that lost the role is drift, and leaves state",
    given: { made: { a: both }, since: takenAway(BILLING) },
    when: { refresh: {} },
    then: { requests: [listed], steps: ["drift a: groupIds"], state: { a: [ADMINS] } },
    sample: true,
  },
  {
    title: "all groups lost the role: gone",
    given: { made: { a }, since: takenAway(ADMINS) },
    when: { refresh: {} },
    then: { requests: [listed], steps: ["gone a"], state: {} },
  },
  {
    title: "the role is gone: gone",
    given: { made: { a }, since: ({ tenant }) => tenant.reseed({ roles: [] }) },
    when: { refresh: {} },
    then: { requests: [listed.replace(/200$/, "404"), "GET /roles 200"], steps: ["gone a"], state: {} },
  },
  {
    title: "two assignments of one role share one listing",
    given: { made: { a, b: viewers(BILLING) } },
    when: { refresh: {}, parallel: 8 },
    then: { requests: [listed], steps: [] },
  },
  {
    title: "exclusive: a group that somebody else gave the role is drift",
    given: { made: { a: exactly(ADMINS) }, since: given(SUPPORT) },
    when: { refresh: {} },
    then: {
      requests: [listed],
      steps: ["drift a: groupIds"],
      state: { a: { groupIds: [ADMINS], others: [SUPPORT] } },
    },
  },
  {
    title: "a list that is not whole decides nothing: state stays",
    given: {
      tenant: {
        groups: GROUPS.map((id) => ({ id })),
        roles: [{ id: VIEWER, groups: GROUPS }],
        behaviour: { cursor_lists: "cursor", max_page_size: 50 },
      },
      made: { a: exactly(...GROUPS) },
      since: ({ tenant }) => tenant.reseed({ behaviour: { cursor_lists: "total", max_page_size: 50 } }),
    },
    when: { refresh: {} },
    then: {
      errors: [new RegExp(GAP.replace(/[.?]/g, "\\$&"))],
      requests: [/take=100 200$/, /page=1.* 400$/, /take=100 200$/, /page=1.* 400$/],
    },
  },
  {
    title: "what has ended stays in state",
    given: {
      made: { a: until(DAY, [ADMINS, BILLING]) },
      at: LONG_BEFORE,
      since: [at(AFTER), upped({ a: until(DAY, [ADMINS, BILLING]) })],
    },
    when: { refresh: {}, at: AFTER },
    then: { requests: [listed], steps: [] },
  },
];
