import { ADMINS, BILLING, CONTRACTORS, AGENT, SUPPORT, VIEWER } from "../../simulator/default-seed";
import { assignment, failed, profile, type Resource } from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { catchLines } from "../../testkit/hosts/host-in-process";
import { useTenant } from "../../testkit/tenant";
import { ways } from "../../testkit/ways";

/*
 * An `ignoreChanges` with an index into a set, through every way in. Classes refuse the option when they see
 * it (tests/pulumi/program/registration.test.ts), so here a transform sets it for them.
 */

const tenant = useTenant();
catchLines();
// In the order in which state has them.
const [A, B, C, D] = [ADMINS, BILLING, CONTRACTORS, SUPPORT].sort() as [string, string, string, string];

const MIXED = /groupIds: holds some elements of the program and some of the last update/;
const INDEX = /ignoreChanges can't name .*: groupIds is a set, so its elements have no fixed places/;

const list = (groupIds: string[], options: Partial<Resource> = {}) =>
  assignment({ roleId: VIEWER, groupIds }, options);

const WAYS = ways(tenant).map(([way, start]) =>
  way === "the classes"
    ? ({ way, start, option: "ignoredByTransform", refusal: MIXED } as const)
    : ({ way, start, option: "ignoreChanges", refusal: INDEX } as const),
);

describe.each(WAYS)("through $way, an index into the groups", ({ start, option, refusal }) => {
  test.each([
    ["would take one that the program lists", [A, B], [D, A], "groupIds[0]"],
    ["would never grant one", [B, D], [A, B, D], "groupIds[0]"],
    ["would keep one, without a repetition to see", [A, B], [C, D], "groupIds[0]"],
    ["would give one fewer", [A, B], [C], "groupIds[0]"],
    ["would mix all that both have", [A, B], [C, D, A], "groupIds[*]"],
  ])("%s: refused before anything is sent", async (_, before, after, path) => {
    const engine = start();
    await engine.up({ a: list(before) });
    tenant.sent();
    const program = { a: list(after, { [option]: [path] }) };

    expect((await failed(engine.preview(program))).errors.join()).toMatch(refusal);
    expect((await failed(engine.up(program))).errors.join()).toMatch(refusal);
    expect(tenant.sent()).toEqual([]);
    expect(tenant.groupsOf(VIEWER)).toEqual([...before].sort());
  });
});

test.each(WAYS.slice(1))(
  "$way refuse an index even where it changes nothing, but not for what a refresh compares",
  async ({ start }) => {
    const engine = start();
    const indexed = list([A, B], { ignoreChanges: ["groupIds[0]"] });
    await engine.up({ a: indexed });

    expect((await failed(engine.preview({ a: indexed }))).errors.join()).toMatch(INDEX);
    await engine.refresh();
    await engine.up({ a: list([A, C]) }, { refresh: true });
    expect(tenant.groupsOf(VIEWER)).toEqual([A, C].sort());
  },
);

test.each(WAYS.slice(1))(
  "$way refuse a misspelt member, for which Pulumi ignores nothing",
  async ({ start }) => {
    const engine = start();
    const enterprise = (showAsButton: string) =>
      profile(
        { name: "enterprise", organization: { showAsButton } },
        { ignoreChanges: ["organization.show_as_button"] },
      );
    await engine.up({ p: enterprise("none") });

    expect((await failed(engine.preview({ p: enterprise("optional") }))).errors.join()).toContain(
      "ignoreChanges: organization.show_as_button is not an input: did you mean organization.showAsButton?",
    );
  },
);

test.each(WAYS)("through $way, sets inside a profile are no different", async ({ start, option }) => {
  const engine = start();
  const enterprise = (enabledFeatures: string[], extra: Partial<Resource> = {}) =>
    profile({ name: "enterprise", strategyOverrides: { okta: { enabledFeatures } } }, extra);
  await engine.up({ p: enterprise(["directory_sync", "scim"]) });
  tenant.sent();

  const program = {
    p: enterprise(["universal_logout", "directory_sync"], {
      [option]: ["strategyOverrides.okta.enabledFeatures[0]"],
    }),
  };

  expect((await failed(engine.up(program))).errors.join()).toMatch(
    /strategyOverrides\.okta\.enabledFeatures(: holds some elements| is a set)/,
  );
  expect(tenant.sent()).toEqual([]);
});

describe("in classes, where a transform sets ignoreChanges", () => {
  const [{ start }] = WAYS as [(typeof WAYS)[number]];

  test("a list ignored as a whole stays, and a group that the program moves to it is taken", async () => {
    const engine = start();
    await engine.up({ b: list([A]), a: list([B, C]) });
    const b = list([A, C], { ignoredByTransform: ["groupIds"] });

    // By then, it's too late to take it.
    expect((await failed(engine.preview({ a: list([B]), b }))).errors.join()).toMatch(
      /groupIds: another assignment gives up a group because the program lists it here/,
    );
    const { messages } = await engine.preview({ b, a: list([B]) });
    await engine.up({ b, a: list([B]) });

    expect(messages).toEqual([expect.stringContaining(`− ${C}, unless the program still lists them`)]);
    expect(engine.resource("b").outputs["groupIds"]).toEqual([A]);
    // Nobody would manage it if it kept the role.
    expect(tenant.groupsOf(VIEWER)).toEqual([A, B].sort());
  });

  test("a transform of the inputs may add, leave out and sort", async () => {
    const engine = start();
    const lateTransform = (inputs: Values) => ({
      ...inputs,
      groupIds: [...(inputs["groupIds"] as string[]), C].sort(),
    });
    const program = (groupIds: string[]) => ({ a: list(groupIds, { lateTransform }) });
    await engine.up(program([B, A]));
    await engine.up(program([D, B]));

    expect(tenant.groupsOf(VIEWER)).toEqual([B, C, D].sort());
    expect((await engine.up(program([D, B]))).steps).toEqual([]);
  });

  test("a role is listed as the handlers see it, wherever a transform has moved the assignment", async () => {
    const engine = start();
    await engine.up({ a: list([A, B]), b: list([C]) });
    const lateTransform = (inputs: Values) => ({ ...inputs, roleId: AGENT });
    await engine.up({ a: list([A, B], { lateTransform }), b: list([C]) });

    expect(tenant.groupsOf(VIEWER)).toEqual([C]);
    expect(tenant.groupsOf(AGENT)).toEqual(expect.arrayContaining([A, B]));

    // The listing is about the role that the program gives, so it isn't one of the other.
    const moved = { b: list([C, D]), a: list([A, B], { lateTransform }) };
    await engine.up({ b: list([C]), a: list([A, B, D], { lateTransform }) });
    const { messages } = await engine.preview({ ...moved, a: list([A, B], { lateTransform }) });
    expect(messages.join()).toContain(`role ${AGENT}: − ${D}, unless the program still lists them`);
    await engine.up(moved);
    expect(tenant.groupsOf(AGENT)).not.toContain(D);
  });

  test("an end that a transform sets, or that comes between the program and its check, takes the role", async () => {
    const engine = start();
    await engine.up({ a: list([A, B]) });
    const lateTransform = (inputs: Values) => ({ ...inputs, until: "2020-02-29" });
    const { messages } = await engine.preview({ a: list([A, B], { lateTransform }) });
    await engine.up({ a: list([A, B], { lateTransform }) });

    expect(messages.join()).toContain("since it ended 2020-02-29");
    expect(tenant.groupsOf(VIEWER)).toEqual([]);
    expect(engine.resource("a").outputs["groupIds"]).toEqual([]);
  });
});
