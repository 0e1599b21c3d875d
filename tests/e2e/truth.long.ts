import { NEW_SEED } from "../../testkit/properties";
import { RealStage } from "../../testkit/worlds/real-stage";
import { RARE, search } from "../truth/truth";

/** A few worlds from tests/truth, with the real engine instead of the tests' engine. */

test(`what a review said is what was sent, with the real CLI: npm run truth -- --cli --seed ${NEW_SEED % 2 ** 30}`, async () => {
  const { failed, worlds } = await search({
    worlds: 3,
    seed: NEW_SEED % 2 ** 30,
    atOnce: 2,
    without: RARE,
    shrinkMs: 0,
    stage: (main, eu) => RealStage.create(main, eu),
  });

  if (failed.length > 0) throw new Error(failed.map(({ text }) => text).join("\n"));
  expect(worlds).toBe(3);
});
