import { ADMINS, AGENT, VIEWER } from "../../simulator/default-seed";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { assignment, profile, type Program } from "../../testkit/engine";
import { exactly, groupsUrl } from "../../testkit/assignments";
import { wordsOf } from "../../testkit/facts";
import { TOKEN, useTenant } from "../../testkit/tenant";
import { ways } from "../../testkit/ways";

const tenant = useTenant();
catchLines();

const id = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const TIMED_OUT = "(no answer within 10 s)";
beforeEach(() => tenant.seed({ connection_profiles: [{ id, name: "theirs" }] }));

const exclusive: Program = { a: exactly(ADMINS) };
const adoption: Program = { p: profile({ name: "ours", adopt: id }) };
const added = `a: role ${VIEWER}: + ${ADMINS}`;
const whoLoses = `a: role ${VIEWER}: exclusive: which other groups lose the role could not be read`;
const whatChanges = `p: adopt: what changes on connection profile ${id} could not be read`;

describe.each(ways(tenant))("through %s", (_way, start) => {
  describe("what a preview could not ask, it says, and why", () => {
    let timeout: jest.SpyInstance | undefined;
    afterEach(() => timeout?.mockRestore());

    /** Time limits end after a fiftieth of their time, or a multiple of that: not before `isDue`. */
    function hasten(isDue = () => true): void {
      timeout = jest.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
        const limit = new AbortController();
        const timer = setInterval(() => {
          if (!isDue()) return;
          clearInterval(timer);
          limit.abort(new DOMException("The operation timed out.", "TimeoutError"));
        }, ms / 50);
        timer.unref();
        return limit.signal;
      });
    }

    test("the tenant refuses the credentials, which is asked once", async () => {
      const config = { ...start().config, "identity:clientSecret": "wrong" };

      const { messages } = await start({ config }).preview({ ...exclusive, ...adoption });

      expect(messages.map(wordsOf)).toEqual([
        added,
        ...[whoLoses, whatChanges].map((what) => `${what} (the tenant refused the credentials)`),
      ]);
      expect(tenant.sent()).toEqual([`${TOKEN} 401`]);
    });

    test("the tenant is silent: only the first of three waits", async () => {
      // On a busy machine the token takes its time.
      hasten(() => tenant.simulator.log().length > 0);
      tenant.fail({ method: "GET", path: "*", action: { delay: 20_000 } });

      // The tenant would answer a second question at once.
      const { messages } = await start().preview({
        ...exclusive,
        b: assignment({ roleId: AGENT, groupIds: [ADMINS], exclusive: true }),
        ...adoption,
      });

      expect(messages.map(wordsOf)).toEqual([
        added,
        `${whoLoses} ${TIMED_OUT}`,
        `b: role ${AGENT}: + ${ADMINS}`,
        `b: role ${AGENT}: exclusive: which other groups lose the role could not be read ${TIMED_OUT}`,
        `${whatChanges} ${TIMED_OUT}`,
      ]);
      expect(tenant.sent()).toEqual([TOKEN]);
    });

    test("a token that does not come is waited for no longer", async () => {
      hasten();
      tenant.fail({ method: "POST", path: "/oauth/token*", times: 10, action: { delay: 20_000 } });

      const { messages } = await start().preview({ ...exclusive, ...adoption });

      expect(messages.map(wordsOf)).toEqual([
        added,
        `${whoLoses} ${TIMED_OUT}`,
        `${whatChanges} ${TIMED_OUT}`,
      ]);
    });
  });

  test.each([
    [403, "goes on"],
    [503, "ends"],
  ])("of a %i it says the status, and looking ahead %s", async (status, then) => {
    tenant.fail({ method: "GET", path: `*${groupsUrl(VIEWER)}*`, times: 99, action: { status } });

    const { messages } = await start().preview({ ...exclusive, ...adoption });

    const next =
      then === "ends"
        ? `${whatChanges} (${status})`
        : `p: adopts connection profile ${id}, named "theirs": changes name: "theirs" → "ours"`;
    expect(messages.map(wordsOf)).toEqual([added, `${whoLoses} (${status})`, next]);
  });

  test("a profile that is adopted again, by --replace, says once what changes", async () => {
    const engine = start();
    await engine.up({ p: profile({ name: "theirs", adopt: id }) });
    tenant.sent();

    const { messages } = await engine.up({ p: profile({ name: "theirs", adopt: id }) }, { replace: ["p"] });
    const stays = `p: adopts connection profile ${id}, named "theirs": it stays as it is`;
    expect(messages.map(wordsOf).filter((line) => line === stays)).toHaveLength(1);
  });

  test("a profile that is told its own id adopts nothing", async () => {
    const engine = start();
    await engine.up({ p: profile({ name: "ours" }) });
    const [own] = tenant.profiles().filter(({ name }) => name === "ours");
    tenant.sent();

    const { steps, messages } = await engine.preview({
      p: profile({ name: "ours", adopt: String(own?.id) }),
    });
    expect(steps).toEqual([]);
    expect(messages).toEqual([]);
    expect(tenant.sent()).toEqual([]);
  });
});
