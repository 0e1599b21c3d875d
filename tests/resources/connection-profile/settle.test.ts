import { type Situation } from "../../../provider/resources/connection-profile/plan";
import { type Changed, settle, settleRead } from "../../../provider/resources/connection-profile/settle";

/* What state records. `storedAs`: what the service has in place of what the program says. */

const A = { name: "a" };
const lost = new Error("lost");

test.each<[string, Situation, Changed, string[], ReturnType<typeof settle>]>([
  [
    "what was sent, as the answer has it",
    { had: { ...A, enabledFeatures: ["x"] }, wanted: { ...A, enabledFeatures: ["y", "x"] } },
    { live: { ...A, enabledFeatures: ["x", "y"] } },
    [],
    { settings: { ...A, enabledFeatures: ["y", "x"] }, storedAs: {}, news: [] },
  ],
  [
    "nothing of a setting that was emptied",
    { had: { ...A, organization: { x: 1 } }, wanted: A },
    { live: { ...A, organization: {} } },
    [],
    { settings: A, storedAs: {}, news: [] },
  ],
  [
    "of an emptied setting, what the service kept",
    { had: { ...A, organization: { x: 1 } }, wanted: A },
    { live: { ...A, organization: { x: 1 } }, kept: ["organization"] },
    [],
    { settings: { ...A, organization: { x: 1 } }, storedAs: {}, news: [] },
  ],
  [
    "a setting outside the change as it was, whatever others did to it",
    { had: { ...A, organization: { x: 1 } }, wanted: { name: "b", organization: { x: 1 } } },
    { live: { name: "b", organization: { x: 2 }, strategyOverrides: { theirs: {} } } },
    [],
    { settings: { name: "b", organization: { x: 1 } }, storedAs: {}, news: [] },
  ],
  [
    "but as it is, if state may be out of date",
    { had: { ...A, organization: { x: 1 } }, wanted: { ...A, organization: { x: 1 } }, isUnconfirmed: true },
    { live: { ...A, organization: { x: 2 } }, failure: lost },
    [],
    { settings: { ...A, organization: { x: 2 } }, storedAs: {}, news: [] },
  ],
  [
    "what was sent, and beside it what the service made of it",
    { had: {}, wanted: { name: "A" } },
    { live: { name: "a" } },
    [],
    {
      settings: { name: "A" },
      storedAs: { name: "a" },
      news: [{ name: "name", sent: "A", storedAs: "a" }],
    },
  ],
  [
    "a secret only as the tenant has it: beside it, the program's would be in clear",
    { had: {}, wanted: { name: "A" } },
    { live: { name: "a" } },
    ["name"],
    { settings: { name: "a" }, storedAs: {}, news: [{ name: "name", sent: "A", storedAs: "a" }] },
  ],
  [
    "what the service has made of an earlier one, without saying it again",
    {
      had: { name: "A", enabledFeatures: ["x"] },
      wanted: { name: "A", enabledFeatures: ["y"] },
      storedAs: { name: "a" },
    },
    { live: { name: "a", enabledFeatures: ["y"] } },
    [],
    { settings: { name: "A", enabledFeatures: ["y"] }, storedAs: { name: "a" }, news: [] },
  ],
  [
    "nothing beside a setting that the program now writes as the service does",
    { had: { name: "A" }, wanted: { name: "a" }, storedAs: { name: "a" } },
    { live: { name: "a" } },
    [],
    { settings: { name: "a" }, storedAs: {}, news: [] },
  ],
  [
    "of a change that failed, nothing of how the service stores it",
    { had: { name: "A" }, wanted: { name: "B" } },
    { live: { name: "A" }, failure: lost },
    [],
    { settings: { name: "A" }, storedAs: {}, news: [] },
  ],
  [
    "an unset value as empty",
    { had: {}, wanted: { ...A, connectionConfig: { x: 1 } } },
    { live: A, failure: lost },
    [],
    { settings: { ...A, connectionConfig: {} }, storedAs: {}, news: [] },
  ],
])("after a change, state records %s", (_what, situation, answer, secrets, expected) => {
  expect(settle(situation, answer, secrets)).toEqual(expected);
});

test.each([
  ["what the tenant has", [{ name: "a" }, {}, { name: "b", organization: { x: 1 } }], { name: "b" }, {}],
  [
    "what the service stores differently, as the program's",
    [{ name: "A" }, { name: "a" }, A],
    { name: "A" },
    A,
  ],
  ["but not once somebody has changed it", [{ name: "A" }, A, { name: "b" }], { name: "b" }, {}],
] as [string, Parameters<typeof settleRead>, object, object][])(
  "after a read, state records %s",
  (_what, given, settings, storedAs) => expect(settleRead(...given)).toEqual({ settings, storedAs }),
);
