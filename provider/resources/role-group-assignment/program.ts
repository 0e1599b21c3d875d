import { InvalidInputError } from "../../http/errors";
import { FOUND_NAMES } from "../../pulumi/hidden-inputs";
import { foundNames } from "../../pulumi/program/found-names";
import { isMocked } from "../../pulumi/program/program-run";
import { type Declaration, type ResourceType } from "../../pulumi/program/registration";
import type * as pulumi from "@pulumi/pulumi";
import { DECLARED_ASSIGNMENTS } from "./declared";
import { ASSIGNMENT_SETS, LISTING } from "./listing";

/** Common to the classes of all assignments. */
export const ASSIGNMENT_TYPE: Omit<ResourceType<pulumi.CustomResource>, "name" | "properties"> = {
  sets: () => ASSIGNMENT_SETS,
  importAdvice: "Remove the import option: creating the resource takes over what is already there.",
  sends: (declaration) => {
    refuseLate(declaration);
    const declared = isMocked() ? undefined : DECLARED_ASSIGNMENTS.recall();
    if (declared === undefined) return {};
    const { props, opts } = declaration;
    const adding = declared.add(declaration);
    // Promises, since Outputs would put the dependencies of other assignments on this one.
    return {
      [LISTING]: adding.then((role) => declared.listingInATurn(role, opts.deleteBeforeReplace)),
      // A program that fails says so once.
      [FOUND_NAMES]: adding.then(({ tenant }) => namesOf(tenant, props)).catch(() => undefined),
    };
  },
};

function namesOf(tenant: unknown, { organizationId, roleId, groupIds }: pulumi.Inputs) {
  return foundNames(tenant, { organizationId, roleId, groupIds });
}

/** Previews need `until` before other resources resolve. */
function refuseLate({ type, name, props: { until } }: Declaration): void {
  if (until === undefined || until === null || typeof until === "string") return;
  const kind = type.slice(type.lastIndexOf(":") + 1);
  throw new InvalidInputError(
    `${kind} "${name}": until must be plain text, not an Output or a promise: previews need it before other resources resolve.`,
  );
}
