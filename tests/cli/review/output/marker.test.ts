import { markerOf, markerText, parseMarker } from "../../../../cli/review/output/marker";
import { type Review } from "../../../../cli/review/review";
import { groups, made, step } from "../../../../testkit/cli/previews";

const review = made([step({ name: "a", after: groups("grp_a") })]);

test("a marker is read back from the beginning of a comment, and from nowhere else", () => {
  const marked = markerOf([review]);
  expect(marked.key).toBe("access%2Fprod");
  const marker = markerText(marked, "review");
  expect(parseMarker(`${marker}\n\n### Access review`, "review")).toEqual(marked);
  expect(parseMarker(`${marker}\n`, "drift")).toBeUndefined();
  expect(parseMarker(`quoted: ${marker}`, "review")).toBeUndefined();
  expect(parseMarker(`\n${marker}`, "review")).toBeUndefined();
});

test("several stacks have one fingerprint, whatever their order", () => {
  const other: Review = { ...made([]), stack: "access/test" };
  expect(markerOf([review, other])).toEqual(markerOf([other, review]));
  expect(markerOf([review, other]).key).toBe("access%2Fprod,access%2Ftest");
  expect(markerOf([review, other]).fingerprint).not.toBe(review.fingerprint);
});
