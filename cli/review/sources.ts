import { readSettings } from "../../provider/pulumi/settings";
import { CommandError, USAGE } from "../errors";
import { readInput } from "../files";
import { type StackOfProgram } from "../pulumi-cli";
import { readStackSettings, SOURCE } from "../stack-settings";
import { workplaceOf } from "../workplace";
import { type AskedBy, askTenant, hasClient, type Wanted, wantedIn } from "./tenant/ask";
import { type RulesFile } from "../rules/file";
import { type Kind, makePreview, PREVIEW } from "./input/make-preview";
import { type ReviewOptions } from "./input/options";
import { type Preview, readPreview } from "./input/preview";
import { NoPreview } from "./input/raw-preview";
import { accessIn } from "./review";
import { type Tenant } from "./tenant/tenant";

/** A preview, with the settings to ask its tenant. */
export interface Source {
  preview: Preview;
  askedBy: () => Promise<AskedBy>;
}

/** `args`: file names, and everything after `--`. Without a file, makes previews now. */
export function sourcesOf(
  args: readonly string[],
  {
    stack: stacks,
    drift: isDrift = false,
    destroy = false,
  }: { stack: readonly string[]; drift?: boolean; destroy?: boolean },
): Promise<Source[]> {
  const end = process.argv.indexOf("--");
  const ofPulumi = end < 0 ? [] : process.argv.slice(end + 1);
  const files = args.slice(0, args.length - ofPulumi.length);
  const kind = isDrift ? "drift" : destroy ? "destroy" : "change";
  if (files.length === 0) return made(stacks.length === 0 ? [undefined] : stacks, kind, ofPulumi);
  if (destroy)
    throw new CommandError("--destroy makes the preview itself: leave out the file, or --destroy.", USAGE);
  if (stacks.length === 0 && ofPulumi.length === 0) return read(files, isDrift);
  throw new CommandError(
    "A file holds a preview that was made before: leave out --stack and what follows --, or the file.",
    USAGE,
  );
}

async function made(
  stacks: readonly (string | undefined)[],
  kind: Kind,
  ofPulumi: readonly string[],
): Promise<Source[]> {
  const sources: Source[] = [];
  for (const stack of stacks) {
    const program = { stack, folder: process.cwd(), environment: process.env };
    const preview = await makePreview(program, kind, ofPulumi);
    sources.push({ preview, askedBy: () => settingsOf(program) });
  }
  return sources;
}

function read(files: readonly string[], isDrift: boolean): Promise<Source[]> {
  // The author of a file must not choose where credentials are sent.
  const settings = readSettings(() => undefined, process.env);
  const askedBy = () => Promise.resolve({ settings, source: { kind: "environment" } } as const);
  return Promise.all(files.map(async (file) => ({ preview: await previewOf(file, isDrift), askedBy })));
}

async function settingsOf(program: StackOfProgram): Promise<AskedBy> {
  const { settings, stack } = await readStackSettings(program);
  return { settings, source: SOURCE, ...("unread" in stack && { unread: stack.unread }) };
}

async function previewOf(file: string, isDrift: boolean): Promise<Preview> {
  const { file: name, text } = await readInput(file, `pulumi ${PREVIEW.join(" ")}`);
  const command = `npx pulumi-identity review --stack NAME${isDrift ? " --drift" : ""}`;
  const refusal = (why: string, code?: number) =>
    new CommandError(`${name} ${why}. Run \`${command}\`, which makes the right preview itself.`, code);
  let preview;
  try {
    preview = readPreview(text, workplaceOf(process.cwd(), process.env).locate);
  } catch (error) {
    throw error instanceof NoPreview ? refusal(error.message) : error;
  }
  const { lacks, isRefresh, errors } = preview;
  // In the wrong mode, removals in a preview would look like removals that others have made.
  if (isDrift && isRefresh === false) throw refusal("is a preview, and --drift reviews a refresh", USAGE);
  if (!isDrift && isRefresh === true) throw refusal("is the preview of a refresh: add --drift", USAGE);
  if (lacks !== undefined && errors.length === 0) throw refusal(`was made without ${lacks} and hides steps`);
  return preview;
}

/** Returns the tenants' answers, in the order of the previews. Each tenant is asked once per role. */
export async function askTenants(
  sources: readonly Source[],
  { read: isAsked, sampleUser, drift }: Pick<ReviewOptions, "read" | "sampleUser" | "drift">,
  rules?: RulesFile,
): Promise<(Tenant | undefined)[]> {
  const questions = new Map<string, { by: AskedBy; wanted: Wanted }>();
  const keys: string[] = [];
  for (const { preview, askedBy } of isAsked ? sources : []) {
    const { roles, credentials, profiles } = wantedIn(preview.steps);
    const isNothing = roles.length + credentials.length + profiles.length === 0 && rules === undefined;
    const by = isNothing ? undefined : await askedBy();
    const key = by === undefined ? "" : JSON.stringify(by);
    const { wanted = NOTHING } = questions.get(key) ?? {};
    const all = {
      roles: [...wanted.roles, ...roles],
      credentials: [...wanted.credentials, ...credentials],
      profiles: [...wanted.profiles, ...profiles],
      rules,
      rowsOf: (tenant: Tenant) => [
        ...(wanted.rowsOf?.(tenant) ?? []),
        ...accessIn(preview, drift === true, tenant),
      ],
    };
    if (by !== undefined) questions.set(key, { by, wanted: all });
    keys.push(key);
  }
  const asking = [...questions].map(
    async ([key, { by, wanted }]) => [key, await answerOf(by, wanted, sampleUser)] as const,
  );
  const answers = new Map(await Promise.all(asking));
  return keys.map((key) => answers.get(key));
}

const NO_CLIENT = {
  // A file's author must not choose the tenant.
  file: "for a file, only IDENTITY_… counts, and IDENTITY_CLIENT_ID isn't set.",
  stack: "no client is configured (identity:clientId or IDENTITY_CLIENT_ID).",
} as const;

const NOTHING: Wanted = { roles: [], credentials: [], profiles: [] };

async function answerOf(
  by: AskedBy,
  wanted: Wanted,
  sampleUsers: readonly string[],
): Promise<Tenant | undefined> {
  if (hasClient(by) || sampleUsers.length > 0) return askTenant(wanted, sampleUsers, by);
  // A removal has no name to look up.
  if (wanted.roles.length === 0) return undefined;
  const why = by.unread ?? NO_CLIENT[by.source.kind === "environment" ? "file" : "stack"];
  process.stderr.write(`Names are not shown: ${why}\n`);
  return undefined;
}
