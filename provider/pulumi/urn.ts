/**
 * The parts of a URN: `urn:pulumi:prod::access::acme:index:Team$identity:index:ConnectionProfile::support`.
 */
export interface Urn {
  project: string;
  stack: string;
  /** `identity:index:ConnectionProfile`, without the types of parents. */
  type: string;
  /** `acme:index:Team`, joined by `$` if there are several; empty without parents. */
  parentTypes: string;
  /** It may contain colons. */
  name: string;
}

/** Empty texts if it isn't a URN. */
export function parseUrn(urn: string): Urn {
  const [, stack = "", project = "", types = ""] = /^urn:pulumi:(.*?)::(.*?)::(.*?)::/s.exec(urn) ?? [];
  const parts = types.split("$");
  const type = parts.at(-1) ?? "";
  return { project, stack, type, parentTypes: parts.slice(0, -1).join("$"), name: urnName(urn) };
}

/** `project/stack`; undefined if it isn't a URN. */
export function urnStack(urn: string): string | undefined {
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(urn) ?? [];
  return stack === undefined || project === undefined ? undefined : `${project}/${stack}`;
}

/** The last part of the URN; names may contain colons themselves. */
export function urnName(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** True for the names that Pulumi makes up when a program asks whether a resource exists. */
export function isExistsName(name: string): boolean {
  return /^__exists__\d+$/.test(name);
}

/**
 * True for the names of providers that Pulumi creates itself if the program names none: `default`,
 * `default_0_1_0`, or by the plugin's origin, such as `default_github_//api.github.com/acme`.
 */
export function isDefaultName(name: string): boolean {
  return /^default(_\d.*|_.*\/\/.*)?$/s.test(name);
}
