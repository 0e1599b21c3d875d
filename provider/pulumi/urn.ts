/** What a URN says: `urn:pulumi:prod::access::acme:index:Team$identity:index:ConnectionProfile::support`. */
export interface Urn {
  project: string;
  stack: string;
  /** `identity:index:ConnectionProfile`, without the types of parents. */
  type: string;
  /** It may hold colons. */
  name: string;
}

/** Empty texts for what is no URN. */
export function parseUrn(urn: string): Urn {
  const [, stack = "", project = "", types = ""] = /^urn:pulumi:(.*?)::(.*?)::(.*?)::/s.exec(urn) ?? [];
  return { project, stack, type: types.split("$").at(-1) ?? "", name: urnName(urn) };
}

/** `project/stack`; undefined for what is no URN. */
export function urnStack(urn: string): string | undefined {
  const [, stack, project] = /^urn:pulumi:(.*?)::(.*?)::/.exec(urn) ?? [];
  return stack === undefined || project === undefined ? undefined : `${project}/${stack}`;
}

/** The last part of the URN, in which names may hold colons themselves. */
export function urnName(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/**
 * True for the names that Pulumi gives to the providers it makes itself, where the program names none:
 * `default`, `default_0_1_0`, or by where the plugin was from, as `default_github_//api.github.com/acme`.
 */
export function isDefaultName(name: string): boolean {
  return /^default(_\d.*|_.*\/\/.*)?$/s.test(name);
}
