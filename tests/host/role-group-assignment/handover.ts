import {
  GROUP_ADMINS as STAYS,
  GROUP_BILLING as MOVES,
  GROUP_SUPPORT as OTHER,
  OTHER_ROLE_ID as ROLE,
} from "../../../simulator/default-seed";
import { assignment, Engine, type Program, RunFailed, type UpOptions } from "../engine";
import { useTenant } from "../tenant";

/*
 * A group moves from the assignment `donor` to the assignment `receiver`, in every situation named in the
 * design. Nobody may lose the role on the way, unless nothing in the run knows of the receiver. Once all
 * obstacles are gone, tenant and state match the program.
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

export const SITUATIONS: Situation[] = (
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
export const SAMPLE = SITUATIONS.filter((_, index) => {
  const option = index % OPTIONS.length;
  const place = Math.floor(index / OPTIONS.length) % 8;
  const donor = Math.floor(index / OPTIONS.length / 8);
  return place === (option ^ (FIRST_OF_DONOR[donor] as number));
});

const list = (...groupIds: string[]) => assignment({ roleId: ROLE, groupIds });

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

/** Tests these situations: the move, and one possible next step. */
export function testHandovers(situations: readonly Situation[]): void {
  const tenant = useTenant();

  async function start(situation: Situation, parallel: number): Promise<Engine> {
    tenant.seed();
    const config = {
      "identity:domain": tenant.url,
      "identity:clientId": tenant.clientId,
      "identity:clientSecret": tenant.clientSecret,
    };
    const engine = new Engine(tenant, { parallel, providers: { other: config } });
    await engine.up(
      programOf(
        { ...situation, donor: situation.donor === "is removed" ? "changes" : situation.donor },
        [],
        [STAYS, MOVES],
      ),
    );
    tenant.sent();
    return engine;
  }

  /** True if the run deletes the donor, and knows nothing of the receiver. */
  const isTaken = ({ donor, options: { target, exclude } }: Situation) =>
    donor === "is removed" && (target?.includes("donor") === true || exclude?.includes("receiver") === true);

  const deleted = () => tenant.sent().filter((line) => line.startsWith("DELETE") && line.includes(MOVES));

  async function tolerant(run: Promise<unknown>): Promise<void> {
    await run.catch((error: unknown) => {
      if (!(error instanceof RunFailed)) throw error;
    });
  }

  /** Runs the move itself, which may fail. */
  async function move(situation: Situation, parallel: number): Promise<Engine> {
    const engine = await start(situation, parallel);
    const receives = situation.receiverFails ? [MOVES, GHOST] : [MOVES];
    const program = programOf(situation, receives);
    await tolerant(engine.up(program, situation.options));
    return engine;
  }

  /** Possible next steps after the move, one for each situation. */
  const AFTERWARDS: [string, (situation: Situation) => Promise<void>][] = [
    [
      "listed for one `up` and taken out again, the group loses the role",
      async (situation) => {
        const engine = await move(situation, 8);

        await engine.up(programOf(situation, [MOVES]));
        await engine.up(programOf(situation, []));

        const wanted = situation.donor === "is removed" ? [OTHER] : [STAYS, OTHER];
        expect(tenant.groupsOf(ROLE)).toEqual(wanted.sort());
        expect((await engine.preview(programOf(situation, []))).steps).toEqual([]);
        expect((await engine.refresh()).steps).toEqual([]);
      },
    ],
    [
      "destroy right afterwards takes the role from all that state has, and from no others",
      async (situation) => {
        const engine = await move(situation, 8);
        const owned = ownedIn(engine);
        const others = tenant.groupsOf(ROLE).filter((group) => !owned.includes(group));

        await engine.destroy();

        expect(tenant.groupsOf(ROLE)).toEqual(others);
        expect(engine.state.size).toBe(0);
      },
    ],
    [
      "a refresh finds what state has",
      async (situation) => {
        const engine = await move(situation, 8);
        expect((await engine.refresh()).steps).not.toContain("drift donor: groupIds");
        expect(tenant.groupsOf(ROLE)).toEqual(expect.arrayContaining(ownedIn(engine)));
      },
    ],
  ];

  function ownedIn(engine: Engine): string[] {
    return [...engine.state.values()].flatMap(({ pendingReplacement, outputs }) =>
      pendingReplacement ? [] : (outputs["groupIds"] as string[]),
    );
  }

  describe.each(situations.map((s, i) => [name(s), parallelOf(i), s] as const))(
    "%s",
    (_name, parallel, situation) => {
      test(`--parallel ${parallel}`, async () => {
        // The result of the run.
        const engine = await move(situation, parallel);
        expect(deleted()).toHaveLength(isTaken(situation) ? 1 : 0);
        if (!isTaken(situation)) expect(tenant.groupsOf(ROLE)).toContain(MOVES);
        expect(tenant.groupsOf(ROLE)).toEqual(expect.arrayContaining(ownedIn(engine)));

        // The next run lets the receiver finish.
        await engine.up(programOf(situation, [MOVES]));
        expect(deleted()).toEqual([]);
        expect((await engine.preview(programOf(situation, [MOVES]))).steps).toEqual([]);
        const wanted = situation.donor === "is removed" ? [MOVES, OTHER] : [STAYS, MOVES, OTHER];
        expect(tenant.groupsOf(ROLE)).toEqual(wanted.sort());

        // Nothing is left after destroying everything.
        await engine.destroy();
        expect(tenant.groupsOf(ROLE)).toEqual([]);
      });

      const [afterwards, run] = AFTERWARDS[SITUATIONS.indexOf(situation) % AFTERWARDS.length]!;
      test(afterwards, () => run(situation));
    },
  );
}
