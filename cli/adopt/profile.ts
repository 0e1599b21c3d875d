import { kindOf } from "../../provider/kinds";
import { problemsOf } from "../../provider/pulumi/input-problems";
import { isReservedKey, isReservedText, pathText } from "../../provider/review/raw-inputs";
import { adoptionOf, plan } from "../../provider/resources/connection-profile/plan";
import { normalize } from "../../provider/resources/connection-profile/values";
import { schema } from "../../provider/resources/connection-profile/schema";
import { memberAt, otherFields, settingsFromWire } from "../../provider/service/profile-fields";
import { type ProfileRecord } from "../../provider/service/connection-profiles";
import { isEmpty, isObject, type JsonObject } from "../../provider/service/record";

/** The class of a declared profile. */
export const PROFILE = kindOf("profiles");

interface Draft {
  /** Undefined if no program can declare it, because its name can't be written. */
  settings: JsonObject | undefined;
  /** Settings that the program leaves as they are on the tenant, with reasons. */
  leftOut: string[];
  /** True if `pulumi import`, which takes all settings, can take the profile. */
  isImportable: boolean;
}

/**
 * Returns the settings that a program can hold so that adopting the profile changes nothing. A setting with a
 * value that no program can write is left out whole, and stays as it is. `isSecret` knows the client's
 * credentials.
 */
export function draftOf(record: ProfileRecord, isSecret: (text: string) => boolean): Draft {
  const live = settingsFromWire(record);
  const draft = new Writable(isSecret);
  const settings = draft.settingsOf(live);
  const others = otherFields(record).map((name) => `${name}: is no input of ${PROFILE}.`);
  const leftOut = [...draft.leftOut, ...others];
  return {
    settings: Object.hasOwn(settings, "name") ? settings : undefined,
    leftOut,
    isImportable: draft.leftOut.length === 0,
  };
}

const SECRET_NAME = /token|secret|passw|passphrase|credential|private_?key|api_?key/i;

const HALF_OF_PAIR = /\p{Cs}/u;

type Path = readonly PropertyKey[];

class Writable {
  readonly leftOut: string[] = [];

  constructor(private readonly isSecret: (text: string) => boolean) {}

  settingsOf(live: JsonObject): JsonObject {
    const writable = Object.entries(live).filter(([name, value]) => {
      const blemishes = this.#blemishes(name, value, [name]);
      this.leftOut.push(...blemishes);
      return blemishes.length === 0;
    });
    if (live["name"] === undefined) this.leftOut.push("name: is empty.");
    const ordered = Object.entries(inOrder(Object.fromEntries(writable)) as JsonObject);
    let settings = normalize(Object.fromEntries(ordered.filter(([, value]) => !isEmpty(value))));
    for (;;) {
      const [issue] = schema.safeParse(settings).error?.issues ?? [];
      // A profile without a name can't be declared anyway.
      if (issue === undefined || !Object.hasOwn(settings, "name")) break;
      const [problem = `${pathText(issue.path)}: ${issue.message}.`] = problemsOf(schema, settings, []);
      this.leftOut.push(problem);
      settings = without(settings, String(issue.path[0]));
    }
    // Drop settings that the resource would still send. There should never be any.
    for (const name of Object.keys(plan(adoptionOf(live, settings)).settings)) {
      this.leftOut.push(`${name}: would be changed by its adoption.`);
      settings = without(settings, name);
    }
    return settings;
  }

  /** Returns the parts of a value that can't be written, with reasons. */
  #blemishes(key: string, value: unknown, path: Path): string[] {
    if (value === null) return [];
    // `provisioning.scim.tokens` has rules for tokens, no token itself.
    const isKnown = memberAt(path.map(String)) !== undefined;
    // The SDK calls this method of each input when it registers a resource.
    if (key === "toString" && path.length === 2)
      return [`${pathText(path)}: has a key that Pulumi's SDK can't take.`];
    const blemish =
      (isKnown ? undefined : this.#blemishOfKey(key, value)) ??
      (isObject(value) ? undefined : this.#blemish(value));
    if (blemish !== undefined) return [`${pathText(path)}: ${blemish}.`];
    if (!isObject(value)) return [];
    return Object.entries(value).flatMap(([inner, child]) => this.#blemishes(inner, child, [...path, inner]));
  }

  /** Returns why a value can't be written exactly. Lists are written whole, or not at all. */
  #blemish(value: unknown): string | undefined {
    if (typeof value === "string") return this.#blemishOfText(value);
    if (typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)))
      return "is a number that state can't hold";
    if (!Array.isArray(value) && !isObject(value)) return undefined;
    const blemishes = Array.isArray(value)
      ? value.map((item) => this.#blemish(item))
      : Object.entries(value).map(([key, child]) =>
          child === null
            ? "holds null, which counts as not set"
            : (this.#blemishOfKey(key, child) ?? this.#blemish(child)),
        );
    return blemishes.find((blemish) => blemish !== undefined);
  }

  #blemishOfKey(key: string, value: unknown): string | undefined {
    if (isReservedKey(key)) return "has a key that Pulumi keeps to itself";
    if (SECRET_NAME.test(key) && typeof value !== "boolean" && typeof value !== "number")
      return "looks like a secret; to manage it, give it as a secret of the configuration";
    return this.#blemishOfText(key);
  }

  #blemishOfText(text: string): string | undefined {
    if (isReservedText(text)) return "is a text that Pulumi takes for an unknown value";
    if (HALF_OF_PAIR.test(text)) return "holds half of a character";
    return this.isSecret(text) ? "holds a credential of this client" : undefined;
  }
}

function without(settings: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => key !== name));
}

/** Drops nulls, which mean "not set", and sorts the keys. Lists stay as they are. */
function inOrder(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([, child]) => child !== null)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, child]) => [key, inOrder(child)]));
}
