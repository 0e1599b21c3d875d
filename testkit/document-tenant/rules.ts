import { BrokenRule } from "./answers";
import { type Choices } from "./choices";
import { type Fields } from "./contents";

export function readInteger(query: URLSearchParams, name: string, from: number, to = Infinity) {
  const text = query.get(name);
  if (text === null) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (number >= from && number <= to) return number;
  throw new BrokenRule(`${name} must be an integer from ${from}${to < Infinity ? ` to ${to}` : ""}.`);
}

export function readBoolean(query: URLSearchParams, name: string) {
  const text = query.get(name);
  if (text === null) return undefined;
  if (text === "true" || text === "false") return text === "true";
  throw new BrokenRule(`${name} must be true or false.`);
}

/** Unknown names are an open choice. That a parameter comes twice is an invalid query string (7). */
export function checkParameters(query: URLSearchParams, known: readonly string[], choices: Choices) {
  for (const name of query.keys()) {
    if (known.includes(name) && query.getAll(name).length > 1) throw new BrokenRule(`${name} comes twice.`);
    if (choices.unknownParameters === "refused" && !known.includes(name))
      throw new BrokenRule(`Query string: unknown parameter ${name}.`);
  }
}

export const JSON_TYPE = "application/json";
export const FORM_TYPE = "application/x-www-form-urlencoded";

/** Returns the fields of a body of one of the content types, or of none where an operation takes no body. */
export function readBody(type: string, body: string, types: readonly string[]): Fields {
  if (types.length === 0) {
    if (body === "") return {};
    throw new BrokenRule("This operation takes no body.");
  }
  if (!types.includes(type)) throw new BrokenRule(`Content-Type must be ${types.join(" or ")}.`);
  if (type === FORM_TYPE) return readForm(body);
  try {
    const fields: unknown = JSON.parse(body);
    if (isObject(fields)) return fields;
  } catch {
    // As below.
  }
  throw new BrokenRule("The body must be a JSON object.");
}

/** How a form spells an array is not shown: `groups=…&groups=…` and `groups[]=…` are both common. */
function readForm(body: string): Fields {
  const form = new URLSearchParams(body);
  return Object.fromEntries(
    [...form.keys()].map((name) => [name.replace(/\[\d*\]$/, ""), form.getAll(name)]),
  );
}

const GROUP_ID = /^grp_[1-9a-km-zA-HJ-NP-Z]{14,22}$/;

/** 4.3: at least one group ID. */
export function readGroups(body: Fields, choices: Choices): string[] {
  checkNames(body, ["groups"], choices);
  const { groups } = body;
  if (!Array.isArray(groups) || groups.length === 0)
    throw new BrokenRule("groups must be a non-empty array.");
  return groups.map((group: unknown) => {
    if (typeof group === "string" && GROUP_ID.test(group)) return group;
    throw new BrokenRule(`groups: ${JSON.stringify(group)} is not a group ID.`);
  });
}

/** Returns the fields to change (4.4). */
export function readProfile(body: Fields, choices: Choices): Fields {
  // 2.4: "Present in responses; not sent in the update body."
  if ("id" in body) throw new BrokenRule("id can't be updated.");
  checkNames(body, Object.keys(PROFILE_RULES), choices);
  const known = Object.entries(body).filter(([name, value]) => {
    const rule = Object.hasOwn(PROFILE_RULES, name) ? PROFILE_RULES[name] : undefined;
    if (rule === undefined) return choices.unknownFields === "kept";
    const clears = value === null && name !== "name" && choices.nullFields === "cleared";
    if (!clears && !rule(value, choices)) throw new BrokenRule(`${name} is invalid.`);
    return true;
  });
  return Object.fromEntries(known);
}

const TEMPLATE = /^(?!-)(?!.*--)(?:[a-zA-Z0-9-]|{org_id}|{org_name})*$/;

/** 2.4 and 8. */
const PROFILE_RULES: Record<string, (value: unknown, choices: Choices) => boolean> = {
  name: (value) => typeof value === "string" && value !== "" && [...value].length <= 50,
  organization: isObject,
  connection_name_prefix_template: (value) =>
    typeof value === "string" && value.length <= 15 && TEMPLATE.test(value),
  enabled_features: areFeatures,
  connection_config: isObject,
  strategy_overrides: (value, choices) => isObject(value) && Object.values(value).every(isOverride(choices)),
};

/** 2.4: four of the keys have no shown spelling, so any key may be one. */
function isOverride(choices: Choices) {
  return (value: unknown): boolean => {
    if (!isObject(value)) return false;
    checkNames(value, ["enabled_features", "connection_config"], choices);
    const { enabled_features = [], connection_config = {} } = value;
    return areFeatures(enabled_features) && isObject(connection_config);
  };
}

function areFeatures(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => one === "scim" || one === "universal_logout");
}

function checkNames(body: Fields, known: readonly string[], choices: Choices) {
  const unknown = Object.keys(body).filter((name) => !known.includes(name));
  if (choices.unknownFields === "refused" && unknown.length > 0)
    throw new BrokenRule(`Unknown fields: ${unknown.join(", ")}.`);
}

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
