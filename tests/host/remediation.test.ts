import {
  GROUP_ADMINS as A,
  GROUP_BILLING as B,
  GROUP_CONTRACTORS as C,
  LAPTOP_CREDENTIAL_ID,
  LOST_PHONE_CREDENTIAL_ID,
  OTHER_ROLE_ID as VIEWER,
} from "../../simulator/default-seed";
import { failed, profile, type Program, removal, type Resource } from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { assigned, viewers } from "../../testkit/assignments";
import { useTenant } from "../../testkit/tenant";
import { ways } from "../../testkit/ways";

/* What `check` got is what is done, although a policy pack can change inputs after it. */

const tenant = useTenant();
catchLines();

const writes = () => tenant.sent().filter((line) => !/^(GET|token)/.test(line));
const remediated = (resource: Resource, remediate: Values): Resource => ({ ...resource, remediate });
const refusal = (name: string, input: string) =>
  `${name}: Nothing was sent: after the provider had checked ${name}, something changed its ${input}, as a policy pack's ` +
  "remediation does. Write the change into the program, or make the policy mandatory.";

describe.each(ways(tenant))("an input that others rely on is not changed after the check: %s", (_, start) => {
  test.each<[string, Program, Program, string]>([
    [
      "a group is taken out, so that nothing seems to change, and another assignment has let go of it",
      { a: viewers(B), b: viewers(A) },
      { a: remediated(viewers(A, B), { groupIds: [B] }) },
      "groupIds",
    ],
    [
      "a profile's name",
      { a: profile({ name: "enterprise" }) },
      { a: remediated(profile({ name: "enterprise" }), { name: "company" }) },
      "name",
    ],
    [
      "a removal's credential",
      { a: removal(LOST_PHONE_CREDENTIAL_ID) },
      { a: remediated(removal(LOST_PHONE_CREDENTIAL_ID), { deviceCredentialId: LAPTOP_CREDENTIAL_ID }) },
      "deviceCredentialId",
    ],
  ])("%s", async (_, there, program, input) => {
    const engine = start();
    await engine.up(there);
    tenant.sent();
    const held = tenant.groupsOf(VIEWER);
    // The preview says it, and so does its review.
    expect((await failed(engine.preview(program))).errors).toEqual([refusal("a", input)]);
    expect((await failed(engine.up(program))).errors).toEqual([refusal("a", input)]);
    expect(writes()).toEqual([]);
    expect(tenant.groupsOf(VIEWER)).toEqual(held);
  });

  test("who has let go of a group on the word of a refused assignment is loud: the group keeps the role", async () => {
    const engine = start();
    await engine.up({ a: viewers(B), b: viewers(A, C) });
    tenant.sent();
    const program = { a: remediated(viewers(A, B), { groupIds: [B] }), b: viewers(C) };
    await failed(engine.up(program, { continueOnError: true }));
    expect(tenant.groupsOf(VIEWER)).toContain(A);
  });

  test("anything else may be changed, and so may the order of groups", async () => {
    const engine = start();
    await engine.up({
      a: remediated(viewers(A, B), { groupIds: [B, A].sort().reverse(), deleteOnDestroy: false }),
      p: remediated(profile({ name: "enterprise", enabledFeatures: ["scim"] }), { enabledFeatures: [] }),
    });
    expect(writes().sort()).toEqual(
      [assigned(A, B), 'POST /connection-profiles {"enabled_features":[],"name":"enterprise"} 201'].sort(),
    );
    expect(engine.resource("a").inputs["deleteOnDestroy"]).toBe(false);
  });
});
