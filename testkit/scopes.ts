import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Row {
  /** A resource's class, or a data source's name. */
  subject: string;
  operation: string;
  scopes: string[];
}

/** Parses the table of scopes in SECURITY.md. */
export function scopeTable(): Row[] {
  const text = readFileSync(join(__dirname, "../SECURITY.md"), "utf8");
  const [, section = ""] = /\n## Least privilege\n([\s\S]+?)\n## /.exec(text) ?? [];
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.+?) +\| (.+?) +\|$/gm)];
  return rows.map(([, subject = "", operation = "", scopes = ""]) => ({
    subject,
    operation,
    scopes: [...scopes.matchAll(/`([\w:]+)`/g)].map(([, scope = ""]) => scope),
  }));
}
