import { ADMINS, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { unassigned, viewers } from "../../../testkit/assignments";
import { assignment, profile, secret } from "../../../testkit/engine";
import { at, damagedRows, failedUp, given, takenAway, upped, type Row } from "../table";
import { AFTER, DAY, inPart, line, LONG_BEFORE, refused, RESTRAINTS, stays, until } from "../words";

/* `delete`: takes the role from the groups in state that no resource of the run wants. */

const a = viewers(ADMINS);
const both = viewers(ADMINS, BILLING);
const three = viewers(SUPPORT, BILLING, ADMINS);
const kept = assignment({ roleId: VIEWER, groupIds: [ADMINS, BILLING], deleteOnDestroy: false });
const lost = (...groups: string[]) => `role ${VIEWER}: − ${groups.join(", ")}`;

const WAY_OUT =
  "To destroy the rest, leave this resource out: pulumi destroy --exclude URN. If its tenant or the feature is gone for good, " +
  "take it out of state: pulumi state delete URN.";
const NOT_IN_PLAN = {
  status: 403,
  body: { statusCode: 403, message: "Not in your plan.", errorCode: "insufficient_entitlement" },
};
const NOT_ALLOWED =
  "answered 403 insufficient_entitlement: Not in your plan. The tenant's plan doesn't allow it. " + WAY_OUT;
const escaped = (text: string) => text.replace(/[.]/g, "\\.");

export const DELETE: readonly Row[] = [
  ...damagedRows(
    "a",
    { made: { a }, change: { a } },
    {
      "RoleGroupAssignment is damaged at groupIds \\(missing\\)": { groupIds: undefined },
      "RoleGroupAssignment is damaged at unconfirmed\\[0\\]": { unconfirmed: [null] },
    },
    { groups: [ADMINS] },
  ),
  ...[undefined, true].map((deleteOnDestroy) => ({
    title: `takes the role from its groups, and names them (deleteOnDestroy: ${deleteOnDestroy})`,
    given: {
      made: {
        a: assignment({
          roleId: VIEWER,
          groupIds: [ADMINS, BILLING],
          ...(deleteOnDestroy !== undefined && { deleteOnDestroy }),
        }),
      },
    },
    when: { destroy: {} },
    then: { requests: [unassigned(BILLING, ADMINS)], lines: [RESTRAINTS, lost(BILLING, ADMINS)] },
    ...(deleteOnDestroy === undefined && { sample: true as const }),
  })),
  {
    title: "deleteOnDestroy: false leaves the role to its groups, and says so",
    given: { made: { a: kept } },
    when: { destroy: {} },
    then: { lines: [stays(BILLING, ADMINS)] },
  },
  {
    title: "identity:maxRevocations does not count what is left to its groups",
    given: { made: { a: kept }, config: { "identity:maxRevocations": "0" } },
    when: { destroy: {} },
    then: { lines: [stays(BILLING, ADMINS)] },
  },
  {
    title: "groups that somebody else gave the role keep it",
    given: { made: { a }, since: given(SUPPORT) },
    when: { destroy: {} },
    then: { requests: [unassigned(ADMINS)], lines: [RESTRAINTS, lost(ADMINS)], groups: [SUPPORT] },
  },
  {
    title: "a group that an assignment under another provider lists keeps the role",
    given: { made: { a: both }, providers: ["eu"] },
    when: { up: { b: { ...a, provider: "eu" } } },
    then: {
      // Each provider has a token of its own.
      requests: { writes: 2 },
      lines: [
        line(`+ ${ADMINS}`, "b"),
        `role ${VIEWER}: keeps ${ADMINS}, listed by b`,
        RESTRAINTS,
        lost(BILLING),
      ],
    },
  },
  {
    title: "a role that is gone: done",
    given: { made: { a }, since: ({ tenant }) => tenant.reseed({ roles: [] }) },
    when: { destroy: {} },
    then: { requests: { writes: 1 }, lines: [RESTRAINTS] },
  },
  {
    title: "a service that refuses what is done already, where one of the groups lost the role",
    given: {
      tenant: { behaviour: { assign_assigned_group: "error", remove_absent_group: "error" } },
      made: { a: both },
      since: takenAway(ADMINS),
    },
    when: { destroy: {} },
    then: { requests: { writes: 2 }, lines: [RESTRAINTS, lost(BILLING, ADMINS)] },
  },
  {
    title: "a removal that is answered by 404 is not done while the role lists its groups",
    given: { made: { a }, faults: [{ method: "DELETE", path: "*/roles/*", action: { status: 404 } }] },
    when: { destroy: {} },
    then: {
      errors: [/^a: Group .* still has the role: .*answered 404.* Run this again/],
      requests: { writes: 1 },
      lines: [RESTRAINTS],
    },
  },
  {
    title: "what a failed create has left in state is taken away",
    given: { since: failedUp({ a: three }, ...inPart("POST", 400)) },
    when: { destroy: {} },
    then: { requests: [unassigned(SUPPORT)], lines: [RESTRAINTS, lost(SUPPORT)] },
  },
  {
    title: "the plan has lost the features: one request each, the reason, and how to go on",
    given: {
      made: { a: both, p: profile({ name: "enterprise" }) },
      faults: [{ method: "DELETE", path: "*", times: 99, action: NOT_IN_PLAN }],
    },
    when: { destroy: { continueOnError: true } },
    then: {
      errors: [
        `p: DELETE /connection-profiles/{p} ${NOT_ALLOWED}`,
        `a: DELETE /roles/${VIEWER}/groups ${NOT_ALLOWED}`,
      ],
      requests: ["DELETE /connection-profiles/{p} 403", refused("DELETE", 403)],
      lines: [RESTRAINTS],
    },
  },
  {
    title: "the tenant has no token endpoint any more: how to go on",
    given: {
      made: { a },
      faults: [{ method: "POST", path: "/oauth/token*", times: 99, action: { status: 404 } }],
    },
    when: { destroy: {} },
    then: {
      errors: [new RegExp(`^a: .*There is no token endpoint on .*${escaped(WAY_OUT)}`)],
      requests: ["token 404", "token 404"],
      lines: [RESTRAINTS],
    },
  },
  // Halves wouldn't arrive either, but a refusal in other words may be about one group.
  ...(
    [
      ["Missing body.", "a proxy", 1],
      ["Payload validation error: 'Missing required property: groups' on property groups.", "a proxy", 1],
      ["Not so.", "if the service misses that, a proxy", 5],
    ] as const
  ).map(([message, who, writes]) => ({
    title: `a gateway takes the body of a DELETE away, and the service says ${JSON.stringify(message)}`,
    given: {
      made: { a: three },
      faults: [
        {
          method: "DELETE" as const,
          path: "*",
          times: 99,
          action: { status: 400, body: { statusCode: 400, message, errorCode: "invalid_body" } },
        },
      ],
    },
    when: { destroy: {} },
    then: {
      errors: [
        new RegExp(
          `^a: .*The request was sent with its body: ${who} or gateway on the way takes it out of DELETE requests\\.(?!.*To destroy)`,
        ),
      ],
      requests: { writes },
      lines: [RESTRAINTS],
    },
  })),
  {
    title: "secret groups lose the role, and no line or error shows them",
    given: {
      made: { a: assignment({ roleId: VIEWER, groupIds: secret([ADMINS]) }) },
      faults: [{ method: "DELETE", path: "/api/v2/*", times: 10, action: { status: 403 } }],
    },
    when: { destroy: {} },
    then: {
      errors: [/^a: Group \[secret\] still has the role: .*answered 403/],
      requests: { writes: 1 },
      lines: [RESTRAINTS],
    },
  },
  {
    title: "what has ended takes nothing from those to whom others gave the role since",
    given: {
      made: { a: until(DAY, [ADMINS]) },
      at: LONG_BEFORE,
      since: [at(AFTER), upped({ a: until(DAY, [ADMINS]) }), given(ADMINS)],
    },
    when: { destroy: {}, at: AFTER },
    then: {},
  },
];
