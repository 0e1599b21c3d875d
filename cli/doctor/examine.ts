import { makeBorder } from "../../provider/pulumi/clients";
import { parseSettings, settingProblems } from "../../provider/pulumi/settings";
import { type Caller } from "./callers";
import { readStackSettings, selectedStack, SOURCE } from "../stack-settings";
import { Progress } from "../terminal";
import { accessFindings, scopeFindings } from "./access";
import { type Finding, type Report, reportOf, unchecked } from "./report";
import { programFindings } from "./program";
import { hasPassphrase, projectOf } from "../project";
import { connectionFindings } from "./connection";
import { passphraseFinding, settingFindings } from "./settings";
import { readStackState } from "../pending";
import { newProfiles, pendingFindings, twinFindings } from "./state";
import { visitTenant } from "./visit";

interface Examination {
  /** Default: the selected stack. */
  stack: string | undefined;
  required: readonly Caller[];
  folder: string;
  environment: NodeJS.ProcessEnv;
  isTenantAsked?: boolean;
}

export async function examine(examination: Examination): Promise<Report> {
  const progress = new Progress(process.stderr);
  try {
    return await examined(examination, progress);
  } finally {
    progress.clear();
  }
}

/** Checks everything that a program needs, in order of dependency. */
async function examined(
  { stack, required, folder, environment, isTenantAsked = true }: Examination,
  progress: Progress,
): Promise<Report> {
  progress.show("Reading the stack …");
  const [found, selected] = await Promise.all([
    readStackSettings({ stack, folder, environment }),
    stack === undefined ? selectedStack({ folder, environment }) : undefined,
  ]);
  // Standard output is for the report itself.
  const border = makeBorder(found.settings, (line) => progress.notice(line));
  border.learn(...found.secret.map((setting) => found.settings[setting]));
  const problems = settingProblems(found.settings, SOURCE);
  const isStackNeeded = stack !== undefined || problems.missing.length > 0;
  progress.show("Reading the state …");
  const state =
    "unread" in found.stack ? undefined : await readStackState({ stack, folder, environment }, border);
  progress.show("Looking at the program …");
  const project = projectOf(folder)?.name;
  const pending = pendingFindings(state);
  const here = [
    ...(await programFindings({
      folder,
      environment,
      border,
      state: state === undefined || "unread" in state ? undefined : state,
      isProjectNeeded: isStackNeeded,
    })),
    ...settingFindings(found, problems, { isStackNeeded, named: stack, selected, environment, project }),
    ...(hasPassphrase(folder, stack ?? selected) ? passphraseFinding(environment) : []),
  ];
  const { missing, wrong } = problems;
  if (missing.length + wrong.length > 0)
    return reportOf([...pending, ...here, ...notVisited("not checked: the settings come first")], border);
  if (!isTenantAsked) return reportOf([...pending, ...here, ...notVisited("not checked: --no-read")], border);
  const settings = parseSettings(found.settings, SOURCE);
  progress.show(`Asking ${border.quote(settings.origin)} …`);
  const visit = await visitTenant(found.settings, settings, border, newProfiles(state).length > 0);
  const connection = connectionFindings(visit, settings, environment);
  const isReached = connection.every(({ status }) => status !== "error");
  const access = accessFindings(visit, settings, { isReached, required });
  const twins = twinFindings(state, visit.profiles);
  return reportOf(
    [...pending, ...twins, ...here, ...connection, ...access, ...scopeFindings(visit, required)],
    border,
  );
}

const OF_TENANT = [
  "connection.connect",
  "connection.tls",
  "connection.clock",
  "access.token",
  "access.api",
  "access.rate-limit",
  "scopes.granted",
] as const;

function notVisited(why: string): Finding[] {
  return OF_TENANT.map((id) => unchecked(id, why));
}
