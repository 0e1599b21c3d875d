import { hashOf } from "../../../provider/pulumi/run-folder";
import {
  formatListing,
  listingAt,
  parseListing,
} from "../../../provider/resources/role-group-assignment/listing";
import fc from "../../properties";

const hashes = fc.uniqueArray(fc.string({ minLength: 1 }).map(hashOf), { maxLength: 20 });

test("what is written is read again", () =>
  fc.assert(
    fc.property(hashes, fc.boolean(), (listed, isComplete) => {
      const listing = { listed, isComplete };
      expect(parseListing(formatListing(listing))).toEqual(listing);
    }),
  ));

test("what ends is read again, and is not listed from then on", () =>
  fc.assert(
    fc.property(
      hashes,
      hashes,
      hashes,
      fc.boolean(),
      fc.date({ noInvalidDate: true }),
      (listed, first, second, isComplete, date) => {
        const end = date.getTime();
        const ending = [
          { end, listed: first },
          { end: end + 1, listed: second },
        ];
        const listing = { listed, isComplete, moment: 1_800_000_000_000, ending };
        const read = parseListing(formatListing(listing));
        expect(read).toEqual(listing);
        expect(listingAt(read, end - 1)).toEqual({ listed: [...listed, ...first, ...second], isComplete });
        expect(listingAt(read, end)).toEqual({ listed: [...listed, ...second], isComplete });
        expect(listingAt(read, end + 1)).toEqual({ listed, isComplete });
      },
    ),
  ));

test("any text is read without an error", () =>
  fc.assert(
    fc.property(fc.string(), (text) => {
      const { listed } = parseListing(text);
      expect([...listed].every((hash) => hash.length === 8)).toBe(true);
    }),
  ));

test.each([undefined, null, 7, {}])("no listing says that nothing is known: %j", (value) => {
  expect(parseListing(value)).toEqual({ listed: [], isComplete: false });
});

test("is as short as it can be", () => {
  expect(formatListing({ listed: [], isComplete: true })).toBe(".");
  expect(formatListing({ listed: [], isComplete: false })).toBe(".?");
  expect(formatListing({ listed: ["aaaaaaaa", "bbbbbbbb"], isComplete: false })).toBe("aaaaaaaabbbbbbbb.?");
});

test("that of an earlier release is read, which told other providers apart", () => {
  const { listed, ending } = parseListing("aaaaaaaabbbbbbbb.cccccccc.kf12oi.a:dddddddd:eeeeeeee?");
  expect(listed).toEqual(["aaaaaaaa", "bbbbbbbb", "cccccccc"]);
  expect(ending).toEqual([{ end: 10, listed: ["dddddddd", "eeeeeeee"] }]);
});

test("a hash has eight characters that the format does not use", () =>
  fc.assert(fc.property(fc.string(), (group) => expect(hashOf(group)).toMatch(/^[\w-]{8}$/))));

// The program and the provider host may resolve the package to two copies of it.
test("a hash is the same in every release", () => {
  expect(hashOf("grp_7TqWc2nYx5RkHbVd9sPmZa")).toBe("E8FT2ojP");
});
