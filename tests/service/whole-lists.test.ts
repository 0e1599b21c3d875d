import { type IdentityClient } from "../../provider/http/client";
import { IncompleteListError } from "../../provider/http/errors";
import { connectionProfiles } from "../../provider/service/connection-profiles";
import { listDeviceCredentials } from "../../provider/service/device-credentials";
import { listGroups, readGroupRoles } from "../../provider/service/groups";
import {
  listOrganizationGroups,
  listOrganizations,
  listUserOrganizations,
  readMemberRoles,
  readMemberSourceGroups,
  readOrganizationGroupRoles,
  readOrganizationRoleGroups,
} from "../../provider/service/organizations";
import {
  listRoles,
  readEffectiveRoles,
  readRoleGroups,
  readSourceGroups,
} from "../../provider/service/roles";
import { listUserPermissions } from "../../provider/service/users";
import { type BehaviourInput, type SeedInput, type Simulator } from "../../simulator";
import { closeAll, readablePart, startTenant } from "../../testkit/client";

/* For every list, and tenants that page like real ones: it's either whole or an error. */

let simulator: Simulator;
let client: IdentityClient;
beforeAll(async () => {
  ({ client, simulator } = await startTenant());
});
afterAll(closeAll);

const USER = "auth0|1";
const ROLE = "rol_0";
const ORGANIZATION = "org_1111";
const numbered = (index: number) => String(index + 1111).replaceAll("0", "Z");
const ids = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => prefix + numbered(i));

/** A tenant in which each list has this many entries. */
function crowd(count: number, behaviour: BehaviourInput): SeedInput {
  const groups = ids("grp_AAAAAAAAAAAA", count);
  const [group = ""] = groups;
  // Assigning gives a group at most 10 roles; a seed may give it more.
  const roles = [ROLE, ...ids("rol_", count)].slice(0, count);
  const held = roles.map((id) => ({ id, groups: id === ROLE ? groups : [group] }));
  return {
    behaviour,
    groups: groups.map((id) => ({ id, name: `group ${id}` })),
    roles: held.map((role) => ({ ...role, name: `role ${role.id}` })),
    organizations: ids("org_", count).map((id) => ({
      id,
      name: id,
      members: [USER],
      ...(id === ORGANIZATION && { groups, roles: held }),
    })),
    connection_profiles: ids("cop_AAAAAAAAAAAAAAAAAA", count).map((id) => ({ id, name: id })),
    users: [
      {
        user_id: USER,
        roles,
        groups,
        permissions: ids("read:", count).map((permission_name) => ({
          resource_server_identifier: "https://api.example.com",
          permission_name,
        })),
      },
    ],
    device_credentials: ids("dcr_AAAAAAAAAAAA", count).map((id) => ({
      id,
      type: "refresh_token",
      user_id: USER,
    })),
  };
}

const MEMBER = { organization: ORGANIZATION, user: USER };

const LISTS: Record<string, (client: IdentityClient) => Promise<object[]>> = {
  "numbered: roles": (client) => listRoles(client),
  "numbered: permissions": (client) => listUserPermissions(client, USER),
  "numbered: organizations of a user": (client) => listUserOrganizations(client, USER),
  "numbered: device credentials": (client) => listDeviceCredentials(client, USER, "refresh_token"),
  "cursor: groups": (client) => listGroups(client, {}),
  "cursor: groups of a role": (client) => readRoleGroups(client, ROLE),
  "cursor: roles of a group": (client) => readGroupRoles(client, ids("grp_AAAAAAAAAAAA", 1)[0]!),
  "cursor: connection profiles": (client) => connectionProfiles(client).list(),
  "cursor: effective roles": (client) => readEffectiveRoles(client, USER),
  "cursor: groups behind a role": (client) => readSourceGroups(client, USER, ROLE),
  "cursor: organizations": (client) => listOrganizations(client),
  "cursor: groups in an organization": (client) => listOrganizationGroups(client, ORGANIZATION),
  "cursor: groups of a role there": (client) =>
    readOrganizationRoleGroups(client, { organization: ORGANIZATION, role: ROLE }),
  "cursor: roles of a group there": (client) =>
    readOrganizationGroupRoles(client, ORGANIZATION, ids("grp_AAAAAAAAAAAA", 1)[0]!),
  "cursor: roles of a member there": (client) => readMemberRoles(client, MEMBER),
  "cursor: groups behind one there": (client) => readMemberSourceGroups(client, MEMBER, ROLE),
};

interface Case {
  behaviour: BehaviourInput;
  /** The lists with this paging. */
  of?: "numbered" | "cursor";
  /** Entries of the list. Default: 120. */
  count?: number;
  /** The readable entries, if the list is an error. */
  part?: number;
  /** Requests for it, except for profiles, which are 10 to a page. Default: not checked. */
  requests?: number;
}

const CASES: Record<string, Case> = {
  "as documented": { behaviour: {}, requests: 2 },
  "as documented, of one page": { behaviour: {}, count: 10, requests: 1 },
  "as documented, of a full page": { behaviour: {}, count: 100, requests: 1 },
  "empty, as documented": { behaviour: {}, count: 0, requests: 1 },
  "empty, without its envelope": { behaviour: { empty_lists: "plain" }, count: 0, requests: 1 },
  "50 on a page": { behaviour: { max_page_size: 50 }, requests: 3 },
  "7 on a page": { behaviour: { max_page_size: 7 } },
  "a cursor in place of page numbers": {
    behaviour: { numbered_lists: "cursor" },
    of: "numbered",
    requests: 2,
  },
  "the same, 50 on a page": { behaviour: { numbered_lists: "cursor", max_page_size: 50 }, requests: 3 },
  "total: 0 on later pages": { behaviour: { totals: "first_page" }, of: "numbered", requests: 2 },
  "plain arrays": { behaviour: { totals: "none" }, of: "numbered", requests: 3 },
  "plain arrays of 50": { behaviour: { totals: "none", max_page_size: 50 }, of: "numbered", requests: 4 },
  "plain arrays, of one page": { behaviour: { totals: "none" }, of: "numbered", count: 10, requests: 2 },
  "a limit behind its end": { behaviour: { max_numbered_entries: 200 }, of: "numbered", requests: 2 },
  "a limit within": { behaviour: { max_numbered_entries: 100 }, of: "numbered", part: 100 },
  "a limit within, and plain arrays": {
    behaviour: { max_numbered_entries: 100, totals: "none" },
    of: "numbered",
    part: 100,
  },
  "a total, and page numbers": {
    behaviour: { cursor_lists: "numbers", max_page_size: 50 },
    of: "cursor",
    requests: 3,
  },
  "a total, and no way on": {
    behaviour: { cursor_lists: "total", max_page_size: 50 },
    of: "cursor",
    part: 50,
  },
};

describe.each(Object.entries(LISTS))("%s", (name, read) => {
  const cases = Object.entries(CASES).filter(([, { of }]) => of === undefined || name.startsWith(of));
  const isProfiles = name.endsWith("profiles");

  test.each(cases)("%s", async (_, { behaviour, count = 120, part, requests }) => {
    // A user without roles, and a role that doesn't exist, have no lists.
    const seed = crowd(count, behaviour);
    if (count === 0) {
      seed.roles = [{ id: ROLE }];
      seed.groups = ids("grp_AAAAAAAAAAAA", 1).map((id) => ({ id }));
      const inOrganization = name.includes("roles of a group") ? seed.groups.map(({ id }) => id) : [];
      const members = name.includes("user") ? [] : [USER];
      seed.organizations = [{ id: ORGANIZATION, name: "empty", groups: inOrganization, members }];
      if (name === "cursor: organizations") seed.organizations = [];
      if (name === "numbered: roles") seed.roles = [];
      if (name === "cursor: groups") seed.groups = [];
    }
    simulator.seed(seed);
    simulator.reset();
    const { items, incomplete } = await readablePart(read(client));
    expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
    const size = isProfiles && part !== undefined ? 10 : (part ?? count);
    expect([items.length, incomplete?.constructor]).toEqual([
      size,
      part === undefined ? undefined : IncompleteListError,
    ]);
    if (requests !== undefined && !isProfiles)
      expect(simulator.log().filter((line) => line.startsWith("GET "))).toHaveLength(requests);
  });
});
