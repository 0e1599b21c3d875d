import { type IdentityClient } from "../../provider/http/client";
import { readMembers } from "../../provider/service/groups";
import { type Simulator } from "../../simulator";
import { BILLING, DEFAULT_SEED, SUPPORT } from "../../simulator/default-seed";
import { closeAll, startTenant } from "../../testkit/client";

/* Who a group's members are: people, groups within it, or something that nobody can tell. */

let simulator: Simulator;
let client: IdentityClient;
beforeAll(async () => {
  ({ client, simulator } = await startTenant({ seed: DEFAULT_SEED }));
});
afterAll(closeAll);

const NESTED = BILLING;
const PERSON = "auth0|64c1f0a2b7d83e5f9a1b2c3d";

test.each([
  // A kind in any case.
  [{ id: PERSON, member_type: "user" }, "person"],
  [{ id: "custom-id", member_type: "USER" }, "person"],
  [{ id: NESTED, member_type: "group" }, "group"],
  // `type` is the kind of the group that has the member, and tells nothing of the member.
  [{ id: PERSON, type: "group" }, "person"],
  [{ id: NESTED, type: "connection" }, "group"],
  // Without a kind, the shape of the id.
  [{ id: PERSON }, "person"],
  [{ id: NESTED }, "group"],
  [{ id: "grp_a|b" }, "group"],
  [{ id: "org_1|b" }, "other"],
  [{ id: "64c1f0a2b7d83e5f9a1b2c3d" }, "other"],
  // Anything else may be a group of people.
  [{ id: NESTED, member_type: "directory_group" }, "other"],
  [{ id: PERSON, member_type: "users" }, "other"],
  [{ id: PERSON, member_type: "" }, "other"],
])("%j is a %s", async (member, kind) => {
  const path = `/api/v2/groups/${SUPPORT}/members*`;
  simulator.fail({ path, action: { status: 200, body: { members: [member] } } });
  expect(await readMembers(client, SUPPORT, 10)).toEqual({
    people: kind === "person" ? [member.id] : [],
    groups: kind === "group" ? 1 : 0,
    others: kind === "other" ? 1 : 0,
    isMore: false,
  });
});
