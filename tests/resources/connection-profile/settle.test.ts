import { type Situation } from "../../../provider/resources/connection-profile/plan";
import { type Changed, settle, settleRead } from "../../../provider/resources/connection-profile/settle";

/*
 * What state records. `shown`: what the service shows in place of what the program says.
 * tests/contract/connection-profile-values.test.ts has what comes of it over several runs.
 */

const A = { name: "a" };
const lost = new Error("lost");

test.each<[string, Situation, Changed, string[], ReturnType<typeof settle>]>([
  [
    "what was sent, as the answer has it",
    { had: { ...A, enabledFeatures: ["x"] }, wanted: { ...A, enabledFeatures: ["y", "x"] } },
    { live: { ...A, enabledFeatures: ["x", "y"] } },
    [],
    { settings: { ...A, enabledFeatures: ["y", "x"] }, shown: {}, lacking: [], news: [] },
  ],
  [
    "nothing of a setting that was emptied",
    { had: { ...A, organization: { x: 1 } }, wanted: A },
    { live: { ...A, organization: {} } },
    [],
    { settings: A, shown: {}, lacking: [], news: [] },
  ],
  [
    "of an emptied setting, what the service kept",
    { had: { ...A, organization: { x: 1 } }, wanted: A },
    { live: { ...A, organization: { x: 1 } }, kept: ["organization"] },
    [],
    { settings: { ...A, organization: { x: 1 } }, shown: {}, lacking: [], news: [] },
  ],
  [
    "a setting outside the change as it was, whatever others did to it",
    { had: { ...A, organization: { x: 1 } }, wanted: { name: "b", organization: { x: 1 } } },
    { live: { name: "b", organization: { x: 2 }, strategyOverrides: { theirs: {} } } },
    [],
    { settings: { name: "b", organization: { x: 1 } }, shown: {}, lacking: [], news: [] },
  ],
  [
    "but as it is, if state may be out of date",
    { had: { ...A, organization: { x: 1 } }, wanted: { ...A, organization: { x: 1 } }, isUnconfirmed: true },
    { live: { ...A, organization: { x: 2 } }, failure: lost },
    [],
    { settings: { ...A, organization: { x: 2 } }, shown: {}, lacking: [], news: [] },
  ],
  [
    "what was sent, and beside it what the service made of it",
    { had: {}, wanted: { name: "A" } },
    { live: { name: "a" } },
    [],
    {
      settings: { name: "A" },
      shown: { name: "a" },
      lacking: [],
      news: [{ name: "name", sent: "A", shown: "a" }],
    },
  ],
  [
    "a secret only as the tenant has it: beside it, the program's would be in clear",
    { had: {}, wanted: { name: "A" } },
    { live: { name: "a" } },
    ["name"],
    { settings: { name: "a" }, shown: {}, lacking: [], news: [{ name: "name", sent: "A", shown: "a" }] },
  ],
  [
    "what the service has made of an earlier one, without saying it again",
    {
      had: { name: "A", enabledFeatures: ["x"] },
      wanted: { name: "A", enabledFeatures: ["y"] },
      shown: { name: "a" },
    },
    { live: { name: "a", enabledFeatures: ["y"] } },
    [],
    { settings: { name: "A", enabledFeatures: ["y"] }, shown: { name: "a" }, lacking: [], news: [] },
  ],
  [
    "nothing beside a setting that the program now writes as the service does",
    { had: { name: "A" }, wanted: { name: "a" }, shown: { name: "a" } },
    { live: { name: "a" } },
    [],
    { settings: { name: "a" }, shown: {}, lacking: [], news: [] },
  ],
  [
    "of a change that failed, nothing of how the service stores it",
    { had: { name: "A" }, wanted: { name: "B" } },
    { live: { name: "A" }, failure: lost },
    [],
    { settings: { name: "A" }, shown: {}, lacking: [], news: [] },
  ],
  [
    "… and still what reads have found different",
    { had: { name: "b" }, wanted: A, lacking: ["name"] },
    { live: { name: "b" }, failure: lost },
    [],
    { settings: { name: "b" }, shown: {}, lacking: ["name"], news: [] },
  ],
  [
    "an unset value as empty",
    { had: {}, wanted: { ...A, connectionConfig: { x: 1 } } },
    { live: A, failure: lost },
    [],
    { settings: { ...A, connectionConfig: {} }, shown: {}, lacking: [], news: [] },
  ],
])("after a change, state records %s", (_what, situation, answer, secrets, expected) => {
  expect(settle(situation, answer, secrets)).toEqual(expected);
});

test.each<[string, Parameters<typeof settleRead>, ReturnType<typeof settleRead>]>([
  [
    "what the tenant has, and the name of what differs",
    [
      { had: { ...A, enabledFeatures: ["x"] } },
      { name: "b", enabledFeatures: ["x"], organization: { x: 1 } },
    ],
    { settings: { name: "b", enabledFeatures: ["x"] }, shown: {}, lacking: ["name"] },
  ],
  [
    "that name until it is written again",
    [{ had: A, lacking: ["name"] }, A],
    { settings: A, shown: {}, lacking: ["name"] },
  ],
  [
    "what the service shows differently, as the program's",
    [{ had: { name: "A" }, shown: A }, A],
    { settings: { name: "A" }, shown: A, lacking: [] },
  ],
  [
    "but not once the service shows something else",
    [{ had: { name: "A" }, shown: A }, { name: "b" }],
    { settings: { name: "b" }, shown: {}, lacking: ["name"] },
  ],
  [
    "of a secret only what the tenant has",
    [{ had: { name: "A" } }, A, ["name"]],
    { settings: A, shown: {}, lacking: [] },
  ],
])("after a read, state records %s", (_what, given, expected) =>
  expect(settleRead(...given)).toEqual(expected),
);
