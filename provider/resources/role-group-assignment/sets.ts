import { type SetPath } from "../../pulumi/sets";

/** For the class too, which must not load the schema. */
export const ASSIGNMENT_SETS: readonly SetPath[] = [["groupIds"]];
