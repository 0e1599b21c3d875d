import { type Call } from "../../../provider/http/call";
import { type IdentityClient } from "../../../provider/http/client";
import { hashOf } from "../../../provider/pulumi/hosts-file";
import { type CreateRequest, PartialFailure } from "../../../provider/pulumi/resource-kind";
import { Run } from "../../../provider/pulumi/run";
import { apply } from "../../../provider/resources/role-group-assignment/apply";
import { Assignment } from "../../../provider/resources/role-group-assignment/assignment";
import { roleOf } from "../../../provider/resources/role-group-assignment/roles-of-run";
import { type AssignmentInputs } from "../../../provider/resources/role-group-assignment/schema";

/* What only another assignment's check in the middle of a change shows. tests/contract has the rest. */

const AT = { role: "rol_1" };
const [LEAVING, NEW] = ["grp_leaving", "grp_new"];

test("a group that another assignment no longer lists counts for the limit before it's revoked", async () => {
  const run = new Run(
    { domain: "tenant.example.com", accessToken: "given", maxRevocations: "0" },
    { from: "stack" },
  );
  const { elsewhere } = roleOf(run, AT);
  const listing = { role: hashOf(AT.role), listed: [LEAVING].map(hashOf), isComplete: true };
  elsewhere.add(listing, { listed: new Assignment({ groupIds: [NEW] }), isOver: false, replaced: undefined });
  const sent: string[] = [];
  const client = {
    tenant: "tenant.example.com",
    send: ({ method }: Call<unknown>) => {
      sent.push(method);
      // Meanwhile the assignment that lists the group is checked, and has ended.
      elsewhere.add(listing, {
        listed: new Assignment({ groupIds: [LEAVING] }),
        isOver: true,
        replaced: undefined,
      });
      return Promise.resolve();
    },
  } as unknown as IdentityClient;
  const request = {
    run,
    client,
    inputs: { roleId: AT.role, groupIds: [NEW], exclusive: false },
    tell: () => undefined,
    requestRevocation: (by, acts) => run.revocations.request(by, acts),
  } as CreateRequest<AssignmentInputs>;

  const failure: unknown = await apply(request, { groups: [LEAVING], unconfirmed: [] }).catch(
    (error: unknown) => error,
  );

  expect(sent).toEqual(["POST"]);
  expect(failure).toBeInstanceOf(PartialFailure);
  expect((failure as PartialFailure<AssignmentInputs>).observed.inputs.groupIds).toEqual([LEAVING, NEW]);
  expect(String((failure as PartialFailure<AssignmentInputs>).cause)).toMatch(
    /role rol_1 was not changed: this run would revoke at least 1 grant/,
  );
});
