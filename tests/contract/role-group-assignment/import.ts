import { ADMINS, BILLING, VIEWER } from "../../../simulator/default-seed";
import { listed, unassigned, viewers } from "../../../testkit/assignments";
import { assignment, type Resource } from "../../../testkit/engine";
import { given, type NotFor, refreshed, type Row } from "../table";
import { grants } from "../words";

/*
 * What is known by its id alone: an `import` takes it over, and a `get` reads it. The engine sends both
 * alike, and doesn't say which of them it is.
 */

const DYNAMIC: NotFor = { "the classes": "Pulumi can't import resources of dynamic providers" };
const STATE_OF_GET: NotFor = {
  "the classes of /plugin": "a get of the plugin has no state: the engine reads it anew each time",
  YAML: "a get of the plugin has no state: the engine reads it anew each time",
};

const imported = (resource: Resource, id = VIEWER): Resource => ({ ...resource, import: id });
const read = (id = VIEWER) => assignment({}, { get: id });
const both = [BILLING, ADMINS];
const KEYS = ["exclusive", "groupIds", "roleId", "tenant"];

export const IMPORT: readonly Row[] = [
  {
    title: "the groups of the role become those of the resource, and nothing is sent",
    given: { foreign: both },
    when: { up: { a: imported(viewers(ADMINS, BILLING)) } },
    then: {
      steps: ["import a"],
      preview: "the same",
      requests: [listed],
      // With `__readOnly`, a refresh would take all groups of the role for its own.
      outputs: { a: ["__name", "__provider", ...KEYS].sort() },
    },
    notFor: DYNAMIC,
    sample: true,
  },
  {
    title: "then, groups that somebody else gives the role are no drift, and a destroy leaves it to them",
    given: { foreign: [ADMINS], made: { a: imported(viewers(ADMINS)) }, since: given(BILLING) },
    when: { refresh: {} },
    then: { steps: [], requests: [listed] },
    next: {
      when: { destroy: {} },
      then: { requests: [unassigned(ADMINS)], lines: [`role ${VIEWER}: − ${ADMINS}`], groups: [BILLING] },
    },
    notFor: DYNAMIC,
  },
  {
    title: "a role without groups is refused",
    when: { up: { a: imported(viewers(ADMINS)) } },
    then: {
      errors: [
        /^a: RoleGroupAssignment "rol_\w+" can neither be imported nor read by get as it is: groupIds: must name at least one group/,
      ],
      requests: [listed],
    },
    notFor: DYNAMIC,
  },
  ...["import", "get"].flatMap((how) => {
    const resource = (id: string) => (how === "get" ? read(id) : imported(viewers(ADMINS), id));
    const notFor = how === "get" ? {} : DYNAMIC;
    return [
      {
        title: `${how}: a role that is not there is refused`,
        when: { up: { a: resource("rol_none") } },
        then: {
          errors: [/^a: RoleGroupAssignment "rol_none" does not exist on the tenant [\d.:]+\. Check the id/],
          requests: [/^GET .* 404$/, "GET /roles 200"],
        },
        notFor,
      },
      {
        title: `${how}: the id of a group is refused, before anything is sent`,
        when: { up: { a: resource(ADMINS) } },
        then: { errors: [/^a: RoleGroupAssignment(\.get)?: id: must/] },
        notFor,
      },
    ];
  }),

  {
    title: "get: reads all groups of the role",
    given: { foreign: both },
    when: { up: { a: read() } },
    then: {
      steps: ["read a"],
      requests: [listed],
      state: { a: { roleId: VIEWER, groupIds: both, exclusive: false } },
      left: ["read a"],
    },
  },
  {
    title: "get: a refresh reads all of them again",
    given: { foreign: [ADMINS], made: { a: read() }, since: given(BILLING) },
    when: { refresh: {} },
    then: { requests: [listed], state: { a: both } },
    notFor: STATE_OF_GET,
  },
  {
    title: "get: a destroy takes the role from nobody",
    given: { foreign: both, made: { a: read() } },
    when: { destroy: {} },
    then: {},
  },
  {
    title: "get: once declared, it lists its groups alone",
    given: { foreign: both, made: { a: read() }, since: refreshed },
    when: { up: { a: viewers(ADMINS) } },
    then: { requests: [/./], lines: [grants(ADMINS)], groups: [BILLING, ADMINS] },
  },
];
