import { isDeepStrictEqual } from "node:util";
import { IdentityError } from "../../provider";
import { SECRET_INPUTS } from "../../provider/pulumi/hidden-inputs";
import * as runtime from "../../provider/runtime";
import fc from "../../testkit/properties";
import { hostileObject, hostileValue, UNKNOWN, type Values } from "./hostile";
import { assignmentInputs, PROFILE_INPUTS, profileInputs, removalInputs } from "./inputs";
import { expectCases, search } from "./search";

const TENANT = "127.0.0.1:9";
/** Nobody listens there: the look-ahead reports it once, and then stops. */
const CONFIG: Values = { "identity:domain": `http://${TENANT}`, "identity:accessToken": "given-token" };

interface Subject {
  handlers: ReturnType<typeof configured>;
  /** Names of inputs, of outputs and of what the program sends along. */
  names: string[];
  inputs: fc.Arbitrary<Values>;
  /** State right after the resource was created with these inputs. */
  stateOf: (inputs: Values) => Values;
}

function configured(handlers: (typeof runtime)[keyof typeof runtime]) {
  void handlers.configure({ config: { get: (key: string) => CONFIG[key] } as never });
  const check = async (olds: Values, news: Values) => {
    const result = await handlers.check(olds, news);
    return { inputs: result.inputs, failures: result.failures ?? [] };
  };
  return { check, diff: handlers.diff };
}

const HIDDEN = [SECRET_INPUTS, "__sets", "__listedElsewhere", "__provider", "tenant"];
const withTenant = (inputs: Values): Values => ({ ...inputs, tenant: TENANT });

const SUBJECTS: Record<string, Subject> = {
  ConnectionProfile: {
    handlers: configured(runtime.connectionProfile),
    names: [...PROFILE_INPUTS, ...HIDDEN, "adopted", "unconfirmed"],
    inputs: profileInputs,
    stateOf({ adopt, deleteOnDestroy, ...settings }) {
      const handling = {
        ...(adopt !== undefined && { adopt }),
        ...(deleteOnDestroy !== undefined && { deleteOnDestroy }),
      };
      return withTenant({ ...settings, ...handling, adopted: false });
    },
  },
  RoleGroupAssignment: {
    handlers: configured(runtime.roleGroupAssignment),
    names: [
      ...["roleId", "groupIds", "exclusive", "deleteOnDestroy", "until"],
      ...[...HIDDEN, "unconfirmed"],
    ],
    inputs: assignmentInputs,
    stateOf: withTenant,
  },
  DeviceCredentialRemoval: {
    handlers: configured(runtime.deviceCredentialRemoval),
    names: ["deviceCredentialId", ...HIDDEN],
    inputs: removalInputs,
    stateOf: withTenant,
  },
};

const CONTROL = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
let printed: jest.SpyInstance<void, [unknown?, ...unknown[]]>;
beforeAll(() => (printed = jest.spyOn(console, "log").mockImplementation(() => undefined)));
afterEach(() => {
  for (const [line] of printed.mock.calls) expect(line).not.toMatch(CONTROL);
  printed.mockClear();
});
afterAll(() => printed.mockRestore());

function same(one: unknown, other: unknown): void {
  // Jest's own comparison overlooks a key "__proto__".
  if (!isDeepStrictEqual(one, other)) expect(JSON.stringify(one)).toEqual(JSON.stringify(other));
  expect(isDeepStrictEqual(one, other)).toBe(true);
}

const holdsUnknown = (inputs: Values) => JSON.stringify(inputs).includes(UNKNOWN);

describe.each(Object.entries(SUBJECTS))("%s", (_, { handlers, names, inputs, stateOf }) => {
  const { check, diff } = handlers;
  const anything = fc.oneof(
    { weight: 2, arbitrary: inputs },
    { weight: 1, arbitrary: hostileObject(names) },
    // Values that should be there, and others that shouldn't.
    {
      weight: 1,
      arbitrary: fc.tuple(inputs, hostileObject(names)).map(([good, bad]) => ({ ...good, ...bad })),
    },
  );

  test("check never fails, says the same twice, and what it says is one clean line", async () => {
    await search(3_000, fc.tuple(anything, anything), async ([olds, news]) => {
      const first = await check(olds, news);
      same(await check(olds, news), first);
      for (const { property, reason } of first.failures) {
        expect(property).toBe("");
        expect(reason).not.toMatch(CONTROL);
        expect(reason.length).toBeGreaterThan(0);
      }
    });
  });

  test("what check made of inputs it accepts, and leaves as they are", async () => {
    await search(1_500, inputs, async (news) => {
      const { inputs: checked, failures } = await check({}, news);
      if (failures.length > 0) return;
      const again = await check(checked, checked);
      same(again, { inputs: checked, failures: [] });
      if (holdsUnknown(checked)) return;
      // State is JSON, and so are the requests.
      same(JSON.parse(JSON.stringify(checked)), checked);
    });
  });

  test("diff sees a change where check saw one, and only there", async () => {
    await search(1_500, fc.tuple(inputs, inputs, fc.boolean()), async ([before, after, isSame]) => {
      const old = await check({}, before);
      const news = await check(old.inputs, isSame ? before : after);
      if (old.failures.length + news.failures.length > 0 || holdsUnknown(old.inputs)) return;
      const answer = await diff("an-id", stateOf(old.inputs), news.inputs);
      same(await diff("an-id", stateOf(old.inputs), news.inputs), answer);
      const isEqual = isDeepStrictEqual(old.inputs, news.inputs);
      expect(answer.changes).toBe(isEqual ? false : undefined);
      if (isEqual) expect(answer.replaces ?? []).toEqual([]);
    });
  });

  test("diff of any state is an answer, or an error that is one clean line", async () => {
    await search(1_500, fc.tuple(anything, anything, hostileValue), async ([olds, news, id]) => {
      const { inputs: checked, failures } = await check(olds, news);
      try {
        // A refresh compares the old inputs with those it has read.
        await diff(String(JSON.stringify(id)).slice(0, 50), olds, failures.length > 0 ? olds : checked);
      } catch (error) {
        expect(error).toBeInstanceOf(IdentityError);
        const { message } = error as IdentityError;
        expect(message).not.toMatch(CONTROL);
        // A sentence for a person; a defect would leave an exception's message.
        expect(message).toMatch(/ lives on the tenant |^The state of this \w+ is damaged at /);
      }
    });
  });
});

expectCases(22_000);
