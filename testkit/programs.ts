import { ADMINS, VIEWER } from "../simulator/default-seed";
import { assignment, type Program, profile, removal } from "./engine";

export const profiles = (count: number): Program =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, profile({ name: `profile ${i}` })]));

/** Each kind of resource once. */
export const oneOfEach: Program = {
  profile: profile({ name: "enterprise", enabledFeatures: ["scim"] }),
  role: assignment({ roleId: VIEWER, groupIds: [ADMINS] }),
  lost: removal("dcr_6XnTb4kWq9ZpHs2V"),
};
