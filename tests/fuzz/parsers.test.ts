import { isDeepStrictEqual } from "node:util";
import { claimsIn } from "../../cli/access/claims";
import { accessCountsOf, rolesOf } from "../../cli/access/roles";
import { managedIn } from "../../cli/adopt/contents";
import { CommandError } from "../../cli/errors";
import { readStackExport } from "../../cli/stack-export";
import { sanitize } from "../../provider/border";
import { InvalidInputError } from "../../provider/http/errors";
import { isPathId, pathSegment } from "../../provider/http/call";
import { bucketHeaders, retryAfterMs } from "../../provider/http/rate-limit/headers";
import { parseDomain } from "../../provider/http/settings";
import { parseAnswer } from "../../provider/http/shape";
import { profileRecord } from "../../provider/service/connection-profiles";
import { hadIn, plan } from "../../provider/resources/connection-profile/plan";
import { suppressEquivalent } from "../../provider/resources/connection-profile/values";
import { endOfUntil, isPast, nearEnd } from "../../provider/access/until";
import { userRecord } from "../../provider/service/users";
import fc from "../../testkit/properties";
import { hostileObject, hostileText, hostileValue, shallowValue } from "./hostile";
import { NOTHING_KNOWN, untilText } from "./inputs";
import { expectCases, search } from "./search";

/* Every parser of a stranger's text. None of them throws, and each reads what its formatter writes. */

const number = fc.oneof(
  fc.constantFrom(
    "0",
    "1",
    "-1",
    "1e3",
    "1e999",
    "NaN",
    "Infinity",
    "0x10",
    " 7 ",
    "1,2",
    "1.5",
    "９",
    "",
    "1 000",
  ),
  fc.nat().map(String),
  hostileText,
);
const date = fc.oneof(
  fc.date({ noInvalidDate: true }).map((when) => when.toUTCString()),
  fc.constantFrom("Thu, 99 Foo 2026", "0", "1970", "Invalid Date"),
  hostileText,
);
const headers = fc.record(
  {
    "retry-after": fc.oneof(number, date),
    date,
    "x-ratelimit-limit": number,
    "x-ratelimit-remaining": number,
    "x-ratelimit-reset": number,
  },
  { requiredKeys: [] },
);

test("rate-limit headers give numbers, or nothing", () =>
  search(4_000, fc.tuple(headers, fc.constantFrom(200, 429, 503)), ([given, status]) => {
    const after = retryAfterMs(given);
    if (after !== undefined) expect(after).toBeGreaterThanOrEqual(0);
    const bucket = bucketHeaders(given, status);
    if (bucket === undefined) return;
    expect(Number.isFinite(bucket.limit) && bucket.limit >= 1).toBe(true);
    expect(Number.isFinite(bucket.remaining) && bucket.remaining >= 0).toBe(true);
    expect(bucket.resetInMs).toBeGreaterThanOrEqual(0);
  }));

test("an end is a moment that a day or an instant names, or none; it is past from that moment on, and near before it", () =>
  search(2_000, fc.tuple(untilText, fc.integer({ min: -1e13, max: 1e13 })), ([text, moment]) => {
    const end = endOfUntil(text);
    if (end === undefined) {
      expect([isPast(text, moment), nearEnd(text, moment)]).toEqual([false, undefined]);
      return;
    }
    const [, day = "", time] = /^(\d{4}-\d\d-\d\d)(T.*(?:Z|[+-]\d\d:\d\d))?$/.exec(text) ?? [];
    // The day is one of the calendar, and ends in UTC.
    expect(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10)).toBe(day);
    expect(end).toBe(
      Date.parse(time === undefined ? `${day}T23:59:59.999Z` : text) + (time === undefined ? 1 : 0),
    );
    expect([isPast(text, end - 1), isPast(text, end)]).toEqual([false, true]);
    expect([nearEnd(text, end - 1), nearEnd(text, end)]).toEqual(["in less than a minute", undefined]);
    expect(nearEnd(text, end - 14 * 86_400_000)).toBe("in 14 days");
    expect(nearEnd(text, end - 14 * 86_400_000 - 1)).toBeUndefined();
  }));

const domain = fc.oneof(
  fc.webUrl(),
  fc.domain(),
  fc
    .tuple(fc.constantFrom("http://", "https://", "ftp://", "//", ""), hostileText)
    .map((parts) => parts.join("")),
  fc.constantFrom(
    "localhost",
    "http://127.0.0.1:4000",
    "http://[::1]:1",
    "a@b",
    "https://a:b@c",
    "http://0177.1",
    "x:99999",
  ),
);

test("a domain is an origin that is read again as itself, or a problem", () =>
  search(2_000, domain, (text) => {
    const parsed = parseDomain(text);
    if ("problem" in parsed) return expect(parsed.problem).toMatch(/^m(ust|ay) /);
    expect(parseDomain(parsed.origin)).toEqual(parsed);
    expect(parsed.origin).toMatch(/^(https:\/\/|http:\/\/(localhost|127\.|\[::1\]))[^@/?#\s]+$/);
  }));

test("an id is one segment of a path that is decoded to itself, or refused", () =>
  search(2_000, fc.oneof(hostileText, fc.string({ maxLength: 600 })), (id) => {
    if (!isPathId(id)) return expect(() => pathSegment(id)).toThrow(InvalidInputError);
    const { pathname } = new URL(`https://tenant.example/api/v2/things/${pathSegment(id)}`);
    expect(decodeURIComponent(pathname.slice("/api/v2/things/".length))).toBe(id);
  }));

/** Deeper values are refused on their way in. */
const tree = hostileObject(["name", "organization", "a/b", "~"], shallowValue);

test("settings of state: any of them, without an error and without touching a prototype", () =>
  search(2_000, fc.tuple(tree, tree, tree), ([one, other, third]) => {
    const had = hadIn(one);
    expect(Object.keys(one)).toEqual(expect.arrayContaining(Object.keys(had)));
    plan({ had, wanted: other, live: third });
    const same = suppressEquivalent(one, one);
    expect(isDeepStrictEqual(suppressEquivalent(same, one), same)).toBe(true);
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  }));

const answerText = fc.oneof(
  hostileValue.map((value) => JSON.stringify(value) ?? ""),
  hostileText,
  fc.integer({ min: 1, max: 20_000 }).map((depth) => `${"[".repeat(depth)}${"]".repeat(depth)}`),
);

const state = fc.oneof(
  fc
    .array(
      hostileObject(
        ["urn", "type", "id", "external", "outputs", "sourcePosition", "stackTrace", "delete"],
        fc.oneof(
          hostileValue,
          hostileObject(["groupIds", "unconfirmed", "tenant", "exclusive", "until"]),
          fc.constantFrom(
            "pulumi-nodejs:dynamic/identity:RoleGroupAssignment",
            "pulumi-nodejs:dynamic/identity:ConnectionProfile",
            "urn:pulumi:dev::access::type::name",
            "project:///index.ts#3,1",
          ),
        ),
      ).map((fields) => ({ type: "pulumi-nodejs:dynamic/identity:RoleGroupAssignment", ...fields })),
      { maxLength: 4 },
    )
    .map((resources) => JSON.stringify({ deployment: { resources } })),
  hostileValue.map((resources) => JSON.stringify({ deployment: { resources } })),
  hostileValue.map((deployment) => JSON.stringify({ deployment })),
  answerText,
);

test("a state of any shape is read, or refused in a sentence; what is read of it is text, or hidden", () =>
  search(2_000, state, (text) => {
    let read;
    try {
      read = readStackExport({ file: "state.json", text }, "--state");
    } catch (error) {
      expect(error).toBeInstanceOf(CommandError);
      return expect((error as CommandError).message).toMatch(
        /^state\.json is .*\. Write it by: pulumi stack export/,
      );
    }
    managedIn([{ file: "state.json", text }], ["tenant.example.com"]);
    const claims = claimsIn([{ ...read, label: "state.json" }], ["tenant.example.com"], (one) =>
      sanitize(one),
    );
    for (const { granted, name, role, stack } of claims.assignments)
      for (const one of [name, role, stack, ...granted.groups, ...granted.unconfirmed])
        expect(one).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
    const roles = rolesOf(NOTHING_KNOWN, claims, { roles: [], groups: [] });
    expect(accessCountsOf(roles).grants).toBe(0);
  }));

const answer = fc.oneof(
  fc.tuple(tree, hostileValue).map(([fields, id]) => JSON.stringify({ id, name: "x", ...fields })),
  answerText,
  fc
    .nat({ max: 5_000 })
    .map((count) => JSON.stringify({ identities: Array.from({ length: count }, () => 7) })),
);

test("an answer of any shape is a value or a problem", () =>
  search(1_000, answer, (body) => {
    for (const shape of [profileRecord, userRecord]) {
      const result = parseAnswer(shape as typeof userRecord, body, "cop_1");
      if ("problem" in result) expect(result.problem.length).toBeLessThan(2_000);
    }
  }));

expectCases(15_000);
