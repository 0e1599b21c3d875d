import { type RawSettings, readSettings, type SettingsSource } from "../../../provider/pulumi/settings";
import { CommandError, orError, refuseMisuse, USAGE } from "../../errors";
import { readInput } from "../../files";
import { anyOf } from "../../lists";
import { type StackOfProgram } from "../../pulumi-cli";
import { readStackSettings, SOURCE } from "../../stack-settings";
import { workplaceOf } from "../../workplace";
import { makePreview, PREVIEW, type Previewed, tenantOfEnvironment } from "./make-preview";
import { type Preview, readPreview } from "./preview";
import { NoPreview } from "./raw-preview";

/** A preview, with the settings to ask its tenant. */
export interface Source {
  preview: Preview;
  askedBy: () => Promise<AskedBy>;
}

/** Settings of the tenant to ask, with their names for messages. */
export interface AskedBy {
  settings: RawSettings;
  source: SettingsSource;
  /** The reason why the stack's settings could not be read. */
  unread?: string;
}

/** `args`: file names, and everything after `--`. Without a file, makes previews now. */
export function sourcesOf(
  args: readonly string[],
  {
    stack: stacks,
    drift: isDrift = false,
    destroy = false,
    read: isAsked,
  }: { stack: readonly string[]; drift?: boolean; destroy?: boolean; read: boolean },
): Promise<Source[]> {
  const end = process.argv.indexOf("--");
  const ofPulumi = end < 0 ? [] : process.argv.slice(end + 1);
  const files = args.slice(0, args.length - ofPulumi.length);
  const [previewed = "change"] = anyOf<Previewed>([isDrift, "drift"], [destroy, "destroy"]);
  if (files.length === 0)
    return made(stacks.length === 0 ? [undefined] : stacks, { previewed, ofPulumi, isAsked });
  refuseMisuse([
    [destroy, () => "--destroy makes the preview itself: leave out the file, or --destroy."],
    [
      stacks.length + ofPulumi.length > 0,
      () =>
        "A file holds a preview that was made before: leave out --stack and what follows --, or the file.",
    ],
  ]);
  return read(files, isDrift);
}

async function made(
  stacks: readonly (string | undefined)[],
  { previewed, ofPulumi, isAsked }: { previewed: Previewed; ofPulumi: readonly string[]; isAsked: boolean },
): Promise<Source[]> {
  const sources: Source[] = [];
  for (const stack of stacks) {
    const program = { stack, folder: process.cwd(), environment: process.env };
    const making = makePreview(program, previewed, ofPulumi);
    // Most changes lead to a question, and Pulumi takes a while to answer this one, too.
    const settings = isAsked ? settingsOf(program) : undefined;
    settings?.catch(() => undefined);
    sources.push({ preview: await making, askedBy: () => settings ?? settingsOf(program) });
  }
  return sources;
}

function read(files: readonly string[], isDrift: boolean): Promise<Source[]> {
  // The author of a file must not choose where credentials are sent.
  const settings = readSettings(() => undefined, process.env);
  const askedBy = () => Promise.resolve({ settings, source: { from: "environment" } } as const);
  return Promise.all(files.map(async (file) => ({ preview: await previewOf(file, isDrift), askedBy })));
}

async function settingsOf(program: StackOfProgram): Promise<AskedBy> {
  const { settings, stack } = await readStackSettings(program);
  return { settings, source: SOURCE, ...("unread" in stack && { unread: stack.unread }) };
}

/** `mistaken`: what a preview of the other mode is. */
const MODES = {
  drift: { option: " --drift", mistaken: "is a preview, and --drift reviews a refresh" },
  change: { option: "", mistaken: "is the preview of a refresh: add --drift" },
} as const;

async function previewOf(file: string, isDrift: boolean): Promise<Preview> {
  const { file: name, text } = await readInput(file, `pulumi ${PREVIEW.join(" ")}`);
  const { option, mistaken } = MODES[isDrift ? "drift" : "change"];
  const command = `npx --no pulumi-identity review --stack NAME${option}`;
  const refusal = (why: string, code?: number) =>
    new CommandError(`${name} ${why}. Run \`${command}\`, which makes the right preview itself.`, code);
  const { locate } = workplaceOf(process.cwd(), process.env);
  const ofEnvironment = tenantOfEnvironment(process.env);
  const preview = await orError(NoPreview, () => readPreview(text, locate, { ofEnvironment }));
  if (preview instanceof NoPreview) throw refusal(preview.message);
  const { lacks, isRefresh, errors } = preview;
  // In the wrong mode, removals in a preview would look like removals that others have made.
  if ((isRefresh ?? isDrift) !== isDrift) throw refusal(mistaken, USAGE);
  if (lacks !== undefined && errors.length === 0) throw refusal(`was made without ${lacks} and hides steps`);
  return preview;
}
