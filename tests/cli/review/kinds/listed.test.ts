import { SECRET_VALUE, UNKNOWN_VALUE } from "../../../../provider/seen";
import { groups, made, step, TENANT } from "../../../../testkit/cli/previews";

const after = (...steps: object[]) => made(steps).after;
const role = (id: string, ...list: object[]) => ({ tenant: TENANT, role: id, groups: list });
const other = { roleId: "rol_2", groupIds: ["grp_z"], exclusive: false };

test("what stays as it is counts, and what is deleted has none", () => {
  const found = after(
    step({ name: "a", op: "same", before: groups("grp_a") }),
    step({ name: "b", before: groups("grp_b"), after: groups("grp_c") }),
    step({ name: "c", id: "rol_2", before: other }),
  );
  expect(found).toEqual([role("rol_1", { id: "grp_a" }, { id: "grp_c" }), role("rol_2")]);
});

test("another role, and the former one", () => {
  const found = after(step({ name: "a", op: "replace", before: groups("grp_a"), after: other }));
  expect(found).toEqual([role("rol_1"), role("rol_2", { id: "grp_z" })]);
});

test("each with its end; what has ended has none", () => {
  const found = after(
    step({ name: "a", after: { ...groups("grp_a"), until: "2099-12-31" } }),
    step({ name: "b", after: { ...groups(), until: "2020-12-31" } }),
  );
  expect(found).toEqual([role("rol_1", { id: "grp_a", until: "2099-12-31" })]);
});

test("what does not show is missing", () => {
  const found = after(
    step({ name: "a", after: { ...groups("grp_a"), groupIds: ["grp_a", UNKNOWN_VALUE, SECRET_VALUE] } }),
    step({ name: "b", after: { ...groups("grp_b"), roleId: UNKNOWN_VALUE } }),
    step({ name: "c", id: "rol_2", before: other, after: { ...other, roleId: SECRET_VALUE } }),
  );
  expect(found).toEqual([role("rol_1", { id: "grp_a" }), role("rol_2", { id: "grp_z" })]);
});

test("what is outside of the targets stays what it was, and what is new there is not made", () => {
  const wanted = { inputs: groups("grp_b"), outputs: groups("grp_b") };
  const found = after(
    step({ name: "a", op: "same", before: groups("grp_a"), after: groups("grp_b"), state: wanted }),
    step({ name: "b", op: "same", after: other, state: { outputs: {} } }),
  );
  expect(found).toEqual([role("rol_1", { id: "grp_a" })]);
});
