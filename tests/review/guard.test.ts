import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { toJson } from "../../cli/review/output/json";
import { IdentityError } from "../../provider/http/errors";
import { revocations } from "../../provider/review/act";
import { ReviewGuard } from "../../provider/review/guard";
import { groups, made, step, TENANT } from "../../testkit/cli/previews";
import { useFolder } from "../../testkit/folder";

/*
 * Cases that tests/host/held.test.ts can't show: a handler's requests, and requests outside of any handler.
 */

const folder = useFolder();

const heldTo = (...steps: object[]) => heldToReview(steps, false);

function heldToReview(steps: readonly object[], unknownAccepted: boolean): ReviewGuard {
  const file = join(folder, "review.json");
  const making = { made: new Date(), unknownAccepted, environmentTenant: undefined };
  writeFileSync(file, JSON.stringify(toJson(made(steps), making)));
  return new ReviewGuard({ file, required: false, tenant: TENANT, isDefault: true });
}

const send = jest.fn(() => Promise.resolve({}));
beforeEach(() => send.mockClear());
const call = (method: "POST" | "PATCH" | "DELETE", path: string, ids: Record<string, string> = {}) => ({
  method,
  path,
  ids,
  body: { name: "a" },
  scopes: [],
});

test("a loss that the review has as a move says what may be in its way", async () => {
  const guard = heldTo(
    step({ name: "a", before: groups("grp_a", "grp_b"), after: groups("grp_a") }),
    step({ name: "b", after: groups("grp_b") }),
  );
  const revoke = (group: string) =>
    guard.during({}, [], () => {
      guard.allow(revocations({ role: "rol_1" }, [group]));
      return Promise.resolve();
    });
  await expect(revoke("grp_b")).rejects.toThrow(
    /grp_b would lose it, but .* which this run hasn't checked yet/,
  );
  await expect(revoke("grp_a")).rejects.toThrow(
    /grp_a would lose it, but .* Preview and review the change again\.$/,
  );
});

test("a revocation is judged when it's built, and not when it's planned", async () => {
  const guard = heldTo(step({ name: "a", before: groups("grp_a", "grp_b"), after: groups("grp_a") }));
  const revoke = {
    ...call("DELETE", "/roles/{id}/groups", { id: "rol_1" }),
    body: { groups: ["grp_a", "grp_b"] },
  };
  const planned = revocations({ role: "rol_1" }, ["grp_a", "grp_b"]);
  expect(guard.problemsOf({ name: "a" }, planned)).toEqual([]);
  await guard.during({ name: "a" }, planned, async () => {
    await expect(guard.send(revoke, send)).rejects.toThrow("DELETE /roles/{id}/groups would be sent, but");
    guard.allow(revocations({ role: "rol_1" }, ["grp_b"]));
    // Each call is sent whole, or not at all.
    await expect(guard.send(revoke, send)).rejects.toThrow("would be sent, but");
    await guard.send({ ...revoke, body: { groups: ["grp_b"] } }, send);
  });
  expect(send).toHaveBeenCalledTimes(1);
});

const PROFILE = { kind: "ConnectionProfile", name: "p", after: { name: "a" } };

test("a profile is written by the operation that planned it, and by nothing else", async () => {
  const guard = heldTo(step(PROFILE));
  const create = { act: "create profile" as const, wanted: { name: "a" } };
  const post = call("POST", "/connection-profiles");
  await expect(guard.send(post, send)).rejects.toThrow("POST /connection-profiles would be sent, but");
  await guard.during({ name: "p" }, [create], async () => {
    // A create whose answer was lost is posted again.
    await guard.send(post, send);
    await guard.send(post, send);
    const patch = call("PATCH", "/connection-profiles/{id}", { id: "cop_1" });
    await expect(guard.send(patch, send)).rejects.toThrow("doesn't allow that");
  });
  await expect(guard.during({ name: "q" }, [create], () => guard.send(post, send))).rejects.toThrow(
    'a connection profile named "a" would be created with these settings, but',
  );
  expect(send).toHaveBeenCalledTimes(2);
});

test.each([
  ["was refused", "refused", true],
  ["was not sent", "not sent", true],
  ["may have been done", "unknown", false],
] as const)("a profile whose create %s can be made by another try: %s, %s", async (_, outcome, isFree) => {
  const guard = heldTo(step(PROFILE));
  const create = { act: "create profile" as const, wanted: { name: "a" } };
  const attempt = () =>
    guard.during({ name: "p" }, [create], () => Promise.reject(new IdentityError("no", outcome)));
  await expect(attempt()).rejects.toThrow("no");
  await expect(attempt()).rejects.toThrow(isFree ? "no" : "would be created with these settings, but");
});

test("what a profile has is a hole where the outcome of its last change is unknown", () => {
  const kept = { name: "a", enabledFeatures: ["scim"] };
  const steps = [
    step({
      ...PROFILE,
      op: "update",
      id: "cop_1",
      before: kept,
      after: kept,
      outputs: { ...kept, unconfirmed: true },
    }),
  ];
  const write = { act: "change profile" as const, id: "cop_1", wanted: kept };
  const stale = { ...write, had: { ...kept, enabledFeatures: [] } };
  expect(heldToReview(steps, false).problemsOf({ name: "p" }, [stale])).toEqual([
    expect.stringMatching(/^connection profile cop_1: it would change, but .* calls this unknown/),
  ]);
  expect(heldToReview(steps, true).problemsOf({ name: "p" }, [stale])).toEqual([]);
  const other = { ...stale, wanted: { ...kept, enabledFeatures: ["universal_logout"] } };
  expect(heldToReview(steps, true).problemsOf({ name: "p" }, [other])).toEqual([
    expect.stringContaining("cop_1: enabledFeatures would get another value, but review.json"),
  ]);
});

test("a call that is none of this package's is refused", async () => {
  const guard = heldTo(step(PROFILE));
  const users = call("DELETE", "/users/{id}", { id: "auth0|1" });
  await expect(guard.send(users, send)).rejects.toThrow("DELETE /users/{id} would be sent, but review.json");
});

test("a review of another stack is refused once a resource tells which stack this is", () => {
  const guard = heldTo(step(PROFILE));
  expect(guard.problems(undefined)).toEqual([]);
  expect(guard.problems("access/dev")).toEqual([
    expect.stringContaining("is that of access/prod, and this is access/dev"),
  ]);
});
