import { join } from "node:path";
import { type Access } from "../../../cli/access/document";
import { formatted } from "../../../cli/access/formats";
import { say } from "../../../provider/sentence";
import { accessJson, claim, everything, group, idOf, role } from "../../../testkit/cli/pages";
import { expectGolden } from "../../../testkit/golden";

/* An audit on a terminal: golden/60-columns.txt has been read by a person. */

const LONG = "a-group-of-the-directory-with-a-name-that-nobody-would-have-typed-by-hand";
const tenant = {
  ...everything(),
  roles: [...everything().roles, role("auditor-of-billing", [group(LONG)])],
} as Access;
const user = {
  ...accessJson([role("support-agent", [group("support-desk"), group("billing-team", "unmanaged")])]),
  organizations: [idOf("org", "acme")],
  otherOrganizations: { count: 2, more: false },
  user: {
    id: "auth0|64c1f0a2b7d83e5f9a1b2c3d",
    unread: null,
    allRoles: true,
    unreadOrganizations: [
      {
        id: idOf("org", "acme"),
        name: "acme",
        reason: "needs read:organization_member_effective_roles",
        allRoles: false,
      },
    ],
    notMemberOf: [{ id: idOf("org", "globex"), name: "globex" }],
    permissions: [
      {
        resourceServer: "https://tickets.example.com/",
        name: "close:tickets",
        sources: [{ kind: "role", id: idOf("rol", "support-agent"), name: "support-agent", type: "role" }],
      },
    ],
    ends: [
      {
        by: claim("support"),
        role: idOf("rol", "support-agent"),
        ends: false,
        permissions: [],
        reason: say`billing-team gives it, too`,
      },
    ],
  },
} as Access;

test.each([60, 80, 120])("%d columns: no word is cut, and no line is longer", (columns) => {
  const text = [tenant, user].map((answer) => formatted(answer, "text", undefined, columns)).join("\n");
  if (columns === 60) expectGolden(join(__dirname, "golden/60-columns.txt"), text);
  // Only a word that is longer than a line sticks out.
  for (const line of text.split("\n"))
    expect(line.length <= columns || !line.trim().includes(" ")).toBe(true);
  const words = (all: string) => all.split(/\s+/).filter((word) => word !== "");
  const whole = [tenant, user].flatMap((answer) => words(formatted(answer, "text")));
  expect(words(text).sort()).toEqual(whole.sort());
});
