import { ROLE_ID } from "../../simulator/default-seed";
import { assignment, type EngineOptions, type Program } from "../engine";
import { Host } from "../host";
import { json, type Line, type Tenant } from "../tenant";
import { groupsUrl } from "./made";

/** Ids of roles that no default seed has. */
export const roleIds = (count: number) => Array.from({ length: count }, (_, i) => `${ROLE_ID}${i}`);

/** Ids of groups, all different, for as many assignments as a burst may have. */
export function groupIds(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `grp_BurstBurst${String(1111 + i).replaceAll("0", "A")}`);
}

/** `count` assignments of one group each, of each role in turn. */
export function burst(roles: readonly string[], count: number): Program {
  const entries = groupIds(count).map((group, i) => {
    const roleId = roles[i % roles.length] as string;
    return [`a${i}`, assignment({ roleId, groupIds: [group] })] as const;
  });
  return Object.fromEntries(entries);
}

/** Loads the roles and the groups of a burst. */
export function seedBurst(tenant: Tenant, roles: readonly string[], count: number): void {
  tenant.seed({
    groups: groupIds(count).map((id) => ({ id })),
    roles: roles.map((id) => ({ id })),
  });
}

/** Holds the token back for so long that the whole burst is under way before anything is sent. */
export function holdBack(tenant: Tenant, delay = 500): void {
  tenant.fail({ path: "/oauth/token*", action: { delay } });
}

export const post = (roleId: string, groups: readonly string[], status = 204): Line =>
  `POST ${groupsUrl(roleId)} ${json({ groups: [...groups].sort() })} ${status}`;

/** The groups that a line names. */
export const groupsIn = (line: Line): string[] => line.match(/grp_\w+/g) ?? [];

/** Hosts that let creates through once so many are there. */
export function together(count: number): Pick<EngineOptions, "startHost"> {
  return {
    async startHost() {
      const host = await Host.warm();
      let arrived = 0;
      let open = () => {};
      const all = new Promise<void>((resolve) => (open = resolve));
      const create: Host["create"] = async (inputs) => {
        if (++arrived === count) open();
        await all;
        return host.create(inputs);
      };
      return new Proxy(host, {
        get(target, name) {
          if (name === "create") return create;
          const value: unknown = Reflect.get(target, name, target);
          return typeof value === "function" ? (value.bind(target) as unknown) : value;
        },
      });
    },
  };
}
