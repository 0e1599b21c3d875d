import {
  CONNECTION_PROFILE_ID,
  DEVICE_CREDENTIAL_ID,
  doubtOfId,
  GROUP_ID,
  idOrAdvice,
  ORGANIZATION_ID,
  ROLE_ID,
  USER_ID,
} from "../../provider/service/ids";
import { UNUSUAL_IDS } from "../../testkit/unusual-ids";

/** Texts that a stranger could give as an id; none may be accepted. */
const HOSTILE_IDS: [what: string, of: (real: string) => string][] = [
  ["a line break", (real) => `${real}\n`],
  ["a control character", (real) => `${real}\u001b[2J`],
  ["a CI command", () => "::add-mask::x"],
  ["HTML", () => "<script>alert(1)</script>"],
  ["a path", (real) => `${real}/../../users`],
  ["an escaped slash", (real) => `${real}%2f`],
  ["a hidden character", (real) => `${real}\u200b`],
  ["another script", (real) => real.replace("_", "_а")],
  ["5,000 characters", (real) => real.padEnd(5_000, "x")],
  ["another kind of object", () => "org_2GjRf8mYd5LcVt7K"],
  ["the URN of a resource", () => "urn:pulumi:prod::access::my:Role::support"],
  ["this folder", () => "."],
  ["the folder above", () => ".."],
  ["nothing", () => ""],
];

const fits = (rule: { safeParse: (id: unknown) => { success: boolean } }) => (id: unknown) =>
  rule.safeParse(id).success;

describe.each([
  ["profile", CONNECTION_PROFILE_ID, "cop_2GjRf8mYd5LcVt7K9sPmZa"],
  ["role", ROLE_ID, "rol_4hNkVx8QmTz2bRcW"],
  ["device credential", DEVICE_CREDENTIAL_ID, "dcr_6XnTb4kWq9ZpHs2V"],
  ["group", GROUP_ID, "grp_7TqWc2nYx5RkHbVd9sPmZa"],
])("the id of a %s", (_object, rule, real) => {
  test("has the documented shape", () => expect(fits(rule)(real)).toBe(true));

  test.each(HOSTILE_IDS)("is not %s", (_what, of) => expect(fits(rule)(of(real))).toBe(false));
});

describe.each([
  ["profile", CONNECTION_PROFILE_ID],
  ["role", ROLE_ID],
  ["device credential", DEVICE_CREDENTIAL_ID],
])("the document has no pattern for the id of a %s", (_object, rule) => {
  test.each([...UNUSUAL_IDS, "a", "x".repeat(128), "a::b", "..."])("so it may be %s", (id) =>
    expect(fits(rule)(id)).toBe(true),
  );

  test.each(["x".repeat(129), "a/b", "a b", "a,b", "a;b", "a%b", "a+b", "é", 7, null])("but not %j", (id) =>
    expect(fits(rule)(id)).toBe(false),
  );
});

test.each([
  ["64 characters", `org_${"x".repeat(64)}`, true],
  ["65 characters", `org_${"x".repeat(65)}`, false],
  ["nothing", "org_", false],
  ["capitals in the prefix", "ORG_1", false],
])("an organization, which the document doesn't know, keeps its prefix: %s", (_what, id, expected) => {
  expect(fits(ORGANIZATION_ID)(id)).toBe(expected);
});

test.each([
  [
    GROUP_ID,
    "rol_4hNkVx8QmTz2bRcW",
    "must be the id of a group, and not of a role: perhaps two ids are swapped",
  ],
  [
    ROLE_ID,
    "grp_7TqWc2nYx5RkHbVd9sPmZa",
    "must be the id of a role, and not of a group: perhaps two ids are swapped",
  ],
  [
    ROLE_ID,
    "urn:pulumi:prod::access::auth0:index/role:Role::support",
    "must be the id of a role, and not the URN of a resource: give the resource's id",
  ],
  [ROLE_ID, "two words", "must be the id of a role: 1 to 128 letters, digits or _ . : ~ @ | -"],
  [
    ORGANIZATION_ID,
    "acme",
    "must be the id of an organization: org_ and 1 to 64 letters, digits, hyphens or underscores",
  ],
])("an id of another kind is called so: %#", (rule, id, message) => {
  expect(rule.safeParse(id).error?.issues[0]?.message).toBe(message);
});

describe("a text in the place of an id", () => {
  const role = {
    input: "roleId",
    prefix: "rol_",
    find: (name: string) => `getRole({ name: ${name} })`,
  } as const;

  test.each(["rol_4hNkVx8QmTz2bRcW", "rol_1", "rol_a.b"])("is no doubt with the usual prefix: %s", (id) =>
    expect(doubtOfId(role, id, false)).toBeUndefined(),
  );

  test.each([...UNUSUAL_IDS, "support-agent", "rol_", "Rol_1"])("may be a name: %s", (id) =>
    expect(doubtOfId(role, id, false)).toBe(
      `roleId "${id}" doesn't look like an id of this service (rol_…). If it is a name, look the id up: ` +
        `getRole({ name: "${id}" }).`,
    ),
  );

  test.each([
    ["support agent", true],
    ["", true],
    ["x".repeat(129), true],
    ["grp_7TqWc2nYx5RkHbVd9sPmZa", false],
    ["urn:pulumi:prod::access::my:Role::support", false],
  ])("is refused with advice if it can't be an id: %j", (text, hasAdvice) => {
    const [issue] = idOrAdvice(ROLE_ID, "getRole").safeParse(text).error?.issues ?? [];
    expect(issue?.message.endsWith(". getRole finds it by its name")).toBe(hasAdvice);
  });
});

// Section 2.5: ^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$, 18 to 26 characters.
test.each([
  ["13 characters", "1".repeat(13), false],
  ["14 characters", "1".repeat(14), true],
  ["22 characters", "1".repeat(22), true],
  ["23 characters", "1".repeat(23), false],
  ["a 0", "1".repeat(13) + "0", false],
  ["an l", "1".repeat(13) + "l", false],
  ["an I", "1".repeat(13) + "I", false],
  ["an O", "1".repeat(13) + "O", false],
  ["a hyphen", "1".repeat(13) + "-", false],
  ["nothing", "", false],
])("a group id is checked to the letter: %s", (_what, rest, expected) => {
  expect(fits(GROUP_ID)(`grp_${rest}`)).toBe(expected);
});

test.each([
  ["auth0|64c1f0a2b7d83e5f9a1b2c3d", true],
  ["auth0|a b", true],
  ["samlp|partner/directory|ada@example.com?x#y", true],
  ["waad|Zoë", true],
  ["x".repeat(512), true],
  ["x".repeat(513), false],
  ["auth0|a\nb", false],
  ["auth0|\u001b[2J", false],
  ["auth0|\ud800", false],
  [" auth0|a", false],
  ["..", false],
  ["", false],
])("a user id may be nearly anything: %j", (id, expected) => expect(fits(USER_ID)(id)).toBe(expected));
