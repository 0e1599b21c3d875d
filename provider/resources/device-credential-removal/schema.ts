import * as z from "../../zod";
import { DEVICE_CREDENTIAL_ID, idOrAdvice } from "../../service/ids";

export const schema = z.strictObject({
  deviceCredentialId: idOrAdvice(DEVICE_CREDENTIAL_ID, "getDeviceCredentials", "its user"),
});

export type RemovalInputs = z.infer<typeof schema>;
