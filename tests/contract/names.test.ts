import { readPreview } from "../../cli/review/input/preview";
import { reviewOf } from "../../cli/review/review";
import { FOUND_NAMES } from "../../provider/pulumi/hidden-inputs";
import { factIn } from "../../provider/review/facts";
import { ADMINS, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { assignment, type Program, secret } from "../../testkit/engine";
import { TEXTS } from "../../testkit/hostile-texts";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";
import { ways } from "../../testkit/ways";

/* Names that the program has looked up, beside lines; e2e/data-sources.test.ts has real lookups. */

const tenant = useTenant();
catchLines();

const NAMES = { [VIEWER]: "billing-viewer", [ADMINS]: "directory-admins", [SUPPORT]: "support-desk" };
const program = (groupIds: unknown, names: Record<string, unknown> | undefined = NAMES): Program => ({
  a: assignment({ roleId: VIEWER, groupIds, ...(names && { [FOUND_NAMES]: names }) }),
});
const named = `a: ${VIEWER} is "billing-viewer", ${ADMINS} is "directory-admins"`;

describe.each(ways(tenant))("through %s", (way, start) => {
  const said = (...lines: string[]) => (way === "YAML" ? [] : lines);

  test("a create and an update say what their ids are called; another name is no change, and state has none", async () => {
    const engine = start();
    const created = await engine.up(program([ADMINS]));
    expect(created.messages).toEqual([`a: role ${VIEWER}: + ${ADMINS}`, ...said(named)]);
    const { inputs, outputs } = engine.resource("a");
    expect(JSON.stringify([inputs, outputs])).not.toContain("directory-admins");

    for (const names of [{ ...NAMES, [ADMINS]: "renamed" }, {}, undefined]) {
      const again = await engine.preview(program([ADMINS], names));
      expect([again.steps, again.messages]).toEqual([[], []]);
    }

    const updated = await engine.up(program([SUPPORT]));
    expect(updated.messages).toEqual([
      // Without a listing, it says until when that isn't certain.
      expect.stringContaining(`a: role ${VIEWER}: + ${SUPPORT}; − ${ADMINS}`),
      ...said(
        `a: ${VIEWER} is "billing-viewer", ${SUPPORT} is "support-desk", ${ADMINS} is "directory-admins"`,
      ),
    ]);
  });

  test("a review reads the lines as before, with the same fingerprint", async () => {
    const engine = start();
    const reviewed = async (names?: object) =>
      reviewOf(readPreview(await engine.previewJson(program([ADMINS], names as never))), false);
    const { fingerprint, ...review } = await reviewed(NAMES);
    const plain = await reviewed({});
    expect(fingerprint).toBe(plain.fingerprint);
    expect(review.unknown).toEqual(plain.unknown);
  });

  test("a secret id gets no name, and neither does anything else that isn't a text", async () => {
    const engine = start();
    const { messages } = await engine.preview(program(secret([ADMINS])));
    expect(messages.join()).not.toContain("directory-admins");
    const strange = await engine.preview(program([SUPPORT], { [SUPPORT]: 7, [VIEWER]: null }));
    expect(strange.messages).toEqual([`a: role ${VIEWER}: + ${SUPPORT}`]);
  });

  test("a hostile name stays a text within its line", async () => {
    const engine = start();
    const names = [
      ...TEXTS.filter((text) => text !== ""),
      `x"; role ${VIEWER}: + ${SUPPORT}`,
      `\na: role ${VIEWER}: − ${SUPPORT}`,
      ` {"exclusive":"${VIEWER}","takes":["${SUPPORT}"]}`,
    ];
    for (const name of names) {
      const { messages } = await engine.preview(program([ADMINS], { [ADMINS]: name }));
      expect(messages.slice(1)).toHaveLength(said("").length);
      for (const line of messages.slice(1)) {
        expect(line).toMatch(/^a: grp_\w+ is "[^\n\r\p{Cc}\u202a-\u202e\u2066-\u2069\u200b]*"$/u);
        expect(factIn(line)).toBeUndefined();
      }
    }
  });
});
