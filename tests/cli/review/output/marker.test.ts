import { markerOf } from "../../../../cli/review/output/marker";
import { type Review } from "../../../../cli/review/review";
import { groups, made, step } from "../../../../testkit/cli/previews";

const review = made([step({ name: "a", after: groups("grp_a") })]);

test("several stacks have one fingerprint, whatever their order", () => {
  const other: Review = { ...made([]), stack: "access/test" };
  expect(markerOf([review, other])).toEqual(markerOf([other, review]));
  expect(markerOf([review, other]).key).toBe("access%2Fprod,access%2Ftest");
  expect(markerOf([review, other]).fingerprint).not.toBe(review.fingerprint);
});
