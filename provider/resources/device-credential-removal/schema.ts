import * as z from "../../zod";
import { DEVICE_CREDENTIAL_ID } from "../../service/ids";

export const schema = z.strictObject({ deviceCredentialId: DEVICE_CREDENTIAL_ID });

export type RemovalInputs = z.infer<typeof schema>;
