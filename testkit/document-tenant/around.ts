import { BrokenRule } from "./answers";
import { type Choices } from "./choices";
import { type Contents } from "./contents";
import { missingIn, profileBody } from "./documented";
import { type Call, type Operation } from "./messages";
import { JSON_TYPE, readBoolean, readGroups, readInteger, readProfile } from "./rules";

/** Operations that only section 5 hints at, by their scopes. Their shapes are the real service's. */
export function operationsAround(choices: Choices, contents: Contents): Operation[] {
  const missing = missingIn(choices);
  const operation = (
    route: `${string} /${string}`,
    scope: string,
    answer: Operation["answer"],
    bodyTypes: string[] = [],
  ): Operation => {
    const [method = "", path = ""] = route.split(" ");
    return { method, path, scopes: [scope], bodyTypes, brokenRule: 400, answer };
  };
  const profile = (id: string) =>
    profileBody(id, contents.profiles.get(id) ?? missing("connection profile", id), choices);
  const role = (id: string) => contents.roles.get(id) ?? missing("role", id);
  const roleBody = (id: string) => ({ id, name: role(id).name, description: role(id).description });
  const groupBody = (id: string) => ({
    id,
    name: contents.groups.get(id)?.name ?? "",
    external_id: `external-${id.slice(-4)}`,
    connection_id: "con_1",
  });

  return [
    operation("GET /connection-profiles", "read:connection_profiles", (call) => {
      const { items, next } = byCursor(call, [...contents.profiles.keys()], 5, 10);
      return { status: 200, body: { connection_profiles: items.map(profile), ...next } };
    }),
    operation(
      "POST /connection-profiles",
      "create:connection_profiles",
      ({ body }) => {
        if (!("name" in body)) throw new BrokenRule("name is required.");
        const fields = readProfile(body, choices);
        const id = contents.newProfileId();
        contents.profiles.set(
          id,
          Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
        );
        return { status: 201, body: profile(id) };
      },
      [JSON_TYPE],
    ),
    operation("GET /connection-profiles/{id}", "read:connection_profiles", ({ id }) => {
      return { status: 200, body: profile(id) };
    }),
    operation("DELETE /connection-profiles/{id}", "delete:connection_profiles", ({ id }) => {
      if (!contents.profiles.delete(id)) missing("connection profile", id);
      return { status: 204 };
    }),
    operation("GET /roles/{id}/groups", "read:group_roles", (call) => {
      const { items, next } = byCursor(call, role(call.id).groups, 50);
      return { status: 200, body: { groups: items.map(groupBody), ...next } };
    }),
    operation(
      "DELETE /roles/{id}/groups",
      "delete:group_roles",
      ({ id, body }) => {
        const gone = readGroups(body, choices);
        role(id).groups = role(id).groups.filter((group) => !gone.includes(group));
        return { status: 204 };
      },
      [JSON_TYPE],
    ),
    operation("GET /device-credentials", "read:device_credentials", ({ query }) => {
      const wanted = ["user_id", "type"] as const;
      const credentials = [...contents.credentials]
        .map(([id, credential]) => ({ id, ...credential }))
        .filter((one) => wanted.every((name) => !query.has(name) || query.get(name) === one[name]));
      // Without `type` paging is ignored.
      const page = query.has("type") ? query : new URLSearchParams();
      return { status: 200, body: byPage(page, "device_credentials", credentials) };
    }),
    operation("GET /roles", "read:roles", ({ query }) => {
      const part = (query.get("name_filter") ?? "").toLowerCase();
      const roles = [...contents.roles.keys()].map(roleBody);
      return {
        status: 200,
        body: byPage(
          query,
          "roles",
          roles.filter(({ name }) => name.toLowerCase().includes(part)),
        ),
      };
    }),
    operation("GET /roles/{id}", "read:roles", ({ id }) => ({ status: 200, body: roleBody(id) })),
    operation("GET /groups", "read:groups", (call) => {
      const wanted = ["name", "connection_id", "external_id"] as const;
      const groups = [...contents.groups.keys()]
        .map(groupBody)
        .filter((one) => wanted.every((name) => (call.query.get(name) ?? one[name]) === one[name]))
        .filter(({ name }) => name.includes(call.query.get("search") ?? ""));
      const { items, next } = byCursor(call, groups, 50);
      return { status: 200, body: { groups: items, ...next } };
    }),
  ];
}

function byCursor<T>({ query }: Call, all: readonly T[], usual: number, most = Infinity) {
  const take = readInteger(query, "take", 1, most) ?? usual;
  const from = readInteger(query, "from", 0) ?? 0;
  const next = from + take < all.length ? { next: String(from + take) } : {};
  return { items: all.slice(from, from + take), next };
}

function byPage(query: URLSearchParams, name: string, all: readonly unknown[]): unknown {
  const limit = readInteger(query, "per_page", 1, 100) ?? 50;
  const start = (readInteger(query, "page", 0) ?? 0) * limit;
  const items = all.slice(start, start + limit);
  return readBoolean(query, "include_totals") ? { start, limit, total: all.length, [name]: items } : items;
}
