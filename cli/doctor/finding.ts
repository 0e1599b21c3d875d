/** `unchecked`: it depends on something that is wrong, or can't be known. */
export type Status = "fine" | "warning" | "wrong" | "unchecked";

/** One line of the report. */
export interface Finding {
  /** Stable: `group.subject`, such as `connection.tls` or `scopes.getUser`. */
  id: `${GroupName}.${string}`;
  status: Status;
  /** What was found. */
  says: string;
  /** What to do about it; nothing where it is fine. */
  do?: string;
  /** Of a setting: where its value is from. */
  source?: "environment" | "stack";
}

/** In the order in which they depend on each other. */
export const FINDING_GROUPS = ["program", "settings", "connection", "access", "scopes"] as const;
export type GroupName = (typeof FINDING_GROUPS)[number];

export function finding(status: Status) {
  return (id: Finding["id"], says: string, advice?: string): Finding => ({
    id,
    status,
    says,
    ...(advice !== undefined && { do: advice }),
  });
}

/** What an unchecked finding says where another one says why. */
export const NOT_CHECKED = "not checked";

/** What is fine asks for nothing. */
export const fine = (id: Finding["id"], says: string): Finding => ({ id, status: "fine", says });
export const warning = finding("warning");
export const wrong = finding("wrong");
export const unchecked = finding("unchecked");
