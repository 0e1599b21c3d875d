import { type AccessEffect } from "../../../provider/access/change";
import { groupedBy } from "../../../provider/access/grants";
import { credentialOf } from "../../../provider/pulumi/settings";
import { type RulesFile } from "../../rules/file";
import { optional } from "../../lists";
import { reasonsIn } from "../../tenant/questions";
import { type ReviewOptions } from "../input/options";
import { type Preview } from "../input/preview";
import { type AskedBy, type Source } from "../input/sources";
import { type TenantAnswers } from "./answers";
import { askTenant } from "./ask";
import { accessEffects } from "./effects";
import { areNone, NO_SUBJECTS, type Subjects, subjectsIn } from "./subjects";
import { keyOf, type Tenants } from "./tenants";

/** A stack, and who is asked about it. */
interface StackQuestion {
  preview: Preview;
  subjects: Subjects;
  by: AskedBy;
}

/** Returns the tenants' answers, in the order of the previews. Each tenant is asked once per role. */
export async function askTenants(
  sources: readonly Source[],
  {
    read: isAsked,
    sampleUser: sampleUsers,
    drift: isDrift = false,
    onlyNames = false,
    ends,
  }: Pick<ReviewOptions, "read" | "sampleUser"> & {
    drift?: boolean;
    onlyNames?: boolean;
    /** Of grants that end, for their names. */
    ends?: ((preview: Preview) => Subjects["roles"]) | undefined;
  },
  tenants: Tenants,
  rules?: RulesFile,
): Promise<(TenantAnswers | undefined)[]> {
  const questions: (StackQuestion | undefined)[] = [];
  for (const { preview, askedBy } of isAsked ? sources : []) {
    const found = subjectsIn(preview);
    const all = { ...found, roles: [...found.roles, ...(ends?.(preview) ?? [])] };
    const subjects = onlyNames ? { ...NO_SUBJECTS, roles: all.roles } : all;
    const isAbout = !areNone(subjects) || rules !== undefined;
    questions.push(isAbout ? { preview, subjects, by: await askedBy() } : undefined);
  }
  const together = groupedBy(
    questions.filter((question) => question !== undefined),
    ({ by }) => keyOf(by),
  );
  const given = { sampleUsers, isDrift, rules, tenants, onlyNames };
  const asking = [...together].flatMap(([key, same]) =>
    same.slice(0, 1).map(async ({ by }) => [key, await answerTo(by, same, given)] as const),
  );
  const answers = new Map(await Promise.all(asking).finally(() => tenants.progress.clear()));
  return questions.map((question) => question && answers.get(keyOf(question.by)));
}

const NO_CLIENT = {
  // A file's author must not choose the tenant.
  file: "for a file, only IDENTITY_… counts, and IDENTITY_CLIENT_ID isn't set.",
  stack: "no client is configured (identity:clientId or IDENTITY_CLIENT_ID).",
} as const;

/** Asks one tenant, by one client, about several stacks. */
async function answerTo(
  by: AskedBy,
  questions: readonly StackQuestion[],
  {
    sampleUsers,
    isDrift,
    rules,
    tenants,
    onlyNames,
  }: {
    sampleUsers: readonly string[];
    isDrift: boolean;
    rules: RulesFile | undefined;
    tenants: Tenants;
    onlyNames: boolean;
  },
): Promise<TenantAnswers | undefined> {
  const roles = questions.flatMap(({ subjects }) => subjects.roles);
  if (hasClient(by) || sampleUsers.length > 0) {
    const inquiry = {
      roles,
      credentials: questions.flatMap(({ subjects }) => subjects.credentials),
      signOuts: questions.flatMap(({ subjects }) => subjects.signOuts),
      profiles: questions.flatMap(({ subjects }) => subjects.profiles),
      listed: questions.flatMap(({ subjects }) => subjects.listed),
      open: questions.flatMap(({ subjects }) => subjects.open),
      whole: questions.flatMap(({ subjects }) => subjects.whole),
      rules,
      rowsOf: (answers: TenantAnswers): AccessEffect[] =>
        onlyNames ? [] : questions.flatMap(({ preview }) => accessEffects(preview, isDrift, answers).access),
    };
    const answers = await askTenant(inquiry, sampleUsers, by, tenants);
    const [why] = onlyNames
      ? [...optional(answers.notConfigured), ...reasonsIn(answers.groups.values())]
      : [];
    if (why !== undefined) tenants.progress.notice(`Names are not shown: ${why}`);
    return answers;
  }
  // A removal has no name to look up.
  if (roles.length === 0) return undefined;
  const why = by.unread ?? NO_CLIENT[by.source.from === "environment" ? "file" : "stack"];
  tenants.progress.notice(`Names are not shown: ${why}`);
  return undefined;
}

/** True if somebody has set up a client, correctly or not. */
function hasClient({ settings }: AskedBy): boolean {
  return settings.clientId !== undefined || credentialOf(settings) !== undefined;
}
