import { parseJson } from "../provider/http/shape";
import { type KindName, kindOfType, KINDS } from "../provider/kinds";
import { type RawInputs, SECRET_SIGNATURE, SIGNATURE_KEY } from "../provider/review/raw-inputs";
import { type Place } from "../provider/sentence";
import { hiddenIn, SECRET_VALUE } from "../provider/seen";
import { endOfUntil } from "../provider/access/until";
import { tenantOf } from "../provider/pulumi/settings";
import { urnName, urnStack } from "../provider/pulumi/urn";
import { isObject, type JsonObject } from "../provider/service/record";
import { CommandError } from "./errors";
import { type Locate, NO_WORKPLACE } from "./places";

export interface StackExport {
  file: string;
  text: string;
}

export interface StackState {
  /** `project/stack`; undefined if the stack has no resources. */
  stack: string | undefined;
  resources: StateResource[];
  /** Resources of `@pulumi/auth0`. */
  auth0: Auth0Resource[];
  pending: PendingCreate[];
  /** Releases of the plugin that the providers of its resources name. */
  pluginVersions: string[];
  /** True if the plugin runs for some of its resources. */
  isOfPlugin: boolean;
}

/** A create of ours whose run ended before the engine heard of its outcome: it may have been done. */
export interface PendingCreate {
  kind: KindName;
  name: string;
  /** The profile's name on the tenant; undefined for other kinds, and if it's secret. */
  profile: string | undefined;
  line: Place | undefined;
}

/** A resource managed by a stack: not only read, and not deleted to be recreated. */
export interface StateResource {
  urn: string;
  kind: KindName;
  name: string;
  id: string;
  /** Host name; undefined if state doesn't have it. */
  tenant: string | undefined;
  /** Its values on the tenant, flat; `[secret]` for encrypted or unreadable ones. */
  outputs: RawInputs;
  /** True if the program keeps part of it secret, encrypted here or not. */
  isSecret: boolean;
  retainOnDelete: boolean;
  /** True if the next run deletes it, because it was replaced. */
  isEnding: boolean;
  /** True if its end is encrypted. */
  hidesEnd: boolean;
  line: Place | undefined;
}

/** A resource of `@pulumi/auth0` that a stack manages. */
export interface Auth0Resource {
  type: string;
  name: string;
  id: string;
  /** Host name; undefined if the state's provider doesn't tell it. */
  tenant: string | undefined;
  /** As they are in state: secrets are objects. */
  outputs: JsonObject;
  line: Place | undefined;
}

/** `usage`: how the user passes a file to the command. */
export function readStackExport(
  { file, text }: StackExport,
  usage: string,
  locate: Locate = NO_WORKPLACE.locate,
): StackState {
  const { resources, pending } = rawState(file, text, usage);
  const managed = resources.filter(
    ({ external, pendingReplacement }) => external !== true && pendingReplacement !== true,
  );
  const tenants = tenantsOfAuth0(resources);
  return {
    stack: urnStack(textOrEmpty(resources[0]?.["urn"])),
    resources: managed.flatMap((resource) => toResource(resource, locate)),
    auth0: managed.flatMap((resource) => toAuth0(resource, tenants, locate)),
    pending: pending.flatMap((operation) => pendingCreate(operation, locate)),
    pluginVersions: resources.flatMap(pluginVersion),
    isOfPlugin: resources.some(({ type }) => type === PLUGIN_PROVIDER),
  };
}

const PLUGIN_PROVIDER = "pulumi:providers:identity";

function pluginVersion({ type, inputs }: JsonObject): string[] {
  const version = type === PLUGIN_PROVIDER && isObject(inputs) ? inputs["version"] : undefined;
  return typeof version === "string" ? [version] : [];
}

function rawState(
  file: string,
  text: string,
  usage: string,
): { resources: JsonObject[]; pending: JsonObject[] } {
  const json = parseJson(text);
  const refuse = (what: string): never => {
    throw new CommandError(
      `${file} ${what}. Write it by: pulumi stack export > state.json. Then: ${usage} state.json.`,
    );
  };
  if (json === undefined) return refuse("is not JSON");
  const { deployment } = isObject(json) ? json : {};
  if (!isObject(deployment)) return refuse("is JSON, but not the output of `pulumi stack export`");
  const { resources, pending_operations: pending } = deployment;
  if (!isListOrAbsent(resources) || !isListOrAbsent(pending))
    return refuse("is no complete output of `pulumi stack export`");
  return { resources: resources ?? [], pending: pending ?? [] };
}

/** A stack without resources has null there. */
function isListOrAbsent(value: unknown): value is JsonObject[] | null | undefined {
  return value === undefined || value === null || (Array.isArray(value) && value.every(isObject));
}

function pendingCreate({ type: operation, resource }: JsonObject, locate: Locate): PendingCreate[] {
  if (operation !== "creating" || !isObject(resource)) return [];
  const kind = kindOfType(textOrEmpty(resource["type"]));
  if (kind === undefined) return [];
  const inputs = isObject(resource["inputs"]) ? resource["inputs"] : {};
  const profile = KINDS[kind].manages === "profiles" ? inputs["name"] : undefined;
  return [
    {
      kind,
      name: urnName(textOrEmpty(resource["urn"])),
      profile: typeof profile === "string" ? profile : undefined,
      line: locate(sourcePositionsOf(resource), textOrEmpty(resource["urn"])),
    },
  ];
}

function toResource(resource: JsonObject, locate: Locate): StateResource[] {
  const { urn, type, id, outputs, retainOnDelete, delete: isEnding } = resource;
  const kind = kindOfType(textOrEmpty(type));
  if (kind === undefined) return [];
  const values = isObject(outputs) ? outputs : {};
  const { tenant } = values;
  return [
    {
      urn: textOrEmpty(urn),
      kind,
      name: urnName(textOrEmpty(urn)),
      id: textOrEmpty(id),
      tenant: typeof tenant === "string" ? tenant : undefined,
      outputs: Object.fromEntries([
        ...LISTS.map((name) => [name, listIn(values[name])] as const),
        ...SWITCHES.map((name) => [name, recordedSwitch(values[name])] as const),
        ["until", recordedUntil(values["until"])] as const,
        ["unfinished", listIn(values["unfinished"] ?? undefined)] as const,
      ]),
      isSecret: LISTS.some((name) => holdsSecret(values[name])),
      hidesEnd: isSecret(values["until"]),
      retainOnDelete: retainOnDelete === true,
      isEnding: isEnding === true,
      line: locate(sourcePositionsOf(resource), textOrEmpty(resource["urn"])),
    },
  ];
}

/** `tenants`: by the reference of a provider. */
function toAuth0(
  resource: JsonObject,
  tenants: ReadonlyMap<string, string | undefined>,
  locate: Locate,
): Auth0Resource[] {
  const { urn, type, id, provider, outputs, delete: isEnding } = resource;
  if (isEnding === true || !textOrEmpty(type).startsWith("auth0:index/")) return [];
  return [
    {
      type: textOrEmpty(type),
      name: urnName(textOrEmpty(urn)),
      id: textOrEmpty(id),
      tenant: tenants.get(textOrEmpty(provider)),
      outputs: isObject(outputs) ? outputs : {},
      line: locate(sourcePositionsOf(resource), textOrEmpty(urn)),
    },
  ];
}

function tenantsOfAuth0(resources: readonly JsonObject[]): Map<string, string | undefined> {
  return new Map(
    resources
      .filter(({ type }) => type === "pulumi:providers:auth0")
      .map(({ urn, id, inputs }) => [
        `${textOrEmpty(urn)}::${textOrEmpty(id)}`,
        isObject(inputs) ? tenantOf({ domain: textOrEmpty(inputs["domain"]) }) : undefined,
      ]),
  );
}

/** The outputs we read. Others may be nested as deep as a stranger likes. */
const LISTS = ["groupIds", "unconfirmed"] as const;
const SWITCHES = ["exclusive", "deleteOnDestroy"] as const;

/** True if some groups of an assignment are encrypted or unreadable. */
export function hidesGroups({ outputs }: StateResource): boolean {
  return LISTS.some((name) => hiddenIn(outputs[name]) !== undefined);
}

/** True if a run couldn't do all that the resource is for. */
export function isUnfinished({ outputs: { unfinished = [] } }: StateResource): boolean {
  return !Array.isArray(unfinished) || unfinished.length > 0;
}

function listIn(value: unknown): unknown {
  const list = revealed(value);
  if (list === undefined) return undefined;
  return Array.isArray(list)
    ? list.map((item: unknown) => {
        const text = revealed(item);
        return typeof text === "string" ? text : SECRET_VALUE;
      })
    : SECRET_VALUE;
}

function recordedSwitch(value: unknown): unknown {
  const shown = revealed(value);
  return shown === undefined || typeof shown === "boolean" ? shown : SECRET_VALUE;
}

/** Ignores anything that isn't an end date, and secrets too: the tenant couldn't know it. */
function recordedUntil(value: unknown): string | undefined {
  return typeof value === "string" && endOfUntil(value) !== undefined ? value : undefined;
}

/** Returns the value of a secret from `pulumi stack export --show-secrets`. */
function revealed(value: unknown): unknown {
  if (!isSecret(value)) return value;
  const { plaintext } = value;
  return (typeof plaintext === "string" ? parseJson(plaintext) : undefined) ?? SECRET_VALUE;
}

function holdsSecret(value: unknown): boolean {
  return isSecret(value) || (Array.isArray(value) && value.some(isSecret));
}

function isSecret(value: unknown): value is JsonObject {
  return isObject(value) && value[SIGNATURE_KEY] === SECRET_SIGNATURE;
}

function textOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Returns the places where a resource was declared, the innermost first; skips unknown forms. */
export function sourcePositionsOf({ stackTrace, sourcePosition }: JsonObject): string[] {
  const frames: unknown[] = Array.isArray(stackTrace) ? stackTrace : [];
  const positions = frames.map((frame) => (isObject(frame) ? frame["sourcePosition"] : undefined));
  return [...positions, sourcePosition].filter((position) => typeof position === "string");
}
