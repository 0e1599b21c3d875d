import fc from "../../testkit/properties";
import { attemptOutcome, callOutcome, type RequestOutcome } from "../../provider/http/errors";

const outcome = fc.constantFrom<RequestOutcome>("not sent", "refused", "unknown", "done");
const attempts = fc.array(outcome, { minLength: 1, maxLength: 6 });

describe("what became of one attempt", () => {
  test.each([
    ["it was not sent", { isSent: false }, "not sent"],
    ["there is no answer", { isSent: true }, "unknown"],
    ["the promised answer", { isSent: true, status: 201, isOfService: true }, "done"],
    ["another answer with the same status", { isSent: true, status: 201, isOfService: false }, "unknown"],
    ["a redirect", { isSent: true, status: 302 }, "unknown"],
    ["the service says no", { isSent: true, status: 404, isOfService: true }, "refused"],
    ["a gateway says no", { isSent: true, status: 404 }, "unknown"],
    ["the rate limit, whoever tells of it", { isSent: true, status: 429 }, "refused"],
    ["the service gave up", { isSent: true, status: 408, isOfService: true }, "unknown"],
    ["the service failed", { isSent: true, status: 500, isOfService: true }, "unknown"],
  ])("%s", (_, attempt, expected) => {
    expect(attemptOutcome(attempt)).toBe(expected);
  });
});

describe("what became of a call", () => {
  test("is what the last attempt of a read came to", () => {
    fc.assert(fc.property(attempts, (all) => expect(callOutcome("GET", all)).toBe(all.at(-1))));
  });

  test("is unknown once a write may have taken effect, unless it is done in the end", () => {
    fc.assert(
      fc.property(fc.constantFrom("POST", "PATCH", "DELETE"), attempts, (method, all) => {
        const last = all.at(-1);
        const isOpen = all.includes("unknown") && last !== "done";
        expect(callOutcome(method, all)).toBe(isOpen ? "unknown" : last);
      }),
    );
  });

  test("is that nothing was sent when there was no attempt", () => {
    expect(callOutcome("POST", [])).toBe("not sent");
  });
});
