import { Tenant } from "../host/tenant";
import {
  GROUP_ADMINS as ADMINS,
  GROUP_BILLING as BILLING,
  ROLE_ID as AGENT,
} from "../../simulator/default-seed";
import { review } from "./review/review";
import { environmentOf, Stack } from "./stack";

/* docs/pulumi.md on options that Pulumi has added recently. */

const tenant = new Tenant();
let stack: Stack;

beforeAll(async () => {
  await tenant.open();
  stack = await Stack.create({
    env: environmentOf(tenant),
  });
});
afterAll(async () => {
  stack.remove();
  await tenant.close();
});
afterEach(() => stack.destroy());

const write = (...lines: string[]) =>
  stack.write(
    ['const { ConnectionProfile, RoleGroupAssignment } = require("pulumi-identity");', ...lines].join("\n"),
  );

test("hideDiffs hides nothing from the lines of a preview and from its review", async () => {
  const program = (groups: string[]) =>
    `new RoleGroupAssignment("a", { roleId: "${AGENT}", groupIds: ${JSON.stringify(groups)} }, { hideDiffs: ["groupIds"] });`;
  tenant.seed({ roles: [{ id: AGENT, name: "agent" }] });
  write(program([ADMINS]));
  expect((await stack.up()).code).toBe(0);
  write(program([BILLING]));
  const { stdout } = await stack.preview({ json: true });
  expect(stdout).toContain(`a: role ${AGENT}: + ${BILLING}; − ${ADMINS}`);
  const { stdout: text } = await review([stdout]);
  expect(text).toContain(BILLING);
  expect(text).toContain(ADMINS);
});

test("what is deletedWith something that is replaced stays on the tenant, and the review says so", async () => {
  const program = (round: string) => [
    `const first = new ConnectionProfile("first", { name: "first-${round}" }, { replacementTrigger: "${round}" });`,
    `new ConnectionProfile("second", { name: "second-${round}" }, { deletedWith: first });`,
  ];
  tenant.seed({ connection_profiles: [] });
  write(...program("1"));
  expect((await stack.up()).code).toBe(0);
  write(...program("2"));
  const { stdout } = await stack.preview({ json: true });
  const { stdout: text } = await review([stdout]);
  expect(text).toMatch(/second.* stays, because of `deletedWith`; no resource manages it any more/);
  tenant.sent();
  const { code, all } = await stack.up();
  if (code !== 0) throw new Error(all);
  expect(tenant.sent().filter((line) => line.startsWith("DELETE"))).toHaveLength(1);
  const names = tenant.simulator.state().connection_profiles.map(({ name }) => name);
  expect(names.sort()).toEqual(["first-2", "second-1", "second-2"]);
});
