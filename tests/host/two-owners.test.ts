import { Engine, failed, profile, removal } from "../../testkit/engine";
import { useTenant } from "../../testkit/tenant";

/* Two resources that want one thing are refused in the preview, with both names. */

const tenant = useTenant();
const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const PHONE = "dcr_6XnTb4kWq9ZpHs2V";

test.each([
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
