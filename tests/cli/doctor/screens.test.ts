import { join } from "node:path";
import { briefText, doctorText, failure, ok, reportOf, unchecked, warning } from "../../../cli/doctor/report";
import { Border } from "../../../provider/border";
import { expectGolden } from "../../../testkit/golden";

/* The doctor on a terminal: the file in golden/ has been read by a person. */

const SCOPES = Array.from({ length: 12 }, (_, index) => `read:things_of_kind_${index}`);
const report = reportOf(
  [
    ok("program.node", "Node.js 24.4.0; supported: >=20.19"),
    failure(
      "program.package",
      "pulumi-identity can't be resolved from /home/someone/projects/infrastructure/access",
      "Run `npm install pulumi-identity` in /home/someone/projects/infrastructure/access: it must be a direct dependency of the program.",
    ),
    ok("settings.domain", "tenant.example.com"),
    warning(
      "connection.clock",
      "10 min behind the tenant's",
      "Set the clock of this machine: signed tokens and expiries depend on it.",
    ),
    unchecked("access.token"),
    ok("scopes.unneeded", `${SCOPES.join(", ")}: not needed by anything in this package`),
  ],
  new Border(),
);

test.each([60, 80, 120])("%d columns: no word is cut, and no line is longer", (columns) => {
  const text = doctorText(report, columns);
  if (columns === 80) expectGolden(join(__dirname, "golden/80-columns.txt"), text);
  for (const line of text.split("\n"))
    expect(line.length <= columns || !line.trim().includes(" ")).toBe(true);
  const words = text.split(/[\s,]+/);
  for (const word of [...SCOPES, "/home/someone/projects/infrastructure/access", "pulumi-identity"])
    expect(words).toContain(word.replace(/_11$/, "_11:"));
});

test("JSON has the first thing to do", () => {
  expect(report).toMatchObject({
    status: "error",
    first: expect.stringMatching(/^Run `npm install/) as string,
  });
});

test("where nothing is wrong, a line for each group: what was checked, and why the rest wasn't", () => {
  const fine = reportOf(
    [
      ok("program.node", "Node.js 24.4.0; supported: >=20.19"),
      ok("program.pulumi", "Pulumi CLI 3.257.0; supported: >=3.200.0"),
      ok("settings.domain", "tenant.example.com"),
      unchecked("settings.stack", "not read: that takes the program's folder"),
      unchecked("connection.host", "not checked: --no-read"),
      unchecked("connection.clock", "not checked: --no-read"),
      ...Array.from({ length: 12 }, (_, index) => ok(`scopes.getThingNumber${index}`, "has read:things")),
    ],
    new Border(),
  );
  expect(briefText(fine, 80)).toBe(`\
Program     ok  node, pulumi
Settings    ok  domain; not read: that takes the program's folder
Connection  -   not checked: --no-read
Scopes      ok  getThingNumber0, getThingNumber1, getThingNumber2,
                getThingNumber3, getThingNumber4, getThingNumber5,
                getThingNumber6, getThingNumber7, getThingNumber8,
                getThingNumber9, getThingNumber10, getThingNumber11

The set-up is ok. --all shows each check.
`);
});
