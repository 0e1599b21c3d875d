import * as z from "../../provider/zod";
import { type IdentityClient } from "../../provider/http/client";
import { readList, readUpTo } from "../../provider/http/pages";
import { type Simulator } from "../../simulator";
import { DEFAULT_SEED } from "../../simulator/default-seed";
import { closeAll, startTenant } from "../../testkit/client";

/* The beginning of a list, and what a page's envelope says of the rest. The answers are made up here. */

let simulator: Simulator;
let client: IdentityClient;
beforeAll(async () => {
  ({ client, simulator } = await startTenant({ seed: DEFAULT_SEED }));
});
afterAll(closeAll);

const LIST = {
  path: "/groups",
  entries: "groups",
  record: z.looseObject({ id: z.string() }),
  scopes: ["read:groups"],
};
const ids = (count: number, from = 0) => Array.from({ length: count }, (_, i) => ({ id: String(i + from) }));

/** Answers the pages in this order, and fails for one that isn't there. */
function answers(...pages: object[]): void {
  simulator.reset();
  for (const body of pages) simulator.fail({ path: "/api/v2/groups*", action: { status: 200, body } });
}
const asked = () =>
  simulator.requests().flatMap(({ method, path }) => (method === "GET" ? [path.replace(/^.*\?/, "")] : []));

test("a page that says where it stands is followed by number, though the list has a cursor", async () => {
  const envelope = { start: 0, limit: 100, length: 100 };
  answers(
    { ...envelope, groups: ids(100) },
    { ...envelope, start: 100, length: 20, groups: ids(20, 100) },
    { ...envelope, start: 200, length: 0, groups: [] },
  );
  expect(await readUpTo(client, LIST, 1_000)).toEqual({ items: ids(120), isMore: false });
  expect(asked()).toHaveLength(3);
});

test("a length beyond the page is a total", async () => {
  answers({ length: 120, groups: ids(100) }, { length: 120, groups: ids(20, 100) });
  expect(await readList(client, LIST)).toHaveLength(120);
});

test("a total that says otherwise than the end of the cursor is believed", async () => {
  const short = { total: 150, groups: ids(100), next: "a" };
  const last = { groups: ids(20, 100) };
  answers(short, last, short, last);
  await expect(readUpTo(client, LIST, 1_000)).rejects.toThrow("it counts 150 entries, and answers 120");
});

test("has_more without a cursor is no end", async () => {
  answers({ groups: ids(5), has_more: true });
  simulator.fail({ path: "/api/v2/groups*", action: { status: 400 } });
  await expect(readUpTo(client, LIST, 1_000)).rejects.toThrow("GET /groups can't be read whole");
  answers({ groups: ids(5), has_more: false });
  expect(await readUpTo(client, LIST, 1_000)).toEqual({ items: ids(5), isMore: false });
});

test("no more is read than it takes to know that there is more", async () => {
  answers({ groups: ids(100), next: "a" }, { groups: ids(100, 100), next: "b" });
  expect(await readUpTo(client, LIST, 150)).toEqual({ items: ids(150), isMore: true });
  answers({ groups: ids(100), next: "a" }, { groups: ids(100, 100), next: "b" });
  expect(await readUpTo(client, LIST, 200)).toEqual({ items: ids(200), isMore: true });
  expect(asked()).toEqual(["take=100", "take=100&from=a"]);
});
