/** What a URN says: `urn:pulumi:prod::access::acme:index:Team$identity:index:ConnectionProfile::support`. */
export interface Urn {
  project: string;
  stack: string;
  /** `identity:index:ConnectionProfile`, without the types of parents. */
  type: string;
  /** It may hold colons. */
  name: string;
}

export function parseUrn(urn: string): Urn {
  const [, stack = "", project = "", types = "", name = ""] =
    /^urn:pulumi:(.*?)::(.*?)::(.*?)::(.*)$/s.exec(urn) ?? [];
  return { project, stack, type: types.split("$").at(-1) ?? "", name };
}
