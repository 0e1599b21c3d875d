import { groupedBy } from "../../../provider/access/grants";
import { tenantOf } from "../../../provider/pulumi/settings";
import { isDefaultName, urnName } from "../../../provider/pulumi/urn";
import {
  type MadeObject,
  mayBeUpdated,
  mayStay,
  type Side,
  type Step,
  TURNS_OUT_THE_SAME,
} from "../kinds/step";
import { ifKnown, SECRET, seenText } from "../../../provider/seen";
import { firstOf, say, type Sentence } from "../../../provider/sentence";
import { optional } from "../../lists";
import { type Item, keysOf } from "./auth0-item";
import { type Reading, readingOf } from "./auth0-types";
import { changeBy, isKnownOperation } from "./operations";
import { type TenantOf, urnOf } from "./providers";
import { type RawPreview, type RawState, type RawStep, type Values } from "./raw-preview";

/*
 * Steps of `@pulumi/auth0`: what each gives before and after, and what it takes. That provider doesn't know
 * other resources: a create only adds, an update takes what state has and the program no longer lists, and a
 * delete takes all.
 */

/** A step, with what its resource gives before and after it. */
export interface Auth0Step {
  step: Step<string>;
  before: readonly Item[];
  after: readonly Item[];
  /** False if only other inputs of its resource change. */
  isTouched: boolean;
  /** For resources of which only this is known. */
  says: Sentence | undefined;
  /** True if it may take some of what its resource gave. */
  takes: boolean;
  taken: readonly Taken[];
}

/** The access that a step takes away. */
export interface Taken {
  step: Step<string>;
  item: Item;
  /** Other resources that list it, too, after the change. */
  listers: readonly Step<string>[];
  unless: Sentence | undefined;
}

/** True if the review reads a step, so that it isn't one of other packages. */
export function isReadOfAuth0(step: RawStep): boolean {
  const reading = readingOf(typeOf(step));
  if (reading === undefined || !isKnownOperation(step.op)) return false;
  // That an object is new or has another name gives nobody anything.
  return !reading.isObject || changeBy(step.op) !== "own" || ["delete", "replace"].includes(step.op);
}

export function typeOf({ newState, oldState }: RawStep): string {
  return (newState ?? oldState)?.type ?? "";
}

export function auth0Steps(steps: readonly Step<string>[]): Auth0Step[] {
  const read = steps.flatMap((step) => optional(readingOf(step.kind)).map((reading) => given(step, reading)));
  const listed = groupedBy(read.flatMap(listedBy), ({ key }) => key);
  const hidden = read.flatMap(({ step, after }) =>
    step.op === "same"
      ? []
      : after.filter((item) => item.hidden !== undefined).map((item) => ({ step, item })),
  );
  return read.map((giving) => ({
    ...giving,
    taken: takenBy(giving, (key) => listed.get(key) ?? [], hidden),
  }));
}

type Given = Omit<Auth0Step, "taken">;

function given(step: Step<string>, { says, itemsOf, decides }: Reading): Given {
  const { op, leaves } = step;
  // Outputs too: a create adds to what the user had, and they hold both.
  const before = optional(step.before).flatMap((side) => itemsOf(side, { ...side.inputs, ...side.outputs }));
  const after = optional(step.after).flatMap((side) => itemsOf(side, side.inputs));
  return {
    step,
    before,
    // State still holds for resources outside of the targets, and for unchanged ones.
    after: op === "same" ? before : after,
    isTouched: isTouched(step, decides),
    says,
    takes: TAKE.includes(op) && leaves === undefined,
  };
}

const TAKE: readonly Step["op"][] = ["update", "replace", "delete"];

function isTouched({ op, differs }: Step<string>, decides: Reading["decides"]): boolean {
  if (op !== "update" || differs.length === 0) return op !== "same";
  return differs.some((name) => decides(name.replace(/[.[].*$/s, "")));
}

/** `isNew`: its resource didn't give it before. */
interface Lister {
  step: Step<string>;
  key: string;
  isNew: boolean;
}

function listedBy({ step, before, after }: Given): Lister[] {
  const old = keysOf(before);
  const isNew = (key: string) => step.op !== "same" && !old.has(key);
  return [...keysOf(after)].map((key) => ({ step, key, isNew: isNew(key) }));
}

/** `hidden`: what changing resources give that doesn't show, or not all of it. */
function takenBy(
  giving: Given,
  listersOf: (key: string) => readonly Lister[],
  hidden: readonly Pick<Taken, "step" | "item">[],
): Taken[] {
  const { step, before, after, takes } = giving;
  // A replacement usually creates first, and its delete takes that again.
  const isLast = step.op !== "update" && step.deletesFirst !== true;
  const kept = isLast ? new Set() : keysOf(after);
  const lost = before.filter(({ isKnown, key }) => takes && isKnown && !kept.has(key));
  const mayKeep = whyKept(giving);
  return lost.map((item) => {
    const others = listersOf(item.key).filter((other) => other.step !== step);
    const mayBeIt = hidden.filter((other) => other.step !== step && item.isMaybe(other.item));
    const givers = isLast ? [] : [...others.filter(({ isNew }) => isNew), ...mayBeIt];
    const [again] = givers.map((giver) => say`${giver.step.name} gives it again afterwards`);
    return { step, item, listers: others.map((other) => other.step), unless: mayKeep ?? again };
  });
}

/** Returns why a step may leave what it seems to take. */
function whyKept({ step, after }: Given): Sentence | undefined {
  const { op, mayLeave } = step;
  // It can't have had an object that the run only creates.
  const [hidden] = after.flatMap((item) => item.hidden ?? []);
  const isOpen = hidden !== undefined;
  return firstOf([
    [mayLeave === true, () => say`what it is deletedWith is deleted`],
    [isOpen && (mayBeUpdated(step) || mayStay(step)), () => TURNS_OUT_THE_SAME],
    [op === "update" && hidden === SECRET, () => say`it is among what is secret`],
    [op === "update" && isOpen, () => say`it is among what is not known yet`],
  ]);
}

const MADE_TYPES: ReadonlyMap<string, { what: MadeObject["what"]; title: readonly string[] }> = new Map([
  ["auth0:index/role:Role", { what: "role", title: ["name"] }],
  ["auth0:index/user:User", { what: "user", title: ["email", "username", "name"] }],
  ["auth0:index/organization:Organization", { what: "organization", title: ["name"] }],
]);

/** Returns the objects that a run creates, by the inputs for which it does so. */
export function madeObjectsIn(steps: readonly RawStep[]): (state: RawState) => NonNullable<Side["made"]> {
  const making = steps.filter(({ op }) => ["create", "replace", "create-replacement"].includes(op));
  const made = new Map<unknown, MadeObject[]>(
    making.flatMap(({ urn, newState }) => optional(newState).map((state) => [urn, madeBy(urn, state)])),
  );
  return ({ propertyDependencies }) =>
    Object.fromEntries(
      Object.entries(propertyDependencies)
        .map(
          ([name, urns]) =>
            [
              name,
              optional(urns)
                .flat()
                .flatMap((urn) => optional(made.get(urn))),
            ] as const,
        )
        // Something else that is made may be what the value is of.
        .filter(([, objects]) => objects.length > 0 && objects.every(({ length }) => length > 0))
        .map(([name, objects]) => [name, objects.flat()]),
    );
}

/** Returns no object for one of another type. */
function madeBy(urn: string, { type = "", inputs }: RawState): MadeObject[] {
  return optional(MADE_TYPES.get(type)).map(({ what, title }) => {
    const texts = [...title.map((name) => inputs[name]), urnName(urn)];
    const [shown = ""] = texts.flatMap((text) => optional(ifKnown(seenText(text))));
    return { what, title: shown };
  });
}

const PROVIDER = /(?:::|\$)pulumi:providers:auth0::/;

/** Returns the tenants of its providers. `assumed`: of those that the preview says nothing of. */
export function tenantsOfAuth0({ steps, config }: RawPreview, assumed: string | undefined): TenantOf {
  const hostOf = (inputs: Values) => tenantOf({ domain: ifKnown(seenText(inputs["domain"])) });
  const byProvider = new Map(
    steps
      .filter(({ urn }) => PROVIDER.test(urn))
      .map(({ urn, newState, oldState }) => [urn, hostOf((newState ?? oldState)?.inputs ?? {})]),
  );
  const configured = hostOf({ domain: config["auth0:domain"] });
  return (provider) => {
    if (provider === undefined) return assumed;
    const urn = urnOf(provider);
    return byProvider.get(urn) ?? (isDefaultName(urnName(urn)) ? configured : undefined) ?? assumed;
  };
}
