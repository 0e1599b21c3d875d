import { type Program, type Resource } from "../../testkit/engine";
import { text } from "../../testkit/engine/program-text";
import { type Violation } from "./claims";
import { momentIn } from "../../testkit/worlds/universe";
import { type Act, type Judged, type World } from "../../testkit/worlds/world";

const BUILDERS = {
  RoleGroupAssignment: "assignment",
  OrganizationRoleGroupAssignment: "organizationAssignment",
  ConnectionProfile: "profile",
  DeviceCredentialRemoval: "removal",
  UserSignOut: "signOut",
} as const;

/** Returns a world as a program: `node --import tsx <file>` in the repository's folder runs it again. */
export function worldText(
  { behaviour, eu, listings, foreign, earlier, judged }: World,
  violations: readonly Violation[],
): string {
  return [
    'import { assignment, later, organizationAssignment, profile, secret, type Resource } from "./testkit/engine";',
    'import { begin, show } from "./tests/truth/script";',
    'import { endIn } from "./testkit/worlds/universe";',
    "const pulumi = { secret };",
    'const removal = (inputs: object, options: object = {}) => ({ kind: "DeviceCredentialRemoval", inputs, ...options }) as Resource;',
    'const signOut = (inputs: object, options: object = {}) => ({ kind: "UserSignOut", inputs, ...options }) as Resource;',
    "",
    `const world = await begin(${text({ behaviour, eu, listings, foreign })});`,
    ...earlier.flatMap((act, place) => [beginLine(place - earlier.length), ...actLines(act)]),
    beginLine(0),
    ...preparationLines(judged),
    `show(await world.judge(${programText(judged.program)}, ${text({ ...judged.options, read: judged.read, ...(judged.rules !== undefined && { rules: judged.rules }), ...(judged.auth0.length > 0 && { auth0: judged.auth0 }) })}));`,
    "",
    ...violations.map(({ claim, text }) => `// ${claim}: ${text.replaceAll("\n", " ")}`),
    "",
  ]
    .join("\n")
    .replaceAll(/until: "(20[^"]+Z)"/g, (_, end: string) => `until: endIn(${daysUntil(end)})`);
}

function beginLine(days: number): string {
  return `world.begin(${days});`;
}

function daysUntil(end: string): number {
  return (Date.parse(end) - momentIn(0)) / (momentIn(1) - momentIn(0));
}

function actLines(act: Act): string[] {
  const { options, fault, killAt } = act;
  const more = { ...options, ...(fault !== undefined && { fault }), ...(killAt !== undefined && { killAt }) };
  return [...preparationLines(act), `await world.up(${programText(act.program)}, ${text(more)});`];
}

function preparationLines({ outside, refresh, taint }: Act | Judged): string[] {
  return [
    ...outside.map((one) => `await world.outside(${text(one)});`),
    ...(refresh ? ["await world.refresh();"] : []),
    ...(taint.length > 0
      ? [`await world.taint(${taint.map((key) => JSON.stringify(key)).join(", ")});`]
      : []),
  ];
}

function programText(program: Program): string {
  const lines = Object.entries(program).map(
    ([key, resource]) => `  ${JSON.stringify(key)}: ${resourceText(resource)},`,
  );
  return lines.length === 0 ? "{}" : `{\n${lines.join("\n")}\n}`;
}

function resourceText({ kind, inputs, ...options }: Resource): string {
  const more = Object.keys(options).length === 0 ? "" : `, ${text(options)}`;
  return `${BUILDERS[kind]}(${text(inputs)}${more})`;
}
