import { ADMINS, AGENT, BILLING, CONTRACTORS, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { assigned, exactly, listed, manyGroups, unassigned, viewers } from "../../../testkit/assignments";
import { assignment, type Resource } from "../../../testkit/engine";
import { at, failedUp, given, refreshed, takenAway, upped, type Row } from "../table";
import {
  AFTER,
  answered,
  byListing,
  DAY,
  EMPTIED,
  ENDED,
  ends,
  endsOf,
  endsUnlisted,
  grants,
  inPart,
  line,
  LISTS,
  LONG_BEFORE,
  mayExceed,
  of,
  refused,
  stays,
  takes,
  unlessListed,
  unlisted,
  until,
  URL_OF_GROUPS as path,
  withoutListing,
} from "../words";

/* `update`, and a replacement: additions before removals, and what is left where only a part was done. */

const a = viewers(ADMINS);
const TEN = manyGroups(10);
const [KEEPS = "", STUCK = ""] = TEN;
const both = viewers(ADMINS, BILLING);
const three = viewers(SUPPORT, BILLING, ADMINS);
const agents = (...groupIds: string[]) => assignment({ roleId: AGENT, groupIds });
const kept = (...groupIds: string[]) => assignment({ roleId: VIEWER, groupIds, deleteOnDestroy: false });
const first = (resource: Resource): Resource => ({ ...resource, deleteBeforeReplace: true });
/** A refusal that isn't about the groups, so nobody checks if they have the role. */
const NO_SCOPE = {
  status: 403,
  body: { statusCode: 403, message: "Insufficient scope.", errorCode: "insufficient_scope" },
};
const drops = (...groups: string[]) => unlessListed(line(`− ${groups.join(", ")}`));

/** 17:00 in UTC. */
const EVENING = "2030-12-31T18:00:00+01:00";

export const UPDATE: readonly Row[] = [
  {
    title: "adds before it removes, and the preview names both",
    given: { made: { a: both } },
    when: { up: { a: viewers(ADMINS, SUPPORT, CONTRACTORS) } },
    then: {
      steps: ["update a: groupIds"],
      preview: "the same",
      requests: [assigned(SUPPORT, CONTRACTORS), unassigned(BILLING)],
      lines: unlessListed(line(`+ ${SUPPORT}, ${CONTRACTORS}; − ${BILLING}`)),
    },
    sample: true,
  },
  ...[false, true].map((runProgram) => ({
    title: `a group that lost the role outside gets it back in an up --refresh, said once (--run-program: ${runProgram})`,
    given: { made: { a: both }, since: takenAway(BILLING) },
    when: { up: { a: both }, refresh: true, runProgram },
    then: { requests: [listed, assigned(BILLING)], lines: [grants(BILLING)] },
  })),
  {
    title: "exclusive: a group that somebody else gave the role loses it",
    given: { made: { a: exactly(ADMINS) }, since: [given(SUPPORT), refreshed] },
    when: { up: { a: exactly(ADMINS) } },
    then: {
      // Reads the groups with the role for the line, and again right before revoking it.
      requests: [listed, listed, unassigned(SUPPORT)],
      lines: [takes(`1 group that others gave it to: ${SUPPORT}`)],
    },
  },
  {
    title: "no longer exclusive, it leaves them the role",
    given: { made: { a: exactly(ADMINS) }, since: given(BILLING) },
    when: { up: { a } },
    then: {},
  },
  {
    title: "exclusive, of which only deleteOnDestroy changes: it still asks whom it takes the role from",
    given: { made: { a: exactly(ADMINS) }, since: given(BILLING) },
    when: {
      up: { a: assignment({ roleId: VIEWER, groupIds: [ADMINS], exclusive: true, deleteOnDestroy: false }) },
    },
    then: {
      preview: "the same",
      requests: [listed, listed, unassigned(BILLING)],
      lines: [takes(`1 group that others gave it to: ${BILLING}`)],
    },
  },
  {
    title: "exclusive, it could not take the role from all others: state knows it, and the next run finishes",
    given: {
      made: { a },
      since: given(SUPPORT),
      faults: [{ method: "DELETE", path, action: { status: 403 } }],
    },
    when: { up: { a: exactly(ADMINS, BILLING) } },
    then: {
      errors: [/answered 403/],
      requests: { writes: 2 },
      lines: [grants(BILLING), takes(`1 group that others gave it to: ${SUPPORT}`)],
      state: { a: { groupIds: [BILLING, ADMINS], unfinished: true } },
      groups: [ADMINS, BILLING, SUPPORT],
    },
    next: {
      then: {
        preview: "the same",
        requests: [listed, listed, unassigned(SUPPORT)],
        lines: [takes(`1 group that others gave it to: ${SUPPORT}`)],
      },
    },
  },
  {
    title: "a new role: gives the new one before it takes the former one away",
    given: { made: { a } },
    when: { up: { a: agents(ADMINS) } },
    then: {
      steps: ["replace a: roleId", "delete replaced a"],
      requests: [of(AGENT, "POST", ADMINS), unassigned(ADMINS)],
      lines: [
        `a: role ${AGENT}: + ${ADMINS}`,
        line(`− ${ADMINS}, once what it replaces is deleted`),
        `role ${VIEWER}: − ${ADMINS}`,
      ],
    },
  },
  {
    title: "deleteOnDestroy turned off sends nothing",
    given: { made: { a } },
    when: { up: { a: kept(ADMINS) } },
    then: { steps: ["update a: deleteOnDestroy"] },
  },
  {
    title: "deleteOnDestroy: false keeps the role of no group that is taken out of the list",
    given: { made: { a: kept(ADMINS, BILLING) } },
    when: { up: { a: kept(ADMINS) } },
    then: { requests: [unassigned(BILLING)], lines: drops(BILLING) },
  },
  ...[false, true].map((deleteBeforeReplace) => ({
    title: `deleteOnDestroy: false leaves the former role to its groups where a new one follows (delete first: ${deleteBeforeReplace})`,
    given: { made: { a: kept(ADMINS) } },
    // The program's setting for the new one doesn't apply to the old one.
    when: { up: { a: { ...agents(SUPPORT), deleteBeforeReplace } } },
    then: {
      preview: [`a: role ${AGENT}: + ${SUPPORT}`, `a: ${stays(ADMINS)}`],
      requests: [of(AGENT, "POST", SUPPORT)],
      lines: [`a: role ${AGENT}: + ${SUPPORT}`, `a: ${stays(ADMINS)}`, stays(ADMINS)],
      groups: [ADMINS],
    },
  })),
  {
    title: "deleteOnDestroy: false, replaced with fewer groups of the same role: nobody loses it",
    given: { made: { a: kept(ADMINS, BILLING) } },
    when: { up: { a: { ...kept(ADMINS), replaceOnChanges: ["groupIds"] } } },
    then: {
      requests: [assigned(ADMINS)],
      lines: [...drops(BILLING), stays(BILLING, ADMINS)],
      groups: [BILLING, ADMINS],
    },
  },
  {
    title: "… unless the new one is exclusive, and the preview says so",
    given: { made: { a: kept(ADMINS, BILLING) } },
    when: { up: { a: { ...exactly(ADMINS), replaceOnChanges: ["groupIds"] } } },
    then: {
      preview: [...drops(BILLING), takes("no other group")],
      requests: [listed, listed, assigned(ADMINS), unassigned(BILLING)],
      lines: [
        ...drops(BILLING),
        takes("no other group"),
        `role ${VIEWER}: exclusive, takes the role from 1 group that others gave it to: ${BILLING}`,
        stays(BILLING, ADMINS),
      ],
    },
  },
  {
    title: "exclusive, and replaced as it is by an option: the preview names whom it takes the role from",
    given: { made: { a: { ...exactly(ADMINS), replacementTrigger: "1" } }, since: given(SUPPORT) },
    when: { up: { a: { ...exactly(ADMINS), replacementTrigger: "2" } } },
    then: {
      preview: [takes(`1 group that others gave it to: ${SUPPORT}`)],
      requests: [listed, listed, assigned(ADMINS), unassigned(SUPPORT)],
      lines: [
        takes(`1 group that others gave it to: ${SUPPORT}`),
        `role ${VIEWER}: keeps ${ADMINS}, listed by a`,
      ],
    },
  },
  {
    title: "done for one group, then refused: state has the part, and the next run gives the rest",
    given: { made: { a: viewers(SUPPORT) }, faults: inPart("POST", 404) },
    when: { up: { a: three } },
    then: {
      errors: [/answered 404/],
      requests: [answered(assigned(BILLING, ADMINS), 404), listed, refused("POST", 404), listed],
      lines: [grants(BILLING, ADMINS)],
      state: { a: { groupIds: [SUPPORT, BILLING], unconfirmed: undefined } },
    },
    next: { then: { requests: [assigned(ADMINS)], lines: [grants(ADMINS)] } },
  },
  {
    title:
      "done for what was unconfirmed, then refused: state has it confirmed, and the next run gives only the rest",
    given: {
      made: { a: viewers(SUPPORT) },
      since: [
        failedUp(
          { a: viewers(SUPPORT, BILLING) },
          { method: "POST", path, action: { drop: "after" } },
          unlisted(500),
        ),
        ({ tenant }) => tenant.reseed({ behaviour: { refused_groups: { [ADMINS]: 403 } } }),
      ],
    },
    when: { up: { a: three } },
    then: {
      errors: [/answered 403/],
      requests: [answered(assigned(BILLING, ADMINS), 403), listed, answered(assigned(ADMINS), 403), listed],
      lines: [grants(BILLING, ADMINS)],
      state: { a: { groupIds: [SUPPORT, BILLING], unconfirmed: undefined } },
    },
    next: { then: { errors: [/answered 403/], requests: { writes: 1 }, lines: [grants(ADMINS)] } },
  },
  {
    title: "added, but could not remove: state has both, and the next run removes",
    given: { made: { a }, faults: [{ method: "DELETE", path: "*", action: { status: 403 } }] },
    when: { up: { a: viewers(BILLING) } },
    then: {
      errors: [/answered 403/],
      requests: [assigned(BILLING), refused("DELETE", 403), listed],
      lines: unlessListed(line(`+ ${BILLING}; − ${ADMINS}`)),
      state: { a: [BILLING, ADMINS] },
    },
    next: { then: { requests: [unassigned(ADMINS)], lines: drops(ADMINS) } },
  },
  {
    title: "of the groups that leave, one keeps the role: state has it",
    given: {
      tenant: { groups: TEN.map((id) => ({ id })), roles: [{ id: VIEWER }] },
      made: { a: viewers(...TEN) },
      since: ({ tenant }) => tenant.reseed({ behaviour: { refused_groups: { [STUCK]: 400 } } }),
    },
    when: { up: { a: viewers(KEEPS) } },
    then: {
      errors: [new RegExp(`^a: Group ${STUCK} still has the role: .*8 other groups lost the role\\.$`)],
      requests: { writes: 9 },
      lines: drops(...TEN.slice(1)),
      state: { a: [KEEPS, STUCK] },
    },
  },
  {
    title: "its end takes the role from its groups",
    given: { made: { a: until(DAY, [ADMINS, BILLING]) }, at: LONG_BEFORE },
    when: { up: { a: until(DAY, [ADMINS, BILLING]) }, at: AFTER },
    then: {
      steps: ["update a: groupIds"],
      preview: "the same",
      requests: [unassigned(BILLING, ADMINS)],
      lines: ends(BILLING, ADMINS),
    },
  },
  {
    title: "an hour on a clock elsewhere ends at its instant: then its groups lose the role",
    given: { made: { a: until(EVENING, [ADMINS]) }, at: LONG_BEFORE },
    when: { up: { a: until(EVENING, [ADMINS]) }, at: Date.parse("2030-12-31T17:00:00Z") },
    then: {
      steps: ["update a: groupIds"],
      preview: "the same",
      requests: [unassigned(ADMINS)],
      lines: endsOf(ADMINS, { end: EVENING }),
    },
  },
  {
    title: "14 days before its end, a preview warns",
    given: { made: { a: until(DAY, [ADMINS]) }, at: LONG_BEFORE },
    when: { up: { a: until(DAY, [ADMINS]) }, at: Date.parse("2030-12-18T12:00:00Z") },
    then: { steps: [], lines: [line(`until ${DAY}, in 13 days: then its groups lose the role`)] },
  },
  {
    title: "once it has ended, what others give the role to is theirs",
    given: {
      made: { a: until(DAY, [ADMINS]) },
      at: LONG_BEFORE,
      since: [at(AFTER), upped({ a: until(DAY, [ADMINS]) }), given(ADMINS), refreshed],
    },
    when: { up: { a: until(DAY, [ADMINS]) }, at: AFTER },
    then: { steps: [], lines: [ENDED] },
  },
  ...[undefined, "2031-12-31"].map((end) => ({
    title: `prolonged (until ${end}), it gives the role again`,
    given: {
      made: { a: until(DAY, [ADMINS]) },
      at: LONG_BEFORE,
      since: [at(AFTER), upped({ a: until(DAY, [ADMINS]) })],
    },
    when: { up: { a: until(end, [ADMINS]) }, at: AFTER },
    then: {
      requests: [assigned(ADMINS)],
      lines: [end === undefined ? grants(ADMINS) : line(`+ ${ADMINS}, until ${end}`)],
    },
  })),
  {
    title: "its end counts for maxRevocations",
    given: {
      made: { a: until(DAY, [ADMINS, BILLING]) },
      at: LONG_BEFORE,
      config: { "identity:maxRevocations": "1" },
    },
    when: { up: { a: until(DAY, [ADMINS, BILLING]) }, at: AFTER },
    then: {
      errors: [/[Tt]his run would revoke at least 2 grants/],
      lines: [...ends(BILLING, ADMINS), withoutListing(`a: ${mayExceed(2, 1)}`)],
    },
  },
  {
    title: "deleteOnDestroy says nothing of the end, and options can't have it ignored",
    given: {
      made: { a: { ...until(DAY, [ADMINS], { deleteOnDestroy: false }), ignoreChanges: ["*"] } },
      at: LONG_BEFORE,
    },
    when: {
      up: { a: { ...until(DAY, [ADMINS], { deleteOnDestroy: false }), ignoreChanges: ["*"] } },
      at: AFTER,
    },
    then: { requests: [unassigned(ADMINS)], lines: endsUnlisted(ADMINS) },
  },
  {
    title: "with ignoreChanges, the end of state counts, and not the one of the program",
    given: { made: { a: until(DAY, [ADMINS]) }, at: LONG_BEFORE },
    when: { up: { a: { ...until("2040-01-01", [ADMINS]), ignoreChanges: ["until"] } }, at: AFTER },
    then: {
      requests: [unassigned(ADMINS)],
      lines: endsUnlisted(ADMINS),
      state: { a: { until: DAY, groupIds: [], exclusive: false } },
    },
  },
  {
    title: "exclusive, its end takes the role from its groups, and leaves all others alone",
    given: { made: { a: until(DAY, [ADMINS], { exclusive: true }) }, at: LONG_BEFORE, since: given(SUPPORT) },
    when: { up: { a: until(DAY, [ADMINS], { exclusive: true }) }, at: AFTER },
    then: { preview: "the same", requests: [unassigned(ADMINS)], lines: ends(ADMINS), groups: [SUPPORT] },
  },
  {
    title: "a group that moves to another assignment as the first one ends keeps the role throughout",
    given: { made: { a: until(DAY, [ADMINS, BILLING]) }, at: LONG_BEFORE },
    when: { up: { a: until(DAY, [ADMINS]), b: viewers(BILLING) }, at: AFTER },
    then: {
      requests: [
        { said: unassigned(ADMINS), notFor: { YAML: "no listing says that b lists the other group" } },
        { said: unassigned(BILLING, ADMINS), notFor: LISTS },
        assigned(BILLING),
      ],
      lines: [
        ...endsOf(ADMINS, { rest: `; hands over ${BILLING}` }).slice(0, 1),
        ...endsUnlisted(`${BILLING}, ${ADMINS}`).map((said) => ({ said, notFor: LISTS })),
        `b: role ${VIEWER}: + ${BILLING}`,
      ],
    },
  },
  ...["groupIds", "*"].map((ignored) => ({
    title: `after its end, a list that ignoreChanges (${ignored}) keeps empty is fine`,
    given: {
      made: { a: { ...until(DAY, [ADMINS]), ignoreChanges: [ignored] } },
      at: LONG_BEFORE,
      since: [at(AFTER), upped({ a: { ...until(DAY, [ADMINS]), ignoreChanges: [ignored] } })],
    },
    when: { up: { a: { ...until(DAY, [ADMINS]), ignoreChanges: [ignored] } }, at: AFTER },
    then: { steps: [], lines: [ENDED] },
  })),
  {
    title: "prolonged while ignoreChanges keeps the list empty, it is refused",
    given: {
      made: { a: until(DAY, [ADMINS]) },
      at: LONG_BEFORE,
      since: [at(AFTER), upped({ a: until(DAY, [ADMINS]) })],
    },
    when: { up: { a: { ...until("2040-01-01", [ADMINS]), ignoreChanges: ["groupIds"] } }, at: AFTER },
    then: { errors: [`a: ${EMPTIED}`] },
  },
  {
    title: "prolonged, an exclusive one gives the role again, and takes it from all others",
    given: {
      made: { a: until(DAY, [ADMINS], { exclusive: true }) },
      at: LONG_BEFORE,
      since: [at(AFTER), upped({ a: until(DAY, [ADMINS], { exclusive: true }) }), given(SUPPORT)],
    },
    when: { up: { a: until("2040-01-01", [ADMINS], { exclusive: true }) }, at: AFTER },
    then: {
      requests: [listed, listed, assigned(ADMINS), unassigned(SUPPORT)],
      lines: [line(`+ ${ADMINS}, until 2040-01-01`), takes(`1 group that others gave it to: ${SUPPORT}`)],
      groups: [ADMINS],
    },
  },
  {
    title: "what has ended lists nothing: a group that moves to it loses the role",
    given: { made: { b: viewers(BILLING, SUPPORT) }, at: LONG_BEFORE },
    when: { up: { a: until(DAY, [BILLING]), b: viewers(SUPPORT) }, at: AFTER },
    then: {
      requests: [unassigned(BILLING)],
      lines: [ENDED, ...unlessListed(`b: role ${VIEWER}: − ${BILLING}`)],
    },
  },
  {
    title: "… also under another provider",
    given: { made: { b: viewers(BILLING, SUPPORT) }, at: LONG_BEFORE, providers: ["eu"] },
    when: { up: { a: { ...until(DAY, [BILLING]), provider: "eu" }, b: viewers(SUPPORT) }, at: AFTER },
    then: {
      requests: [unassigned(BILLING)],
      lines: [ENDED, ...unlessListed(`b: role ${VIEWER}: − ${BILLING}`)],
    },
  },
  {
    title: "what was removed is not spared for one that has ended",
    given: { made: { b: viewers(BILLING) }, at: LONG_BEFORE },
    when: { up: { a: until(DAY, [BILLING]) }, at: AFTER },
    then: { requests: [unassigned(BILLING)], lines: [ENDED, `role ${VIEWER}: − ${BILLING}`] },
  },
  {
    title: "a new role of one that has ended gives nothing, and the former one takes nothing",
    given: {
      made: { a: until(DAY, [ADMINS]) },
      at: LONG_BEFORE,
      since: [at(AFTER), upped({ a: until(DAY, [ADMINS]) })],
    },
    when: { up: { a: assignment({ roleId: AGENT, groupIds: [ADMINS], until: DAY }) }, at: AFTER },
    then: { lines: [ENDED.replace(VIEWER, AGENT)] },
  },
  {
    title: "a group that moves to one which is checked first may be taken out of a third one by a transform",
    given: { made: { a: both } },
    when: {
      up: {
        b: viewers(BILLING),
        a,
        c: {
          ...viewers(BILLING, SUPPORT),
          lateTransform: (inputs) => ({ ...inputs, groupIds: [SUPPORT] }),
        },
      },
    },
    then: {
      requests: [assigned(BILLING), assigned(SUPPORT)],
      lines: [
        line(`+ ${BILLING}`, "b"),
        byListing(line(`hands over ${BILLING}`)),
        withoutListing(line(`hands over ${BILLING}, if the assignment that lists it comes first`)),
        line(`+ ${SUPPORT}`, "c"),
      ],
      state: { a: [ADMINS], b: [BILLING], c: [SUPPORT] },
    },
  },
  {
    title: "without a listing, a group that moves has the role in the end",
    given: { made: { a: both, b: viewers(CONTRACTORS) } },
    when: { up: { a, b: viewers(BILLING, CONTRACTORS) } },
    then: {
      requests: [unassigned(BILLING), assigned(BILLING)],
      lines: [...drops(BILLING), `b: role ${VIEWER}: + ${BILLING}`],
    },
    notFor: {
      "the classes": "their listing hands the group over, as another row has it",
      "the classes of /plugin": "their listing hands the group over, as another row has it",
    },
  },
  {
    title: "… or throughout, if the other assignment is checked while a grant is on its way",
    given: {
      made: { a: both, b: viewers(CONTRACTORS) },
      faults: [{ method: "POST", path, action: { delay: 500 } }],
    },
    when: { up: { a: viewers(ADMINS, SUPPORT), b: viewers(BILLING, CONTRACTORS) }, parallel: 2 },
    then: {
      requests: [assigned(SUPPORT), assigned(BILLING)],
      lines: [
        line(`+ ${SUPPORT}; − ${BILLING}, unless the program still lists them`),
        line(`+ ${BILLING}`, "b"),
      ],
      isMixed: true,
    },
    notFor: LISTS,
  },
  {
    title: "… or in the end, if that is while a revocation is to be sent again: one request after the other",
    given: {
      made: { a: both, b: viewers(CONTRACTORS) },
      faults: [{ method: "DELETE", path, action: { status: 503 } }],
    },
    when: { up: { a, b: viewers(BILLING, CONTRACTORS) }, parallel: 2 },
    then: {
      requests: [`DELETE /roles/${VIEWER}/groups 503`, unassigned(BILLING), assigned(BILLING)],
      lines: [...drops(BILLING), line(`+ ${BILLING}`, "b")],
      isMixed: true,
    },
    notFor: LISTS,
  },
  {
    title: "by its listing, a group that moves never loses the role",
    given: { made: { a: both, b: viewers(CONTRACTORS) } },
    when: { up: { a, b: viewers(BILLING, CONTRACTORS) } },
    then: {
      requests: [assigned(BILLING)],
      lines: [line(`hands over ${BILLING}`), `b: role ${VIEWER}: + ${BILLING}`],
    },
    notFor: { YAML: "it has no listing, and takes the role away first" },
    sample: true,
  },
  {
    title:
      "an exclusive one gets another name: its groups keep the role, but for those that it no longer lists",
    given: { made: { a: exactly(ADMINS, BILLING) } },
    when: { up: { b: exactly(ADMINS) } },
    then: {
      steps: ["create b", "delete a"],
      requests: [listed, listed, assigned(ADMINS), unassigned(BILLING), unassigned(BILLING)],
      lines: [
        line(`+ ${ADMINS}`, "b"),
        line(`exclusive, takes the role from 1 group that others gave it to: ${BILLING}`, "b"),
        `role ${VIEWER}: keeps ${ADMINS}, listed by b`,
        `role ${VIEWER}: − ${BILLING}`,
      ],
    },
  },
  {
    title: "two swap their roles",
    given: { made: { a, b: agents(ADMINS) } },
    when: { up: { a: agents(ADMINS), b: a } },
    then: {
      requests: [of(AGENT, "POST", ADMINS), assigned(ADMINS)],
      lines: [
        `a: role ${AGENT}: + ${ADMINS}`,
        line(`− ${ADMINS}, once what it replaces is deleted`),
        line(`+ ${ADMINS}`, "b"),
        `b: role ${AGENT}: hands over ${ADMINS}`,
        `role ${AGENT}: keeps ${ADMINS}, listed by a`,
        `role ${VIEWER}: keeps ${ADMINS}, listed by b`,
      ],
    },
  },
  {
    title: "… where they are deleted first: both have their groups in the end",
    given: { made: { a: first(a), b: first(agents(ADMINS)) } },
    when: { up: { a: first(agents(ADMINS)), b: first(a) } },
    then: {
      requests: [withoutListing(unassigned(ADMINS)), of(AGENT, "POST", ADMINS), assigned(ADMINS)],
      lines: [
        `a: role ${AGENT}: + ${ADMINS}`,
        byListing(line(`hands over ${ADMINS}`)),
        byListing(`role ${VIEWER}: keeps ${ADMINS}, listed by another assignment`),
        withoutListing(line(`− ${ADMINS}, once what it replaces is deleted`)),
        line(`+ ${ADMINS}`, "b"),
        withoutListing(`role ${VIEWER}: − ${ADMINS}`),
        `b: role ${AGENT}: hands over ${ADMINS}`,
        `role ${AGENT}: keeps ${ADMINS}, listed by a`,
      ],
      isMixed: true,
    },
  },
  {
    title:
      "another role: a group that no check of the run has seen elsewhere is taken with the former one, and the next run gives it to the one that lists it",
    given: { made: { a, b: viewers(SUPPORT) } },
    when: { up: { a: agents(ADMINS), b: viewers(ADMINS, SUPPORT) }, exclude: ["b"] },
    then: {
      requests: [of(AGENT, "POST", ADMINS), unassigned(ADMINS)],
      lines: [
        `a: role ${AGENT}: + ${ADMINS}`,
        line(`− ${ADMINS}, once what it replaces is deleted`),
        `role ${VIEWER}: − ${ADMINS}`,
      ],
      state: { a: { roleId: AGENT, groupIds: [ADMINS] }, b: { groupIds: [SUPPORT] } },
      left: ["update b: groupIds"],
    },
    next: {
      when: { up: { a: agents(ADMINS), b: viewers(ADMINS, SUPPORT) } },
      then: { requests: [assigned(ADMINS)], lines: [line(`+ ${ADMINS}`, "b")] },
    },
  },
  {
    title: "what is deleted first, before another role is checked, is given again to who lists it unchanged",
    given: {
      made: { a, b: viewers(SUPPORT) },
      // A failed run has left the group with both.
      since: ({ engine }) => {
        for (const values of [engine.resource("b").outputs, engine.resource("b").inputs])
          values["groupIds"] = [SUPPORT, ADMINS];
      },
    },
    when: { up: { a: first(agents(BILLING)), b: viewers(ADMINS, SUPPORT) } },
    then: {
      requests: [
        withoutListing(unassigned(ADMINS)),
        of(AGENT, "POST", BILLING),
        withoutListing(assigned(ADMINS)),
      ],
      lines: [
        `a: role ${AGENT}: + ${BILLING}`,
        byListing(line(`hands over ${ADMINS}`)),
        byListing(`role ${VIEWER}: keeps ${ADMINS}, listed by another assignment`),
        withoutListing(line(`− ${ADMINS}, once what it replaces is deleted`)),
        withoutListing(line(`+ ${ADMINS}`, "b")),
        withoutListing(`role ${VIEWER}: − ${ADMINS}`),
      ],
    },
  },
  {
    title: "after a run that failed half-way, what another one got then is not taken from it",
    given: {
      made: { a: both },
      since: failedUp(
        { renamed: viewers(BILLING), b: viewers(ADMINS) },
        { method: "POST", path: "*/roles/*", action: NO_SCOPE },
      ),
    },
    when: { up: { renamed: viewers(BILLING), b: viewers(ADMINS) } },
    then: {
      requests: [assigned(BILLING)],
      lines: [
        line(`+ ${BILLING}`, "renamed"),
        `role ${VIEWER}: keeps ${BILLING}, ${ADMINS}, listed by renamed, b`,
      ],
    },
  },
  {
    title: "a change that is refused has let go of the group that it hands over",
    given: {
      made: { a: both, b: viewers(CONTRACTORS) },
      faults: [{ method: "POST", path, action: NO_SCOPE }],
    },
    when: { up: { a: viewers(ADMINS, SUPPORT), b: viewers(BILLING, CONTRACTORS) }, continueOnError: true },
    then: {
      errors: [/^a: POST .* answered 403/],
      requests: [refused("POST", 403), assigned(BILLING)],
      lines: [line(`+ ${SUPPORT}; hands over ${BILLING}`), line(`+ ${BILLING}`, "b")],
      state: { a: [ADMINS], b: [BILLING, CONTRACTORS] },
    },
    notFor: { YAML: "it has no listing, and would have taken the group away after the grant" },
  },
];
