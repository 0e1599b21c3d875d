import { DeviceCredentialRemoval } from "pulumi-identity";

// Each line was a pull request: who lost what is in its history. Removing a line later changes nothing on the
// tenant.
const lost = {
  "phone-of-support-one": "dcr_6XnTb4kWq9ZpHs2V",
};

export const removed = Object.entries(lost).map(
  ([device, deviceCredentialId]) =>
    new DeviceCredentialRemoval(device, { deviceCredentialId }).deviceCredentialId,
);
