/*
 * What Pulumi takes for something else than a plain value, wherever it stands in the inputs of a resource. Files that must do
 * without the SDK know it from here; a test compares it with the SDK.
 */

/** Stands for a value that is not known yet. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** The same for the engine, which has one for each type. */
const UNKNOWNS: ReadonlySet<string> = new Set([
  UNKNOWN,
  "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
  "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
  "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
  "030794c1-ac77-496b-92df-f27374a8bd58",
  "e48ece36-62e2-4504-bad9-02848725956a",
  "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
]);

/** An object with this key is a secret, an output, a resource, or an asset whose file the engine reads. */
export const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";
export const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** Whether a text would not arrive as it is. */
export function isReservedText(text: string): boolean {
  return UNKNOWNS.has(text);
}

/** Whether a key would change what its object means, or get lost. The SDK marks its own objects by `__pulumi…`. */
export function isReservedKey(key: string): boolean {
  return key === SIGNATURE_KEY || key.startsWith("__");
}
