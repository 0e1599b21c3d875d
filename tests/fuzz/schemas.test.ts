import { normalize } from "../../provider/resources/connection-profile/values";
import { schema } from "../../provider/resources/connection-profile/schema";
import { recordable, withoutNulls } from "../../provider/review/raw-inputs";
import { toWire } from "../../provider/service/profile-fields";
import { profileCreateSchema, profileUpdateSchema } from "../../simulator/seed";
import { UNKNOWN, type Values } from "./hostile";
import { profileInputs } from "./inputs";
import { expectCases, search } from "./search";

/*
 * Two schemas of one document: the inputs', and the simulator's, which was written independently. The inputs
 * take keys and contents that the document doesn't mention; the simulator refuses these, so they aren't
 * compared.
 */

/** Rules of the document for single values. */
const RULED = ["name", "connection_name_prefix_template", "enabled_features"] as const;
const WIRE = { name: "name", connectionNamePrefixTemplate: RULED[1], enabledFeatures: RULED[2] } as const;

test("what the inputs accept, the simulator accepts; what breaks a rule of the document, both refuse", () =>
  search(4_000, profileInputs, (given) => {
    if (JSON.stringify(given).includes(UNKNOWN)) return;
    // Like check: values nested deeper than state can hold never reach the schema.
    const inputs = normalize(withoutNulls<Values>(recordable(given)));
    const wire = toWire(inputs);
    const problems = schema.safeParse(inputs).error?.issues.map(({ path }) => path[0]) ?? [];
    // An adopted profile is sent as a change, which needs no name.
    const theirSchema = inputs.adopt === undefined ? profileCreateSchema : profileUpdateSchema;
    const refused = theirSchema.safeParse(wire).error?.issues.map(({ path }) => path[0]) ?? [];
    for (const [ours, theirs] of Object.entries(WIRE)) {
      expect({ ours, refused: problems.includes(ours) }).toEqual({ ours, refused: refused.includes(theirs) });
    }
  }));

expectCases(4_000);
