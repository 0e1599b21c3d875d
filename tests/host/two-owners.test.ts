import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  OTHER_ROLE_ID as VIEWER,
} from "../../simulator/default-seed";
import { Engine, failed, profile, removal } from "../../testkit/engine";
import { exactly, viewers } from "../../testkit/assignments";
import { useTenant } from "../../testkit/tenant";

/* Two resources that want one thing are refused in the preview, with both names. */

const tenant = useTenant();
const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const PHONE = "dcr_6XnTb4kWq9ZpHs2V";

test.each([
  [
    "one group of one role",
    { first: viewers(ADMINS, BILLING), second: viewers(ADMINS) },
    `RoleGroupAssignment "first" and "second" both list ${ADMINS} for the role ${VIEWER}. ` +
      "Let one of them own it: list the groups in one assignment.",
  ],
  [
    "a role beside an exclusive assignment of it",
    { first: viewers(ADMINS), second: exactly(BILLING) },
    `RoleGroupAssignment "first" and "second" share the role ${VIEWER}, but "second" is exclusive. ` +
      "Let one of them own it: list the groups in one assignment.",
  ],
  [
    "one profile",
    { first: profile({ name: "a", adopt: ID }), second: profile({ name: "b", adopt: ID }) },
    `ConnectionProfile "first" and "second" both manage ${ID}: one of them adopts it. Let one of them manage it.`,
  ],
  [
    "one credential",
    { first: removal(PHONE), second: removal(PHONE) },
    'DeviceCredentialRemoval "first" and "second" both remove one credential: keep one of them.',
  ],
])("%s", async (_what, program, refusal) => {
  tenant.seed({ connection_profiles: [{ id: ID, name: "theirs" }] });
  const { errors } = await failed(new Engine(tenant).preview(program));
  expect(errors).toEqual([`second: ${refusal}`]);
  expect(tenant.sent().filter((line) => !/^(GET|token)/.test(line))).toEqual([]);
});

test("a profile that one resource manages, and another one adopts", async () => {
  const engine = new Engine(tenant);
  await engine.up({ manager: profile({ name: "enterprise" }) });
  const { id } = engine.resource("manager");
  const program = {
    adopter: profile({ name: "ours", adopt: id }),
    manager: profile({ name: "enterprise" }),
  };
  const { errors } = await failed(engine.preview(program));
  expect(errors.join()).toContain(`ConnectionProfile "adopter" and "manager" both manage ${id}`);
});
