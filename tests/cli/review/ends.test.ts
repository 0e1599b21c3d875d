import { withinOf } from "../../../cli/ends";
import { readPreview } from "../../../cli/review/input/preview";
import { reviewCommand } from "../../../cli/review/command";
import { documentOf } from "../../../cli/review/output/document";
import { hasEnds } from "../../../cli/review/ends";
import { reviewsOf } from "../../../cli/review/review";
import { toText } from "../../../cli/output/text";
import { SECRET_VALUE } from "../../../provider/seen";
import { groups, previewText, step } from "../../../testkit/cli/previews";

const MADE = new Date("2026-12-01T10:00:00Z");

function drift(steps: readonly object[], time?: string) {
  const preview = readPreview(previewText(steps));
  const asked = time === undefined ? undefined : { within: withinOf(time), linesOf: () => undefined };
  const [{ review }] = reviewsOf([{ preview, answers: undefined }], true, MADE, asked) as [never];
  return review as ReturnType<typeof reviewsOf>[number]["review"];
}

const refreshed = (name: string, before: object) =>
  step({ name, op: "refresh", before: { ...before }, after: { ...before } });
const until = (name: string, end: string, ...ids: string[]) =>
  refreshed(name, { ...groups(...ids), until: end });

test("a drift has the grants that end in time, once the option asks for them", () => {
  const steps = [
    until("brief", "2026-12-01T18:00:00+01:00", "grp_a", "grp_b"),
    until("ended", "2026-11-29", "grp_c"),
    until("revoked", "2026-11-29"),
    until("far", "2026-12-31", "grp_d"),
    until("longer", "2026-12-31", "grp_b"),
  ];
  expect(toText([documentOf(drift(steps, "14d"), [])])).toBe(
    [
      "Drift of access/prod",
      "no drift, the tenant is as the state says · ⏳ 2 assignments end soon",
      "",
      "Ends within 14 days",
      "  2026-11-29, 1 day ago: the next run takes it away  rol_1  grp_c  ended  set a later until in the program",
      "  2026-12-01T18:00:00+01:00, in 7 hours              rol_1  grp_a  brief  set a later until in the program",
      "",
    ].join("\n"),
  );
  expect([hasEnds(drift(steps, "14d")), hasEnds(drift(steps)), hasEnds(drift(steps.slice(2), "1d"))]).toEqual(
    [true, false, false],
  );
  expect(drift(steps).ends).toBeUndefined();
});

test("it doesn't count for the fingerprint, nor as a drift", () => {
  const steps = [until("brief", "2026-12-02", "grp_a")];
  const [plain, asked] = [drift(steps), drift(steps, "14d")];
  expect(asked.fingerprint).toBe(plain.fingerprint);
  expect(asked.categories).toEqual([]);
});

test("secret groups and ends are told without their values", () => {
  const hidden = refreshed("hidden", { ...groups("grp_a"), until: SECRET_VALUE });
  const some = refreshed("some", { ...groups("grp_b"), groupIds: SECRET_VALUE, until: "2026-12-02" });
  const review = drift([hidden, some], "14d");
  const text = toText([documentOf(review, [])]);
  expect(text).toContain(
    "  2026-12-02, in 1 day  rol_1  secret groups  some  set a later until in the program\n",
  );
  expect(text).toContain(
    "It's unknown if these end within 14 days, because their ends are secret: hidden.\n",
  );
});

test("it goes with --drift only", async () => {
  const run = reviewCommand().parseAsync(["--ends-within", "14d"], { from: "user" });
  await expect(run).rejects.toThrow("--ends-within goes with --drift: add it, or ask `access`.");
});
