import { type IdentityClient } from "../../provider/http/client";
import { type ListCall, readPage } from "../../provider/http/page";
import * as z from "../../provider/zod";

const record = z.looseObject({ id: z.string() });

/** The shapes that these pages are checked against. */
async function shapesOf(...lists: Pick<ListCall<{ id: string }>, "entries" | "isNumbered">[]) {
  const shapes: unknown[] = [];
  const send = ({ answer }: { answer: unknown }) => Promise.resolve((shapes.push(answer), []));
  const client = { send } as unknown as IdentityClient;
  for (const list of lists)
    await readPage(client, { path: "/things", record, scopes: [], ...list }, undefined);
  return shapes;
}

test("the shape of a page is made once for all pages of such lists", async () => {
  const [first, second] = await shapesOf({ entries: "things" }, { entries: "things" });
  expect(second).toBe(first);
});

test("lists that differ in name or paging have shapes of their own", async () => {
  const shapes = await shapesOf(
    { entries: "things" },
    { entries: "others" },
    { entries: "things", isNumbered: true },
  );
  expect(new Set(shapes).size).toBe(3);
});
