import { type Edge, edgeKey, sortedEdges } from "../../provider/access/edge";

const [role, group] = ["rol_1", "grp_1"];
const edge: Edge = { role, holder: { group } };

test("a group's edge is written as the ledger and the file of the hosts have it", () => {
  expect(edgeKey(edge)).toBe("rol_1 grp_1");
  expect(edgeKey({ ...edge, tenant: "tenant.example.com" })).toBe("tenant.example.com rol_1 grp_1");
});

test("each part counts, also where an id holds what separates them", () => {
  const edges: Edge[] = [
    edge,
    { ...edge, tenant: "localhost:3000" },
    { ...edge, organization: "org_1" },
    { ...edge, tenant: "localhost:3000", organization: "org_1" },
    { role, holder: { user: group } },
    { role, holder: { group: "user:grp_1" } },
    { role: "rol_1 grp_1", holder: { group } },
    { tenant: role, role: group, holder: { group } },
    { role, holder: { group: "grp_1 grp_1" } },
    { role, holder: { group: "grp_1%20grp_1" } },
    { role: "organization:org_1", holder: { group } },
  ];
  expect(new Set(edges.map(edgeKey)).size).toBe(edges.length);
});

test("edges are sorted by tenant, role and holder, with unknown tenants last, and each is there once", () => {
  const [a, b] = ["a.example.com", "a.example.com.au"].map((tenant) => ({ ...edge, tenant }));
  const second = { ...edge, holder: { group: "grp_2" } };
  const sorted = [a!, { ...second, tenant: "a.example.com" }, b!, edge, second];
  expect(sortedEdges([...sorted, ...sorted].reverse())).toEqual(sorted);
});
