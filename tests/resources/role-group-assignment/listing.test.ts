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
    fc.property(hashes, hashes, fc.boolean(), (here, beside, isComplete) => {
      const listing = { here, beside, isComplete };
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
      (here, beside, ended, isComplete, date) => {
        const end = date.getTime();
        const ending = [
          { end, here: ended, beside: [] },
          { end: end + 1, here: [], beside: ended },
        ];
        const listing = { here, beside, isComplete, moment: 1_800_000_000_000, ending };
        const read = parseListing(formatListing(listing));
        expect(read).toEqual(listing);
        expect(listingAt(read, end - 1)).toEqual({
          here: [...here, ...ended],
          beside: [...beside, ...ended],
          isComplete,
        });
        expect(listingAt(read, end)).toEqual({ here, beside: [...beside, ...ended], isComplete });
        expect(listingAt(read, end + 1)).toEqual({ here, beside, isComplete });
      },
    ),
  ));

test("any text is read without an error", () =>
  fc.assert(
    fc.property(fc.string(), (text) => {
      const { here, beside } = parseListing(text);
      expect([...here, ...beside].every((hash) => hash.length === 8)).toBe(true);
    }),
  ));

test.each([undefined, null, 7, {}])("no listing says that nothing is known: %j", (value) => {
  expect(parseListing(value)).toEqual({ here: [], beside: [], isComplete: false });
});

test("is as short as it can be", () => {
  expect(formatListing({ here: [], beside: [], isComplete: true })).toBe(".");
  expect(formatListing({ here: [], beside: [], isComplete: false })).toBe(".?");
  expect(formatListing({ here: ["aaaaaaaa", "bbbbbbbb"], beside: ["cccccccc"], isComplete: false })).toBe(
    "aaaaaaaabbbbbbbb.cccccccc?",
  );
});

test("a hash has eight characters that the format does not use", () =>
  fc.assert(fc.property(fc.string(), (group) => expect(hashOf(group)).toMatch(/^[\w-]{8}$/))));

// The program and the provider host may resolve the package to two copies of it.
test("a hash is the same in every release", () => {
  expect(hashOf("grp_7TqWc2nYx5RkHbVd9sPmZa")).toBe("E8FT2ojP");
});
