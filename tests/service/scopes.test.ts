import * as pulumi from "@pulumi/pulumi";
import * as entry from "../../provider";
import { allScopesOf, SCOPED, SCOPES, scopesOf } from "../../provider/service/scopes";

test("the table has every resource and data source that the package exports, and no others", () => {
  const exported = Object.entries(entry).flatMap(([name, value]) => {
    const { prototype } = value as { prototype?: unknown };
    const isResource =
      prototype instanceof pulumi.CustomResource && !(prototype instanceof pulumi.ProviderResource);
    return isResource || /^get(?!.*Output$)/.test(name) ? [name] : [];
  });
  expect([...SCOPED].sort()).toEqual(exported.sort());
});

test("what is special is not among the scopes that a data source needs", () => {
  expect(scopesOf(SCOPES.getUser)).toEqual(["read:users"]);
  expect(allScopesOf(SCOPES.getUser)).toEqual(["read:users", "read:current_user", "read:user_idp_tokens"]);
  expect(scopesOf(SCOPES.RoleGroupAssignment)).toEqual([
    "create:group_roles",
    "read:group_roles",
    "delete:group_roles",
  ]);
});
