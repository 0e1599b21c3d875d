import { holderId, roleKey } from "../../provider/access/edge";
import { type Claim, groupedBy, Grants } from "../../provider/access/grants";
import { placed, say } from "../../provider/sentence";
import { endingBy, type EndingAssignment, type Ends, untilNear, type Within } from "../ends";
import { optional } from "../lists";
import { type Workplace } from "../places";
import { type Preview } from "./input/preview";
import { type AssignmentSide, assignmentsIn, roleNamed } from "./kinds/assignment-step";

/** The time to look ahead, and where the program is read. */
export interface EndsAsked {
  within: Within;
  linesOf: Workplace["linesOf"];
}

/** An assignment, as a claim on the grants of its groups. */
interface Assigned extends Claim {
  urn: string;
  side: AssignmentSide;
}

export interface ReviewEnds extends Ends {
  /** To be shown by their names. */
  ids: readonly string[];
  /** To ask for the names. */
  roles: readonly { tenant: string | undefined; role: string; groups: readonly string[] }[];
}

/** Returns what ends in time of the grants that a stack has after its steps. */
export function endsOf(
  { stack = "", steps, asInState }: Pick<Preview, "stack" | "steps" | "asInState">,
  { within, linesOf }: EndsAsked,
  moment: number,
): ReviewEnds {
  const all = assignmentsIn([...steps, ...asInState]).flatMap(({ step: { urn, name, line }, after }) =>
    optional(after).map((side): Assigned => ({ urn, side, name, line, until: side.until })),
  );
  const grants = new Grants(all.flatMap((by) => by.side.edges.map((edge) => ({ ...edge, by: [by] }))));
  const lost = [
    ...[...grants].flatMap(({ holder, by }) =>
      endingBy(by, within, moment).map((last) => ({ group: holderId(holder), by: last })),
    ),
    ...all
      .filter(({ side }) => side.hiddenGroups !== undefined)
      .flatMap((one) => endingBy([one], within, moment).map((by) => ({ group: undefined, by }))),
  ];
  const [project = ""] = stack.split("/");
  const ending = [...groupedBy(lost, ({ by }) => by.urn).values()].flatMap((of) =>
    of.slice(0, 1).map(({ by }) => ({ by, groups: of.flatMap(({ group }) => optional(group)) })),
  );
  return {
    within,
    moment,
    endings: ending.map(({ by: { name, line, until = "", side }, groups }): EndingAssignment => ({
      until,
      groups,
      line,
      role: roleNamed(side),
      hasSecretGroups: side.hiddenGroups !== undefined,
      resource: name,
      change: line && untilNear(line, linesOf(line.file, project)),
    })),
    secret: all.filter(({ side }) => side.hiddenEnd).map(({ name, line }) => say`${placed(name, line)}`),
    ids: ending.flatMap(({ by: { side }, groups }) => [
      ...optional(side.at).flatMap(({ role, organization }) => [role, ...optional(organization)]),
      ...groups,
    ]),
    roles: ending.flatMap(({ by: { side }, groups }) =>
      optional(side.at).map((at) => ({ tenant: side.tenant, role: roleKey(at), groups })),
    ),
  };
}

/** True if something ends in time. A secret end would say so for ever. */
export function hasEnds({ ends }: { ends?: ReviewEnds | undefined }): boolean {
  return ends !== undefined && ends.endings.length > 0;
}
