import { type Edge } from "../../../provider/access/edge";
import { Grants } from "../../../provider/access/grants";
import { listedIn, roleEffects } from "../kinds/assignments";
import { type Effects, type PermissionEffect } from "../kinds/effects";
import { auth0Effects } from "../input/auth0-effects";
import { type Preview } from "../input/preview";
import { answered, edgesToday, isAsked, type TenantAnswers, todayIn } from "./answers";
import { rolesOfHolder } from "./names";

/** Returns what a stack does to access, through this package and through `@pulumi/auth0`. */
export function accessEffects(
  { steps, auth0 }: Pick<Preview, "steps" | "auth0">,
  isDrift: boolean,
  answers: TenantAnswers,
): Effects {
  const today = todayIn(answers);
  if (isDrift) return roleEffects(steps, isDrift, today);
  const listed = listedIn(steps, "before");
  const { claims, permissions, unknown } = auth0Effects(auth0, {
    before: [...listed, ...besideIn(listed, answers)],
    after: listedIn(steps, "after"),
    isSame: (one, other) => one === other || (isAsked(answers, one) && isAsked(answers, other)),
    allows: (effect) => allowedToday(effect, answers),
  });
  const effects = roleEffects(steps, isDrift, today, claims);
  return { ...effects, permissions, unknown: [...effects.unknown, ...unknown] };
}

/** Returns who has the roles today that were read, without those whom the stack's state lists there. */
function besideIn(listed: Iterable<Edge>, answers: TenantAnswers): Edge[] {
  const here = [...listed].filter(({ tenant }) => tenant === undefined || isAsked(answers, tenant));
  const known = new Grants(here.map((edge) => ({ ...edge, tenant: undefined, by: [] })));
  const [tenant] = answers.hosts;
  return edgesToday(answers)
    .filter((edge) => !known.has(edge))
    .map((edge) => ({ ...edge, tenant }));
}

function allowedToday(
  {
    tenant,
    holder,
    resourceServer,
    permission,
  }: Pick<PermissionEffect, "tenant" | "holder" | "resourceServer" | "permission">,
  answers: TenantAnswers,
): boolean | undefined {
  if (!isAsked(answers, tenant)) return undefined;
  const [listed] = rolesOfHolder(holder).map((role) => answered(answers.rolePermissions, role));
  return listed?.some((allowed) => allowed.resourceServer === resourceServer && allowed.name === permission);
}
