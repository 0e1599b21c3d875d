import * as z from "../../zod";
import { CLIENT_ID, USER_ID } from "../../service/ids";

export const schema = z.strictObject({ userId: USER_ID, clientId: CLIENT_ID.optional() });

export type SignOutInputs = z.infer<typeof schema>;

/** What a sign-out ends, as state names it. */
export const PARTS = ["sessions", "refreshTokens", "deviceCredentials"] as const;
export type SignOutPart = (typeof PARTS)[number];
