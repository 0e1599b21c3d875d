import { ADMINS, BILLING, CONTRACTORS, LAPTOP, PHONE, SUPPORT } from "../../simulator/default-seed";
import { type Fault, type SeedInput } from "../../simulator";
import { assignment, later, profile, type Program, removal, secret, type UpOptions } from "../engine";

/*
 * A story of previews with every option. engine-previews.long.ts compares them with the real engine's, and
 * tests/fuzz/previews.test.ts starts from them.
 */

const role = (letter: string) => `rol_${letter.repeat(16)}`;
const PARTNERS = "cop_5wTqXn8YkLbVd2sPmZaGhJ";
export const SEED: SeedInput = {
  roles: [..."ABCDEFGHJK"].map((letter) => ({ id: role(letter), groups: [SUPPORT] })),
  connection_profiles: [{ id: PARTNERS, name: "partners" }],
};
const TEAM = "acme:index:Team";
const CREW = "acme:index:Crew";
const on = (letter: string, groupIds: unknown, more = {}) =>
  assignment({ roleId: role(letter), groupIds }, more);

interface Chapter {
  program: Program;
  options?: Pick<UpOptions, "target" | "exclude" | "replace" | "continueOnError">;
  /** Marked beforehand. */
  taint?: string[];
  /** Faults for the `up`, which then fails. */
  faults?: Fault[];
}

/** Each `up` starts from the state that the previous one left. */
export const STORY: Chapter[] = [
  {
    program: {
      upd: on("A", [ADMINS, BILLING]),
      gone: on("B", [ADMINS], { retainOnDelete: true }),
      same: on("C", [ADMINS], { provider: "eu" }),
      moves: on("D", [ADMINS, BILLING], { replaceOnChanges: ["groupIds"] }),
      first: on("E", [ADMINS], { deleteBeforeReplace: true }),
      with: on("F", [ADMINS], { deletedWith: "gone" }),
      fails: on("G", [ADMINS], { replaceOnChanges: ["groupIds"] }),
      old: on("H", [ADMINS]),
      phone: removal(PHONE),
      enterprise: profile({
        name: "enterprise",
        organization: { showAsButton: "none" },
        connectionConfig: secret({}),
      }),
      [`${TEAM}/twin`]: on("J", [ADMINS], { name: "twin", parent: TEAM }),
      [`${CREW}/twin`]: on("J", [BILLING], { name: "twin", parent: CREW }),
      hidden: on("K", secret([ADMINS, BILLING])),
    },
  },
  {
    program: {
      upd: on("A", [ADMINS, CONTRACTORS, SUPPORT], { protect: true }),
      same: on("C", [ADMINS], { provider: "eu" }),
      moves: on("D", [ADMINS, CONTRACTORS], { replaceOnChanges: ["groupIds"] }),
      first: on("F", [ADMINS], { deleteBeforeReplace: true }),
      fails: on("G", [BILLING], { replaceOnChanges: ["groupIds"] }),
      renamed: on("H", [ADMINS], { aliases: ["old"] }),
      phone: removal(LAPTOP),
      enterprise: profile({
        name: later("enterprise"),
        organization: { showAsButton: "optional", assignMembershipOnLogin: "none" },
        connectionConfig: secret({}),
        enabledFeatures: ["scim"],
      }),
      [`${TEAM}/twin`]: on("J", [ADMINS], { name: "twin", parent: TEAM }),
      [`${CREW}/twin`]: on("J", [CONTRACTORS, later(BILLING)], { name: "twin", parent: CREW }),
      hidden: on("K", secret([ADMINS, CONTRACTORS])),
      exclusive: on("B", [CONTRACTORS], { dependsOn: ["upd"] }),
    },
    faults: [{ method: "DELETE", path: `/api/v2/roles/${role("G")}/groups`, action: { status: 403 } }],
  },
  {
    // A delete is pending, a managed resource becomes read-only, and a get becomes managed.
    program: {
      upd: on("A", [ADMINS], { protect: true, ignoreChanges: ["groupIds"] }),
      same: assignment({}, { get: role("D"), provider: "eu" }),
      moves: on("D", [ADMINS, CONTRACTORS], { replaceOnChanges: ["groupIds"] }),
      first: on("F", [ADMINS]),
      fails: on("G", [BILLING]),
      renamed: assignment({}, { get: role("H") }),
      [`${TEAM}/twin`]: on("J", [ADMINS], { name: "twin", parent: TEAM }),
      [`${CREW}/twin`]: on("J", [BILLING], { name: "twin", parent: CREW }),
      exclusive: on("B", [CONTRACTORS], { dependsOn: ["upd"] }),
    },
    taint: ["moves", "first"],
    options: { exclude: ["hidden"] },
  },
  {
    program: {
      upd: on("A", [BILLING, ADMINS]),
      same: on("C", [ADMINS, BILLING], { provider: "eu" }),
      moves: on("D", [ADMINS, CONTRACTORS]),
      renamed: assignment({}, { get: role("G") }),
      // A failure ends the run: simultaneous steps may or may not be reported.
      bad: on("A", [], { dependsOn: ["upd", "same", "moves", "renamed"] }),
    },
    options: { replace: ["moves"], target: ["moves", "upd", "same", "bad"] },
  },
  {
    program: {
      upd: on("A", [ADMINS]),
      one: on("B", [ADMINS]),
      two: on("C", [BILLING]),
      three: on("D", [BILLING], { replaceOnChanges: ["groupIds"] }),
    },
  },
  {
    // Renamed and replaced resources aren't targets under their former names; others are new, and not
    // targets.
    program: {
      upd: on("A", [ADMINS]),
      "one-2": on("E", [ADMINS], { aliases: ["one"] }),
      "two-2": on("C", [ADMINS, BILLING], { aliases: ["two"] }),
      "three-2": on("D", [ADMINS], { aliases: ["three"], replaceOnChanges: ["groupIds"] }),
      four: on("F", [ADMINS]),
    },
    options: { target: ["one-2", "upd"] },
  },
  {
    program: {
      upd: on("A", [ADMINS]),
      "one-2": on("E", [ADMINS]),
      "two-2": on("C", [ADMINS, BILLING]),
      "three-2": on("D", [ADMINS], { aliases: ["three"], replaceOnChanges: ["groupIds"] }),
      four: on("F", [ADMINS]),
    },
    faults: [{ method: "DELETE", path: `/api/v2/roles/${role("D")}/groups`, action: { status: 403 } }],
  },
  {
    // A pending delete has the name of its replacement.
    program: {
      upd: on("A", [ADMINS]),
      "three-2": on("D", [ADMINS], { replaceOnChanges: ["groupIds"] }),
    },
    options: { exclude: ["upd"] },
  },
];
