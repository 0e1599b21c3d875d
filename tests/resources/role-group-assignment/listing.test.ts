import { hashOf } from "../../../provider/pulumi/hosts-file";
import { formatListing, parseListing } from "../../../provider/resources/role-group-assignment/listing";
import fc from "../../../testkit/properties";

const hashes = fc.uniqueArray(fc.string({ minLength: 1 }).map(hashOf), { maxLength: 20 });

test("what is written is read again", () =>
  fc.assert(
    fc.property(hashes, fc.boolean(), (listed, isComplete) => {
      const listing = { listed, isComplete };
      expect(parseListing(formatListing(listing))).toEqual(listing);
    }),
  ));

test("listings of other roles stand behind it", () => {
  const listings = {
    listed: ["aaaaaaaa"],
    isComplete: false,
    others: new Map([
      ["rrrrrrrr", { listed: ["bbbbbbbb"], isComplete: true }],
      ["ssssssss", { listed: [], isComplete: false }],
    ]),
  };
  expect(formatListing(listings)).toBe("aaaaaaaa?/rrrrrrrrbbbbbbbb/ssssssss?");
  expect(parseListing(formatListing(listings))).toEqual(listings);
});

test("the role that the program gives stands in front of it", () => {
  const listing = { role: "rrrrrrrr", listed: ["aaaaaaaa"], isComplete: false };
  expect(formatListing(listing)).toBe("rrrrrrrr=aaaaaaaa?");
  expect(parseListing(formatListing(listing))).toEqual(listing);
});

test("any text is read without an error", () =>
  fc.assert(
    fc.property(fc.string(), (text) => {
      const { listed = [] } = parseListing(text) ?? {};
      expect([...listed].every((hash) => hash.length === 8)).toBe(true);
    }),
  ));

test.each([undefined, null, 7, {}])("what is no text is no listing: %j", (value) => {
  expect(parseListing(value)).toBeUndefined();
});

// The program and the provider host may load two copies of the package.
test("a hash is the same in every release", () => {
  expect(hashOf("grp_7TqWc2nYx5RkHbVd9sPmZa")).toBe("E8FT2ojP");
});
