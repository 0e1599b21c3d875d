import { ApiError, InsufficientScopeError, NotFoundError } from "../../../provider/http/errors";
import {
  type Reply,
  begin,
  withSent,
  next,
  requestOf,
  type RoleCall,
  sentBy,
} from "../../../provider/resources/role-group-assignment/next";
import fc from "../../../testkit/properties";

const call = { method: "POST", path: "/roles/rol_1/groups" };
const error = new ApiError(call, { status: 400, message: "No." });
const gone = new NotFoundError(call, { status: 404, message: "No such role." });
const mayNot = new InsufficientScopeError(call, { status: 403, message: "May not." }, ["read:group_roles"]);
const lost = new Error("lost");

const DONE: Reply = { result: "done", groups: [] };
const REFUSED: Reply = { result: "refused", error };
const LOST: Reply = { result: "lost", error: lost };
const listed = (groups = ""): Reply => ({ result: "done", groups: [...groups] });
const notListed = (why: Error): Reply => ({ result: "failed", error: why });

/** Answers each request in turn; returns the requests, and how the call ended. Each letter is a group. */
function play(
  roleCall: RoleCall,
  groups: string,
  answers: readonly Reply[],
  isJustWritten = false,
): [requests: string, result: unknown] {
  let state = begin(roleCall, [...groups], { groups: [], unconfirmed: [], isJustWritten });
  const requests: string[] = [];
  for (const answer of answers) {
    const request = requestOf(state);
    requests.push(request === "list" ? request : (request?.join("") ?? "over"));
    state = next(state, answer);
  }
  const { done, refused, unclear, failure } = sentBy(state);
  const result = {
    ...(done.length > 0 && { done: [...done].sort().join("") }),
    ...(refused.length > 0 && { refused: refused.map(({ group }) => group).join("") }),
    ...(unclear.length > 0 && { unclear: unclear.join("") }),
    ...(failure !== undefined && { failure: failure as Error }),
  };
  return [requests.join(" "), requestOf(state) === undefined ? result : "goes on"];
}

test.each<[string, Parameters<typeof play>, string, object]>([
  ["one call", ["grant", "abc", [DONE]], "abc", { done: "abc" }],
  ["a group that is refused alone", ["grant", "a", [REFUSED, listed()]], "a list", { refused: "a" }],
  [
    "halves, until the refused group is known; the list shows at the end that it isn't done all the same",
    ["grant", "abcd", [REFUSED, listed(), REFUSED, DONE, REFUSED, DONE, listed("bcd")]],
    "abcd list ab cd a b list",
    { done: "bcd", refused: "a" },
  ],
  [
    "a refusal that the list denies at the end",
    ["grant", "ab", [REFUSED, listed(), REFUSED, DONE, listed("ab")]],
    "ab list a b list",
    { done: "ab" },
  ],
  [
    "refused because of groups that have the role already: only the rest is sent again",
    ["grant", "abc", [REFUSED, listed("bx"), DONE]],
    "abc list ac",
    { done: "abc" },
  ],
  [
    "and those that lost it already",
    ["revoke", "abc", [REFUSED, listed("bx"), DONE]],
    "abc list b",
    { done: "abc" },
  ],
  [
    "a list that may lag proves no removal",
    ["revoke", "ab", [REFUSED, listed(""), DONE, DONE], true],
    "ab list a b",
    { done: "ab" },
  ],
  [
    "refused, and the role is gone",
    ["grant", "ab", [REFUSED, notListed(gone)]],
    "ab list",
    { failure: error },
  ],
  [
    "refused, and nobody knows what was done",
    ["grant", "ab", [REFUSED, notListed(lost)]],
    "ab list",
    { unclear: "ab", failure: error },
  ],
  [
    "a client that may not list the role doesn't try a second time",
    ["grant", "ab", [REFUSED, notListed(mayNot), REFUSED, DONE]],
    "ab list a b",
    { done: "b", refused: "a" },
  ],
  [
    "a lost grant: the list shows what is left",
    ["grant", "abc", [LOST, listed("b"), DONE]],
    "abc list ac",
    { done: "abc" },
  ],
  [
    "a grant that is lost among the halves",
    ["grant", "abcd", [REFUSED, listed(), LOST, listed("a"), DONE, REFUSED, DONE, REFUSED, listed("abc")]],
    "abcd list ab list b cd c d list",
    { done: "abc", refused: "d" },
  ],
  ["a lost grant that was done", ["grant", "ab", [LOST, listed("ab")]], "ab list", { done: "ab" }],
  [
    "a lost grant, and no list",
    ["grant", "ab", [LOST, notListed(lost)]],
    "ab list",
    { unclear: "ab", failure: lost },
  ],
  ["a lost removal is sent again", ["revoke", "ab", [LOST, DONE]], "ab ab", { done: "ab" }],
  ["two lost answers", ["revoke", "ab", [LOST, LOST]], "ab ab", { unclear: "ab", failure: lost }],
  [
    "lost, then refused: it may be done, and a list that may lag wouldn't tell",
    ["grant", "ab", [LOST, listed(), REFUSED, listed(), REFUSED, REFUSED, listed()]],
    "ab list ab list a b list",
    { refused: "ab", unclear: "ab" },
  ],
  [
    "a failure that smaller calls wouldn't change: the rest isn't sent, and the list shows what was done",
    ["grant", "abcd", [REFUSED, listed(), REFUSED, { result: "failed", error: lost }, listed("c")]],
    "abcd list ab cd list",
    { done: "c", failure: lost },
  ],
  [
    "without a refusal, nothing is left to look for",
    ["grant", "ab", [{ result: "failed", error: lost }]],
    "ab",
    { failure: lost },
  ],
  [
    "a last look that fails leaves the refusals as they are",
    ["grant", "ab", [REFUSED, listed(), REFUSED, DONE, notListed(lost)]],
    "ab list a b list",
    { done: "b", refused: "a" },
  ],
])("%s", (_what, given, requests, result) => {
  expect(play(...given)).toEqual([requests, result]);
});

test("15 refusals in a row are no matter of single groups", () => {
  const groups = "abcdefghijklmnopqrstuvwxyz";
  const refusals = Array.from({ length: 14 }, () => REFUSED);
  const [requests, result] = play("grant", groups, [REFUSED, listed(), ...refusals, listed()]);
  expect(requests.split(" ").filter((request) => request !== "list")).toHaveLength(15);
  expect(result).toEqual({ failure: error });
});

test("… also if the list shows that each of them is done in part; after a call that succeeded, all are looked for", () => {
  const groups = "abcdefghijklmnopqrstuvwxyz";
  const refusals = Array.from({ length: 14 }, () => REFUSED);
  const [requests, result] = play("grant", groups, [REFUSED, listed("a"), ...refusals, listed("a")]);
  expect(requests.split(" ").filter((request) => request !== "list")).toHaveLength(15);
  expect(result).toEqual({ done: "a", failure: error });
  const [more, end] = play("grant", groups, [REFUSED, listed(), DONE, ...refusals, REFUSED]);
  expect([more.match(/list/g), end]).toEqual([["list"], "goes on"]);
});

test("a refusal says that the group may be done, if the client may not look", () => {
  let state = begin("revoke", ["a"], { groups: [], unconfirmed: [] });
  for (const answer of [REFUSED, notListed(mayNot)]) state = next(state, answer);
  expect(sentBy(state).refused.map(({ error: { message } }) => message)).toEqual([
    `${error.message} It may have lost the role all the same, which could not be read: ${mayNot.message}`,
  ]);
});

test.each<[string, Parameters<typeof withSent>, object]>([
  [
    "has what it was granted, and what it may have been granted",
    [{ groups: ["a"], unconfirmed: ["a"] }, "grant", { done: ["a", "b"], unclear: ["c"] }],
    { groups: ["a", "b", "c"], unconfirmed: ["c"] },
  ],
  [
    "has not what was revoked, but what may have been",
    [{ groups: ["a", "b", "c"], unconfirmed: ["a"] }, "revoke", { done: ["a"], unclear: ["b", "x"] }],
    { groups: ["b", "c"], unconfirmed: ["b"] },
  ],
])("an assignment %s", (_what, given, expected) => {
  expect(withSent(...given)).toEqual(expected);
});

test("whichever groups are refused, each one is sent alone, and all others are done", () => {
  const some = fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(some, fc.func(fc.boolean()), (numbers, isBad) => {
      const groups = numbers.map(String);
      const done = new Set<string>();
      let [state, calls] = [begin("grant", groups, { groups: [], unconfirmed: [] }), 0];
      for (let request = requestOf(state); request !== undefined; request = requestOf(state)) {
        const part = request === "list" ? [] : request;
        if (request !== "list") calls++;
        const isRefused = part.some((group) => isBad(group));
        if (!isRefused) part.forEach((group) => done.add(group));
        const answer: Reply = isRefused ? REFUSED : DONE;
        state = next(state, request === "list" ? { result: "done", groups: [...done] } : answer);
      }
      const sent = sentBy(state);
      expect([...sent.done].sort()).toEqual([...done].sort());
      const bad = groups.filter((group) => isBad(group));
      if (sent.failure === undefined)
        expect(sent.refused.map(({ group }) => group).sort()).toEqual([...bad].sort());
      else expect(calls).toBeGreaterThanOrEqual(15);
      expect(calls).toBeLessThanOrEqual(1 + 2 * Math.max(1, bad.length) * 6);
    }),
  );
});
