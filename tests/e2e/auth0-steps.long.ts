import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { AGENT, DEFAULT_SEED, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { useSimulator } from "../../testkit/simulator";
import { Stack, succeeded } from "../../testkit/stack";

/*
 * The engine's previews of programs with `@pulumi/auth0`. Its plugin can't be installed here, so a small one
 * takes its place: the steps' shape is the engine's. tests/cli/review/auth0.test.ts has a preview by the
 * provider's own plugin.
 */

const CAROL = "auth0|carol";

const simulator = useSimulator({
  // The other plugin writes nothing: what it would have written is there.
  seed: {
    ...DEFAULT_SEED,
    users: [{ user_id: CAROL, roles: [AGENT, "rol_byHand", "rol_support"] }],
    roles: [
      ...(DEFAULT_SEED.roles ?? []),
      { id: "rol_byHand", name: "by-hand" },
      { id: "rol_support", name: "new" },
    ],
  },
});
let stack: Stack;

beforeAll(async () => {
  stack = await Stack.create({ env: { AUTH0_FOUND: "rol_byHand" } });
  const providers = [{ name: "auth0", path: resolve(__dirname, "auth0") }];
  const runtime = { name: "nodejs", options: { typescript: false } };
  writeFileSync(
    join(stack.folder, "Pulumi.yaml"),
    JSON.stringify({ name: "test", main: "index.js", runtime, plugins: { providers } }),
  );
  await stack.configure(simulator);
  await stack.config("auth0:domain", simulator.url);
});
afterAll(() => stack.remove());

const HEAD = `
  const pulumi = require("@pulumi/pulumi");
  const { RoleGroupAssignment } = require("pulumi-identity");
  const auth0 = (type, name, inputs, options) =>
    new (class extends pulumi.CustomResource {
      constructor() { super("auth0:index/" + type, name, inputs, options); }
    })();
  const permission = (name) => ({ name, resourceServerIdentifier: "https://api.example.com" });
`;
test("what a program with both packages does to access, from the first preview to a rule that it breaks", async () => {
  stack.write(`${HEAD}
    const role = auth0("role:Role", "support", { name: "support-agent" });
    const roles = auth0("userRoles:UserRoles", "carol", { userId: "${CAROL}", roles: ["${AGENT}", role.id] });
    auth0("rolePermissions:RolePermissions", "may", { roleId: role.id, permissions: [permission("read:tickets")] });
    new RoleGroupAssignment("desk", { roleId: role.id, groupIds: ["${SUPPORT}"] });`);
  const first = await stack.review({ args: ["--no-read", "--format", "text"] });
  expect(first.all).toMatch(new RegExp(`${AGENT} +➕ gains +auth0\\|carol`));
  expect(first.all).toContain("the new role support-agent can now read:tickets");
  expect(first.all).toContain("gains the new role support-agent");
  expect(first.all).toContain("the id of the new role support-agent is known only when the change is made");
  succeeded(await stack.up());

  // State has what the list found on the tenant, and the next update takes it.
  stack.write(`${HEAD}
    const role = auth0("role:Role", "support", { name: "support-agent" });
    const roles = auth0("userRoles:UserRoles", "carol", { userId: "${CAROL}", roles: ["${AGENT}"] });
    auth0("userRole:UserRole", "viewer", { userId: "${CAROL}", roleId: "${VIEWER}" });
    auth0("rolePermissions:RolePermissions", "may", { roleId: role.id, permissions: [permission("delete:tickets")] });
    new RoleGroupAssignment("desk", { roleId: role.id, groupIds: ["${SUPPORT}"] });`);
  const rules = join(stack.folder, "rules.yaml");
  writeFileSync(rules, `conflicts:\n  - [${AGENT}, ${VIEWER}]\n`);
  const json = join(stack.home, "review.json");
  const second = await stack.review({
    args: ["--rules", "rules.yaml", "--fail-on", "rules", "--json", json, "--format", "text"],
  });
  expect(second.all).toContain("Breaks a rule:");
  expect(second.all).toMatch(/rol_byHand +➖ loses +auth0\|carol/);
  expect(second.all).toContain("can now delete:tickets");
  expect(second.all).toContain("can no longer read:tickets");
  expect(second.code).toBe(3);

  // Everything that it had goes at the end, and the role with everybody who has it.
  const last = await stack.review({ args: ["--destroy", "--format", "text"] });
  expect(last.all).toMatch(new RegExp(`${AGENT} +➖ loses +auth0\\|carol`));
  expect(last.all).toMatch(/everybody loses new rol_support, which is deleted/);
});
