import { LAPTOP, PHONE } from "../../simulator/default-seed";
import { later, removal, type Resource, UNKNOWN } from "../../testkit/engine";
import { damagedRows, type Happening, type Row, table, WITHOUT_LISTING } from "./table";
import { notReviewed } from "./words";

/* A removal does all of it in `create`; what is removed stays so. */

const rowsOf = (operation: string, rows: readonly Row[]) => table(operation, rows, WITHOUT_LISTING);

const a = removal(PHONE);
const call = (id: string, status = 204) => `DELETE /device-credentials/${id} ${status}`;
const removes = (id: string) => `a: permanently removes device credential ${id}`;
const STAYS = `Device credential ${PHONE} stays deleted: a removal can't be undone, so nothing was sent.`;
const UNKNOWN_ID = "a: permanently removes a device credential whose id is not known yet";
const read: Resource = { kind: "DeviceCredentialRemoval", inputs: {}, get: PHONE };
const NOT_THERE = /^Device credential dcr_\w+ is not on [\d.:]+, so nothing was removed\. Check the id/;
const gone: Happening = ({ tenant }) => tenant.outside("DELETE", `/device-credentials/${PHONE}`);

rowsOf("check", [
  {
    title: "an id that isn't known yet is planned, without a request",
    when: { preview: { a: removal(UNKNOWN) } },
    then: { steps: ["create a"], lines: [UNKNOWN_ID] },
  },
  {
    title: "an id of another kind is refused",
    when: { preview: { a: removal("cop_2GjRf8mYd5LcVt7K9sPmZa") } },
    then: { errors: [/deviceCredentialId: must be the id of a device credential/] },
  },
  {
    title: "two that remove one credential are refused, with both names",
    when: { preview: { first: a, second: a } },
    then: {
      errors: [
        'second: DeviceCredentialRemoval "first" and "second" both remove one credential: keep one of them.',
      ],
      lines: ["first", "second"].map((name) => `${name}: permanently removes device credential ${PHONE}`),
    },
  },
  ...(["preview", "up"] as const).map((run): Row => ({
    title: `a policy pack changes which one: nothing is sent (${run})`,
    given: { made: { a } },
    when: { [run]: { a: { ...a, remediate: { deviceCredentialId: LAPTOP } } } } as unknown as Row["when"],
    then: {
      errors: [
        "a: Nothing was sent: after the provider had checked a, something changed its deviceCredentialId, as a policy " +
          "pack's remediation does. Write the change into the program, or make the policy mandatory.",
      ],
    },
  })),
]);

rowsOf("diff", [
  {
    title: "the same id is no change",
    given: { made: { a } },
    when: { up: { a } },
    then: { steps: [] },
  },
  {
    title: "an id that isn't known yet may be another one: replaced, without a request",
    given: { made: { a } },
    when: { preview: { a: removal(later(LAPTOP) as string) } },
    then: { steps: ["replace a: deviceCredentialId", "delete replaced a"], lines: [UNKNOWN_ID] },
  },
]);

rowsOf("create", [
  {
    title: "one DELETE; the preview says that it is permanent",
    when: { up: { a } },
    then: {
      steps: ["create a"],
      preview: "the same",
      requests: [call(PHONE)],
      lines: [removes(PHONE)],
      outputs: { a: ["__name", "__provider", "deviceCredentialId", "tenant"] },
      removed: [PHONE],
    },
    sample: true,
  },
  ...([404, 204] as const).map((status) => ({
    title: `a credential that is not there counts as removed, where the service answers ${status}`,
    given: { tenant: { behaviour: { delete_unknown_device_credential: status } }, since: gone },
    when: { up: { a } },
    then: {
      requests: [call(PHONE, status)],
      lines: [removes(PHONE), ...(status === 404 ? [NOT_THERE] : [])],
    },
  })),
  {
    title: "another id removes that one too, and sends nothing for the first",
    given: { made: { a } },
    when: { up: { a: removal(LAPTOP) } },
    then: {
      steps: ["replace a: deviceCredentialId", "delete replaced a"],
      preview: [removes(LAPTOP)],
      requests: [call(LAPTOP)],
      lines: [removes(LAPTOP), STAYS],
      removed: [LAPTOP, PHONE],
    },
  },
  {
    title: "a lost answer is asked for again, since deleting twice is deleting once",
    given: { faults: [{ method: "DELETE", path: "*", action: { drop: "after" } }] },
    when: { up: { a } },
    then: {
      requests: [call(PHONE, 0), call(PHONE, 404)],
      lines: [removes(PHONE), NOT_THERE],
      removed: [PHONE],
    },
  },
]);

rowsOf("read", [
  {
    title: "sends nothing: the service has no call for it",
    given: { made: { a } },
    when: { refresh: {} },
    then: { steps: [] },
  },
]);

rowsOf("import", [
  {
    title: "get: what was removed elsewhere sends nothing",
    given: { since: gone },
    when: { up: { a: read } },
    then: { steps: ["read a"], state: { a: { deviceCredentialId: PHONE } }, left: ["read a"] },
    notFor: {
      "the classes of /plugin": "the engine doesn't say whether it's an import, which can't be",
      YAML: "the engine doesn't say whether it's an import, which can't be",
    },
  },
  {
    title: "refused: the service has no call for it",
    when: { up: { a: read } },
    then: {
      errors: [
        `a: DeviceCredentialRemoval "${PHONE}" can't be read: the service has no call for it. Declare it in the program.`,
      ],
    },
    notFor: { "the classes": "their get says who removed it elsewhere" },
  },
]);

rowsOf("delete", [
  ...damagedRows(
    "a",
    { made: { a }, change: { a } },
    { "DeviceCredentialRemoval is damaged at deviceCredentialId": { deviceCredentialId: {} } },
    { removed: [PHONE] },
  ),
  {
    title: "sends nothing, and says that it stays deleted",
    given: { made: { a } },
    when: { destroy: {} },
    then: { steps: ["delete a"], lines: [STAYS] },
  },
]);

rowsOf("held", [
  {
    title: "another credential than the reviewed one is refused",
    given: { reviewed: { a } },
    when: { up: { a: removal(LAPTOP) } },
    then: {
      errors: [notReviewed(`device credential ${LAPTOP} would be removed, but`)],
      lines: [removes(LAPTOP)],
    },
  },
  {
    title: "a replacement of one that an earlier run has removed needs no review, and removes nothing",
    given: { made: { a }, since: ({ engine }) => engine.taint("a"), reviewed: { a } },
    when: { up: { a } },
    then: { requests: [call(PHONE, 404)], lines: [removes(PHONE), NOT_THERE, STAYS] },
  },
]);
