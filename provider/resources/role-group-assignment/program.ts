import { InvalidInputError } from "../../http/errors";
import { isMocked } from "../../pulumi/program/program-run";
import { type Declaration, type ResourceType } from "../../pulumi/program/registration";
import type * as pulumi from "@pulumi/pulumi";
import { DECLARED_ASSIGNMENTS, type DeclaredAssignments } from "./declared";
import { ASSIGNMENT_SETS, LISTING } from "./listing";

/** Common to the classes of all assignments. */
export const ASSIGNMENT_TYPE: Omit<ResourceType<pulumi.CustomResource>, "name" | "properties"> = {
  sets: () => ASSIGNMENT_SETS,
  importAdvice: "Remove the import option: creating the resource takes over what is already there.",
  sends: (declaration) => {
    refuseLate(declaration);
    const declared = isMocked() ? undefined : DECLARED_ASSIGNMENTS.recall();
    // A promise, since an Output would put the dependencies of other assignments on this one.
    return declared === undefined ? {} : { [LISTING]: listingOf(declared, declaration) };
  },
};

async function listingOf(declared: DeclaredAssignments, declaration: Declaration): Promise<string> {
  const role = await declared.add(declaration);
  return declared.listingInATurn(role, declaration.opts.deleteBeforeReplace);
}

/** Previews need `until` before other resources resolve. */
function refuseLate({ type, name, props: { until } }: Declaration): void {
  if (until === undefined || until === null || typeof until === "string") return;
  const kind = type.slice(type.lastIndexOf(":") + 1);
  throw new InvalidInputError(
    `${kind} "${name}": until must be plain text, not an Output or a promise: previews need it before other resources resolve.`,
  );
}
