import { once } from "node:events";
import { type SubjectName, SUBJECTS, type Tenant } from "./subjects";

/** Writes in its own process: `writer.ts <subject> <tenant as JSON> <writes> <prefix of the names>`. */
async function main([subjectName, tenant, writes, prefix]: string[]): Promise<void> {
  const subject = await SUBJECTS[subjectName as SubjectName](JSON.parse(tenant as string) as Tenant, 16);
  process.stdout.write("ready\n");
  await once(process.stdin, "data");
  const names = Array.from({ length: Number(writes) }, (_, i) => `${prefix}-${i}`);
  const outcomes = await Promise.allSettled(names.map((name) => subject.create(name)));
  const failed = outcomes.filter(({ status }) => status === "rejected").length;
  process.stdout.write(`${JSON.stringify({ failed })}\n`);
  process.exit(0);
}

void main(process.argv.slice(2));
