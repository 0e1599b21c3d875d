import { readFileSync } from "node:fs";
import { join } from "node:path";
import { planTable } from "./experiments";

test("the page on the rate limit shows what the experiments give", async () => {
  const page = readFileSync(join(__dirname, "../../../provider/http/rate-limit/README.md"), "utf8");
  // Prettier pads the cells.
  const plain = (text: string) => text.replace(/ +/g, " ").replace(/-{3,}/g, "---");
  expect(plain(page)).toContain(plain(await planTable()));
});
