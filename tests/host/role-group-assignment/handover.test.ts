import { ADMINS as STAYS, BILLING as MOVES, SUPPORT as OTHER, VIEWER } from "../../../simulator/default-seed";
import { catchLines, inProcess } from "../../../testkit/hosts/host-in-process";
import { isLong } from "../../../testkit/properties";
import { assignment, Engine, type Program, RunFailed, type UpOptions } from "../../../testkit/engine";
import { goOnFrom, leftBy } from "../../../testkit/left";
import { useTenant } from "../../../testkit/tenant";

/*
 * A group moves from the assignment `donor` to the assignment `receiver`, in every situation named in the
 * design. Nobody may lose the role on the way, unless nothing in the run knows of the receiver. Once all
 * obstacles are gone, tenant and state match the program. moves.test.ts has moves in the SDK's host.
 */

/** A group that doesn't exist on the tenant, so its assignment fails. */
const GHOST = "grp_9999999999999999zz";

interface Situation {
  donor: "changes" | "is removed" | "is replaced" | "is deleted and made again";
  receiverFails: boolean;
  receiverIs: "under the same provider" | "under another provider";
  first: "donor" | "receiver";
  options: UpOptions;
}

const OPTIONS: UpOptions[] = [
  {},
  { target: ["donor"] },
  { target: ["receiver"] },
  { exclude: ["donor"] },
  { exclude: ["receiver"] },
  { refresh: true },
  { refresh: true, runProgram: true },
  { continueOnError: true },
];

const SITUATIONS: Situation[] = (
  ["changes", "is removed", "is replaced", "is deleted and made again"] as const
).flatMap((donor) =>
  [false, true].flatMap((receiverFails) =>
    (["under the same provider", "under another provider"] as const).flatMap((receiverIs) =>
      (["donor", "receiver"] as const).flatMap((first) =>
        OPTIONS.map((options) => ({ donor, receiverFails, receiverIs, first, options })),
      ),
    ),
  ),
);

/** Of the eight situations of a donor with an option, the index of the one in `npm test`. */
const FIRST_OF_DONOR = [0b000, 0b111, 0b011, 0b100];

/** Here every two values of two dimensions meet. */
const SAMPLE = SITUATIONS.filter((_, index) => {
  const option = index % OPTIONS.length;
  const place = Math.floor(index / OPTIONS.length) % 8;
  const donor = Math.floor(index / OPTIONS.length / 8);
  return place === (option ^ (FIRST_OF_DONOR[donor] as number));
});

const list = (...groupIds: string[]) => assignment({ roleId: VIEWER, groupIds });

function programOf({ donor, first, receiverIs }: Situation, receives: string[], keeps = [STAYS]): Program {
  const provider = receiverIs === "under another provider" ? { provider: "other" } : {};
  const receiver = { receiver: { ...list(OTHER, ...receives), ...provider } };
  const deleteBeforeReplace = donor === "is deleted and made again";
  const replaced = (donor === "is replaced" || deleteBeforeReplace) && {
    deleteBeforeReplace,
    replaceOnChanges: ["*"],
  };
  const gives: Program = donor === "is removed" ? {} : { donor: { ...list(...keeps), ...replaced } };
  return first === "donor" ? { ...gives, ...receiver } : { ...receiver, ...gives };
}

const name = ({ donor, receiverFails, receiverIs, first, options }: Situation) =>
  `the donor ${donor}, the receiver ${receiverFails ? "fails" : "succeeds"} ${receiverIs}, ${first} first, ${JSON.stringify(options)}`;

/** All three, for each of the options. */
const PARALLEL = [1, 2, 32];
const parallelOf = (index: number) =>
  PARALLEL[(index + Math.floor(index / OPTIONS.length)) % PARALLEL.length] as number;

const tenant = useTenant();
catchLines();

function engineOf(parallel: number): Engine {
  const { config } = new Engine(tenant);
  return new Engine(tenant, { parallel, providers: { other: config }, startHost: inProcess });
}

/** Runs the move itself, which may fail. */
async function move(situation: Situation, parallel: number): Promise<Engine> {
  const engine = engineOf(parallel);
  const donor = situation.donor === "is removed" ? "changes" : situation.donor;
  await engine.up(programOf({ ...situation, donor }, [], [STAYS, MOVES]));
  tenant.sent();
  const receives = situation.receiverFails ? [MOVES, GHOST] : [MOVES];
  await engine.up(programOf(situation, receives), situation.options).catch((error: unknown) => {
    if (!(error instanceof RunFailed)) throw error;
  });
  return engine;
}

/** True if the run deletes the donor, and knows nothing of the receiver. */
const isTaken = ({ donor, options: { target, exclude } }: Situation) =>
  donor === "is removed" && (target?.includes("donor") === true || exclude?.includes("receiver") === true);

const deleted = () => tenant.sent().filter((line) => line.startsWith("DELETE") && line.includes(MOVES));

const ownedIn = (engine: Engine) =>
  [...engine.state.values()].flatMap(({ pendingReplacement, outputs }) =>
    pendingReplacement ? [] : (outputs["groupIds"] as string[]),
  );

/** Another next step after the move, one for each situation. */
const AFTERWARDS: [string, (situation: Situation, engine: Engine) => Promise<void>][] = [
  [
    "or, listed for one `up` and taken out again, the group loses the role",
    async (situation, engine) => {
      await engine.up(programOf(situation, [MOVES]));
      await engine.up(programOf(situation, []));

      const wanted = situation.donor === "is removed" ? [OTHER] : [STAYS, OTHER];
      expect(tenant.groupsOf(VIEWER)).toEqual(wanted.sort());
      expect((await engine.preview(programOf(situation, []))).steps).toEqual([]);
      expect((await engine.refresh()).steps).toEqual([]);
    },
  ],
  [
    "or destroy takes the role from all that state has, and from no others",
    async (_situation, engine) => {
      const owned = ownedIn(engine);
      const others = tenant.groupsOf(VIEWER).filter((group) => !owned.includes(group));

      await engine.destroy();

      expect(tenant.groupsOf(VIEWER)).toEqual(others);
      expect(engine.state.size).toBe(0);
    },
  ],
  [
    "or a refresh finds what state has",
    async (_situation, engine) => {
      expect((await engine.refresh()).steps).not.toContain("drift donor: groupIds");
      expect(tenant.groupsOf(VIEWER)).toEqual(expect.arrayContaining(ownedIn(engine)));
    },
  ],
];

const afterwardsOf = (index: number) => AFTERWARDS[index % AFTERWARDS.length]!;
const ROWS = SITUATIONS.map((situation, index) => ({
  situation,
  parallel: parallelOf(index),
  move: name(situation),
  afterwards: afterwardsOf(index),
})).filter(({ situation }) => isLong || SAMPLE.includes(situation));

test("in the sample, each two values of two dimensions meet", () => {
  const pairsOf = (situations: readonly object[]) =>
    new Set(
      situations.flatMap((situation) => {
        const values = Object.entries(situation).map((entry) => JSON.stringify(entry));
        return values.flatMap((one, at) => values.slice(at + 1).map((other) => `${one} ${other}`));
      }),
    );
  expect(pairsOf(SAMPLE)).toEqual(pairsOf(SITUATIONS));
});

test.each(ROWS)("$move, --parallel $parallel; $afterwards.0", async (row) => {
  const {
    situation,
    parallel,
    afterwards: [, goOn],
  } = row;
  // The result of the run.
  const engine = await move(situation, parallel);
  expect(deleted()).toHaveLength(isTaken(situation) ? 1 : 0);
  if (!isTaken(situation)) expect(tenant.groupsOf(VIEWER)).toContain(MOVES);
  expect(tenant.groupsOf(VIEWER)).toEqual(expect.arrayContaining(ownedIn(engine)));
  const left = leftBy(engine, tenant);

  // The next run lets the receiver finish.
  await engine.up(programOf(situation, [MOVES]));
  expect(deleted()).toEqual([]);
  expect((await engine.preview(programOf(situation, [MOVES]))).steps).toEqual([]);
  const wanted = situation.donor === "is removed" ? [MOVES, OTHER] : [STAYS, MOVES, OTHER];
  expect(tenant.groupsOf(VIEWER)).toEqual(wanted.sort());

  // Nothing is left after destroying everything.
  await engine.destroy();
  expect(tenant.groupsOf(VIEWER)).toEqual([]);

  await goOn(situation, goOnFrom(left, engineOf(8), tenant));
});
