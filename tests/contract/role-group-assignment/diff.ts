import { ADMINS, AGENT, BILLING, SUPPORT, VIEWER } from "../../../simulator/default-seed";
import { exactly, listed, viewers } from "../../../testkit/assignments";
import { assignment, type Resource, secret, UNKNOWN } from "../../../testkit/engine";
import { type Values } from "../../../testkit/hosts/host";
import { given, type Given, type Happening, type NotFor, type Row, type Said } from "../table";
import { AFTER, DAY, ends, grants, line, takes, unlessListed } from "../words";

/* `diff`: which change leads to which step, as a preview shows it. It sends nothing but GET. */

const both = viewers(ADMINS, BILLING);
const inputs = (more: Values, options: Partial<Resource> = {}) =>
  assignment({ roleId: VIEWER, groupIds: [ADMINS, BILLING], ...more }, options);

/** What a preview of `a` says of a resource that has two groups. */
function preview(
  title: string,
  a: Resource,
  steps: readonly Said[],
  more: Partial<Row["then"]> & { given?: Given; at?: number; notFor?: NotFor; sample?: true } = {},
): Row {
  const { given: scene = {}, at, notFor, sample, ...then } = more;
  return {
    title,
    given: { made: { a: both }, ...scene },
    when: { preview: { a }, ...(at !== undefined && { at }) },
    then: { steps, ...then },
    ...(notFor !== undefined && { notFor }),
    ...(sample !== undefined && { sample }),
  };
}

const CREW = "acme:index:Crew";
const TEAM = "acme:index:Team";
const named = (parent: string, roleId: string, ...groupIds: string[]) =>
  assignment({ roleId, groupIds }, { parent, name: "a" });
const REPLACED = ["replace a: roleId", "delete replaced a"];
const PLUGIN: NotFor = {
  "the classes of /plugin": "its engine has the URN, and needs no text",
  YAML: "its engine has the URN, and needs no text",
};
const withoutText: Happening = ({ engine }) => void delete engine.resource("a").outputs["__provider"];

export const DIFF: readonly Row[] = [
  preview("the same groups in another order, or twice: none", viewers(BILLING, ADMINS, BILLING), []),
  preview("what is the default anyway: none", inputs({ exclusive: false }), []),
  preview("null counts as not given: none", inputs({ until: null, deleteOnDestroy: null }), []),
  preview("groups that aren't known yet: an update", inputs({ groupIds: UNKNOWN }), ["update a: groupIds"], {
    lines: [line(`groups not known yet; − ${BILLING}, ${ADMINS}, unless the program still lists them`)],
  }),
  preview("exclusive: an update", exactly(ADMINS, BILLING), ["update a: exclusive"], {
    requests: [listed],
    lines: [takes("no other group")],
  }),
  preview(
    "an end that has passed: an update, which says who loses the role",
    inputs({ until: DAY }),
    ["update a: groupIds, until"],
    { at: AFTER, lines: ends(BILLING, ADMINS) },
  ),
  preview("another role: replaced", inputs({ roleId: AGENT }), REPLACED, {
    lines: [
      `a: role ${AGENT}: + ${BILLING}, ${ADMINS}`,
      line(`− ${BILLING}, ${ADMINS}, once what it replaces is deleted`),
    ],
    sample: true,
  }),
  preview(
    "… and deleted first, where the program says so",
    inputs({ roleId: AGENT }, { deleteBeforeReplace: true }),
    [...REPLACED].reverse(),
    {
      lines: [
        `a: role ${AGENT}: + ${BILLING}, ${ADMINS}`,
        line(`− ${BILLING}, ${ADMINS}, once what it replaces is deleted`),
      ],
    },
  ),
  preview("a role that isn't known yet: replaced", inputs({ roleId: UNKNOWN }), REPLACED, {
    lines: [line(`− ${BILLING}, ${ADMINS}, once what it replaces is deleted`)],
  }),
  ...(["groupIds", "*"] as const).map((name) =>
    preview(
      `replaceOnChanges ${name}: replaced, although a change of groups alone would update`,
      { ...viewers(ADMINS, SUPPORT), replaceOnChanges: [name] },
      ["replace a: groupIds", "delete replaced a"],
      { lines: unlessListed(line(`+ ${SUPPORT}; − ${BILLING}`)) },
    ),
  ),
  preview(
    "replaceOnChanges of another input: an update",
    { ...viewers(ADMINS, SUPPORT), replaceOnChanges: ["exclusive"] },
    ["update a: groupIds"],
    { lines: unlessListed(line(`+ ${SUPPORT}; − ${BILLING}`)) },
  ),
  preview("ignoreChanges: none", { ...viewers(SUPPORT), ignoreChanges: ["groupIds"] }, []),
  preview(
    "exclusive, and its groups become secret: that update, too, takes the role from others",
    inputs({ groupIds: secret([ADMINS, BILLING]), exclusive: true }),
    [/^update a: /],
    {
      given: {
        made: { a: exactly(ADMINS, BILLING) },
        since: given(SUPPORT),
      },
      requests: [listed],
      lines: [takes(`1 group that others gave it to: ${SUPPORT}`)],
    },
  ),
  preview(
    "a list that is known in part: an update, which may take the rest away",
    viewers(ADMINS, UNKNOWN),
    ["update a: groupIds"],
    {
      lines: [line(`groups not known yet; − ${BILLING}, unless the program still lists them`)],
    },
  ),
  preview(
    "exclusive with fewer groups: an update, which names its own losers apart",
    exactly(ADMINS),
    ["update a: exclusive, groupIds"],
    {
      requests: [listed],
      lines: [...unlessListed(line(`− ${BILLING}`)), takes("no other group")],
    },
  ),
  preview(
    "another role, which is exclusive: replaced, and it asks whom that one takes it from, once",
    assignment({ roleId: AGENT, groupIds: [ADMINS], exclusive: true }),
    ["replace a: exclusive, groupIds, roleId", "delete replaced a"],
    {
      requests: [listed.replace(VIEWER, AGENT)],
      lines: [
        `a: role ${AGENT}: + ${ADMINS}`,
        line(`− ${BILLING}, ${ADMINS}, once what it replaces is deleted`),
        `a: role ${AGENT}: exclusive, takes the role from 1 group that others gave it to: ${SUPPORT}`,
      ],
    },
  ),
  {
    title: "groups of another one that aren't known yet may be what this one leaves",
    given: { made: { a: both } },
    when: { preview: { a: viewers(ADMINS), b: viewers(UNKNOWN) } },
    then: {
      steps: ["update a: groupIds", "create b"],
      lines: [line(`− ${BILLING}, unless the program still lists them`), line("groups not known yet", "b")],
    },
  },
  {
    title: "exclusive, it takes over a group of another one that is removed: nobody else loses the role",
    given: { made: { a: viewers(ADMINS), b: viewers(BILLING) } },
    when: { preview: { a: exactly(ADMINS, BILLING) } },
    then: {
      steps: ["update a: exclusive, groupIds", "delete b"],
      requests: [listed],
      lines: [grants(BILLING), takes("no other group")],
    },
  },
  {
    title: "two of one name, under components of different types: both say what becomes of them",
    given: { made: { first: named(CREW, VIEWER, ADMINS, BILLING), second: named(TEAM, AGENT, ADMINS) } },
    when: { preview: { first: named(CREW, VIEWER, ADMINS), second: named(TEAM, AGENT, ADMINS, BILLING) } },
    then: {
      steps: ["update first: groupIds", "update second: groupIds"],
      lines: [...unlessListed(line(`− ${BILLING}`)), `a: role ${AGENT}: + ${BILLING}`],
    },
  },
  {
    title: "… and a new one is not taken for the replacement of the other, and is counted",
    given: { made: { a: both }, config: { "identity:maxRevocations": "1" } },
    when: {
      preview: {
        a: viewers(ADMINS),
        fresh: assignment(
          { roleId: AGENT, groupIds: [ADMINS], exclusive: true },
          { parent: CREW, name: "a" },
        ),
      },
    },
    then: {
      errors: [/would revoke at least 2 /],
      requests: [listed.replace(VIEWER, AGENT)],
      lines: [
        ...unlessListed(line(`− ${BILLING}`)),
        `a: role ${AGENT}: + ${ADMINS}`,
        `a: role ${AGENT}: exclusive, takes the role from 1 group that others gave it to: ${SUPPORT}`,
      ],
    },
    notFor: { YAML: "without a listing, the first loss isn't certain, and the preview counts one" },
  },
  preview(
    "state that the plugin wrote, which lacks the text of the classes: an update",
    both,
    ["update a: "],
    { given: { made: { a: both }, since: withoutText }, notFor: PLUGIN },
  ),
];
