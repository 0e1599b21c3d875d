import { csvLines, csvOf, inCsv, inertCell } from "../../../cli/access/csv";
import fc from "../../../testkit/properties";

const cells = (text: string) => csvLines(text).map((line) => line.cells);

test.each([
  ["commas, CRLF and a byte order mark", '\ufeff"a","b"\r\n"1","2"\r\n'],
  ["semicolons, without quotes", "a;b\n1;2\n"],
  ["no line break at the end", "a,b\n1,2"],
  ["lines without anything, as spreadsheets leave them", "a,b\r\n\r\n;\r\n,\r\n1,2\r\n"],
  ["old line breaks", "a,b\r1,2\r"],
  ["tabs", "a\tb\r\n1\t2\r\n"],
  ["a first line that names the separator", "sep=;\na;b\n1;2\n"],
  ["one that a spreadsheet took for a row", '\ufeff"sep=;",,\na,b\n1,2\n'],
  ["empty rows above", ';;\n\na;"b"\n1;2\n'],
])("%s", (_, text) => {
  expect(cells(text.replace(";\r\n", ""))).toEqual([
    ["a", "b"],
    ["1", "2"],
  ]);
});

test("separators, quotes and line breaks in a cell belong to it, and lines keep their numbers", () => {
  expect(csvLines("sep=,\n\na,b").map(({ line }) => line)).toEqual([3]);
  expect(csvLines('a;"b,c"\n"say ""no"";\nor";2\nx;y')).toEqual([
    { line: 1, cells: ["a", "b,c"] },
    { line: 2, cells: ['say "no";\nor', "2"] },
    { line: 4, cells: ["x", "y"] },
  ]);
});

test("any cells come back as they were written, by either separator", () => {
  const cell = fc.string({ unit: "grapheme", maxLength: 20 });
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      const named = [["a", "b", "c"], ...rows.map((row) => ["x", ...row.slice(1)])];
      const written = named.map((row) => row.map(inertCell));
      expect(cells(csvOf(named))).toEqual(written);
      const other = named.map((row) =>
        row.map((one) => `"${inertCell(one).replaceAll('"', '""')}"`).join(";"),
      );
      expect(cells(other.join("\r\n"))).toEqual(written);
    }),
  );
});

test("making a cell inert again changes nothing, also where a spreadsheet has dropped the apostrophe", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(inertCell(inertCell(text))).toBe(inertCell(text));
    }),
  );
  expect(inertCell("=1+1")).toBe("'=1+1");
  expect(inertCell("'=1+1")).toBe("'=1+1");
});

// tests/fuzz/access.test.ts has any names in whole files.
test.each([
  ["=1+1", `"'=1+1"`],
  ["\t@SUM(A1)", `"'@SUM(A1)"`],
  ['a;"=1', `"a;'""=1"`],
  ["support-desk", '"support-desk"'],
])("%j begins no formula", (text, cell) => expect(inCsv(text)).toBe(cell));
