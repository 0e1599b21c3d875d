import { UNKNOWN_VALUE } from "../../provider/seen";
import { runtime } from "@pulumi/pulumi";
import {
  isReservedKey,
  isReservedText,
  SECRET_SIGNATURE,
  SIGNATURE_KEY,
} from "../../provider/review/raw-inputs";

test("the texts are those of the SDK", () => {
  expect(UNKNOWN_VALUE).toBe(runtime.unknownValue);
  expect(SIGNATURE_KEY).toBe(runtime.specialSigKey);
  expect(SECRET_SIGNATURE).toBe(runtime.specialSecretSig);
});

test("what Pulumi takes for something else is reserved, and what only looks like it is not", () => {
  expect([UNKNOWN_VALUE, "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"].every(isReservedText)).toBe(true);
  expect([`${UNKNOWN_VALUE} `, UNKNOWN_VALUE.toUpperCase(), SIGNATURE_KEY].some(isReservedText)).toBe(false);
  expect([SIGNATURE_KEY, "__proto__", "__pulumiOutput", "__"].every(isReservedKey)).toBe(true);
  expect(["_", "a__", "constructor", UNKNOWN_VALUE].some(isReservedKey)).toBe(false);
});
