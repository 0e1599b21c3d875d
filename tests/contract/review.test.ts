import { readPreview } from "../../cli/review/input/preview";
import { reviewOf } from "../../cli/review/review";
import { ADMINS, BILLING } from "../../simulator/default-seed";
import { viewers } from "../../testkit/assignments";
import { profile, type Program } from "../../testkit/engine";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";
import { ways } from "../../testkit/ways";

/* What a review says of a move depends on the way in: without a listing, the order of registration counts. */

const tenant = useTenant();
catchLines();

const TAKEN_FIRST = "may take it first: the group may be without the role for a moment";
const [a, b] = [viewers(ADMINS), viewers(BILLING)];

describe.each(ways(tenant))("the review of a move, through %s", (way, start) => {
  const reasons = async (program: Program) => {
    const engine = start();
    await engine.up({ a: viewers(ADMINS, BILLING) });
    const { access } = reviewOf(readPreview(await engine.previewJson(program)), false);
    return access.map(({ effect, by }) => [effect, ...by.map(({ reason }) => reason.toString())]);
  };

  test("says the same in both orders of registration", async () => {
    const row = ["keeps", way === "YAML" ? TAKEN_FIRST : "", ""];

    expect(await reasons({ a, b })).toEqual([row]);
    expect(await reasons({ b, a })).toEqual([row]);
  });

  test("is certain where the old assignment depends on the new one", async () => {
    const through = { b, p: profile({ name: "p" }, { dependsOn: ["b"] }) };

    expect(await reasons({ ...through, a: { ...a, dependsOn: ["p"] } })).toEqual([["keeps", "", ""]]);
  });
});
