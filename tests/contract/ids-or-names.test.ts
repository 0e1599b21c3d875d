import { FOUND_NAMES } from "../../provider/pulumi/hidden-inputs";
import { type SeedInput } from "../../simulator";
import { ADMINS, BILLING, DEFAULT_SEED, VIEWER } from "../../simulator/default-seed";
import { assignment, later, organizationAssignment, profile, removal, secret } from "../../testkit/engine";
import { json } from "../../testkit/tenant";
import { type Row, table, WITHOUT_LISTING } from "./table";
import { line } from "./words";

/*
 * The document has no pattern for ids of roles, profiles and credentials, so a name may stand in their place.
 * What creates the resource says so, once; nothing else does.
 */

const NAME = "support-agent";
const NOT_AN_ID = `doesn't look like an id of this service`;
const doubt = (id: string) =>
  `roleId "${id}" ${NOT_AN_ID} (rol_…). If it is a name, look the id up: getRole({ name: "${id}" }).`;
const role = (roleId: unknown, ...groupIds: string[]) => assignment({ roleId, groupIds });

/** A tenant whose ids of roles have no prefix. */
const NUMBERED: SeedInput = { roles: [...(DEFAULT_SEED.roles ?? []), { id: "7" }] };
const sent = (method: string, ...groups: string[]) => `${method} /roles/7/groups ${json({ groups })} 204`;

table("a role", [
  {
    title: "a name in place of the id: the preview says so, and behind the 404 it stands again",
    when: { up: { a: role(NAME, ADMINS) } },
    then: {
      preview: "the same",
      errors: [
        new RegExp(
          `^a: POST /roles/${NAME}/groups answered 404.* The RoleGroupAssignment refers to something that is not on the ` +
            `tenant [^ ]+ \\(any more\\)\\. ${doubt(NAME).replace(/[()]/g, "\\$&")}$`,
        ),
      ],
      requests: [/^POST .* 404$/, /^GET .* 404$/, "GET /roles 200"],
      lines: [`a: role ${NAME}: + ${ADMINS}`, `a: ${doubt(NAME)}`],
    },
  },
  {
    title: "an id without a prefix does its work; a change of its groups doesn't say it again",
    given: { tenant: NUMBERED },
    when: { up: { a: role("7", ADMINS) } },
    then: {
      requests: [sent("POST", ADMINS)],
      lines: [`a: role 7: + ${ADMINS}`, `a: ${doubt("7")}`],
    },
    next: {
      when: { up: { a: role("7", ADMINS, BILLING) } },
      then: { requests: [sent("POST", BILLING)], lines: [`a: role 7: + ${BILLING}`] },
    },
  },
  {
    title: "a replacement by one says it once",
    given: { tenant: NUMBERED, made: { a: role(VIEWER, ADMINS) } },
    when: { preview: { a: role("7", ADMINS) } },
    then: {
      steps: ["replace a: roleId", "delete replaced a"],
      lines: [
        `a: role 7: + ${ADMINS}`,
        line(`− ${ADMINS}, once what it replaces is deleted`),
        `a: ${doubt("7")}`,
      ],
    },
  },
  {
    title: "a secret one stays out of the line",
    when: { preview: { a: role(secret(NAME), ADMINS) } },
    then: {
      steps: ["create a"],
      lines: [
        `a: role [secret]: + ${ADMINS}`,
        `a: roleId ${NOT_AN_ID} (rol_…). If it is a name, look the id up: getRole({ name: "…" }).`,
      ],
    },
  },
  {
    title: "one that the program has found by its name is an id",
    when: { preview: { a: assignment({ roleId: "7", groupIds: [ADMINS], [FOUND_NAMES]: { "7": NAME } }) } },
    then: { steps: ["create a"], lines: [`a: role 7: + ${ADMINS}`, `a: 7 is "${NAME}"`] },
    notFor: { YAML: "it brings no names along with a resource" },
  },
  {
    title: "what no id can be is refused, with the call that finds it",
    when: { preview: { a: role("support agent", ADMINS) } },
    then: {
      errors: [
        "a: roleId: must be the id of a role: 1 to 128 letters, digits or _ . : ~ @ | -. getRole finds it by its name; " +
          'received "support agent".',
      ],
    },
  },
]);

const ACME = "org_5vJmTq8XbRz3kWcY";
const inAcme = (organizationId: unknown) =>
  organizationAssignment({ organizationId, roleId: NAME, groupIds: [ADMINS] });
const doubtIn = (organization: string) =>
  `a: ${doubt(NAME).replace('" })', `", organization: "${organization}" })`)}`;

table("a role in an organization", [
  {
    title: "the call looks among the organization's roles, too",
    when: { preview: { a: inAcme(ACME) } },
    then: { steps: ["create a"], lines: [`a: role ${NAME} in ${ACME}: + ${ADMINS}`, doubtIn(ACME)] },
  },
  {
    title: "an organization that isn't known yet",
    when: { preview: { a: inAcme(later(ACME)) } },
    then: { steps: ["create a"], lines: [doubtIn("…")] },
  },
]);

table(
  "a profile and a credential",
  [
    {
      title: "adopt, with a profile's name",
      when: { up: { p: profile({ name: "partners", adopt: "partners" }) } },
      then: {
        errors: [/^p: .*GET \/connection-profiles\/partners answered 404/],
        requests: [/^GET .* 404$/, "GET /connection-profiles 200"],
        lines: [
          `p: adopt "partners" ${NOT_AN_ID} (cop_…). If it is a name, look the id up: ` +
            'getConnectionProfiles({ name: "partners" }).',
        ],
      },
    },
    {
      title: "adopt, with an id that has no prefix; without the argument afterwards there is no line",
      given: { tenant: { connection_profiles: [{ id: "a:b", name: "theirs" }] } },
      when: { up: { p: profile({ name: "theirs", adopt: "a:b" }) } },
      then: {
        requests: Array<string>(2).fill("GET /connection-profiles/a%3Ab 200"),
        lines: [
          'p: adopts connection profile a:b, named "theirs": it stays as it is',
          `p: adopt "a:b" ${NOT_AN_ID} (cop_…). If it is a name, look the id up: ` +
            'getConnectionProfiles({ name: "a:b" }).',
        ],
      },
      next: { when: { up: { p: profile({ name: "theirs" }) } }, then: { steps: [] } },
    },
    {
      title: "a removal of what may be a device's name, which isn't there",
      when: { up: { a: removal("ada-phone") } },
      then: {
        requests: ["DELETE /device-credentials/ada-phone 404"],
        lines: [
          "a: permanently removes device credential ada-phone",
          `a: deviceCredentialId "ada-phone" ${NOT_AN_ID} (dcr_…). If it is a name, look the id up: ` +
            'getDeviceCredentials({ userId: "…" }).',
          new RegExp(
            `so nothing was removed\\. Check the id: .* deviceCredentialId "ada-phone" ${NOT_AN_ID}`,
          ),
        ],
      },
    },
  ] satisfies Row[],
  WITHOUT_LISTING,
);
