import { useSurroundings } from "../faults/cell";
import { cellOf, outcomeOf } from "../faults/real-host";
import { QUALIFIED_NAME, STACK } from "../../provider/pulumi/hidden-inputs";
import { wordsOf } from "../../testkit/facts";
import { PluginHost } from "../../testkit/hosts/plugin-host";

/* A sample of the fault matrix must come out as in tests/faults, which calls the handlers without a door. */

const surroundings = useSurroundings();

test.each([
  "create a connection profile / POST /connection-profiles / reset after processing / once",
  "give a role to groups / POST /roles/{id}/groups / 500, done for the first group / always",
  "give a role in an organization / POST /organizations/{id}/groups/{id}/roles (2) / 500 / always",
  "change the groups of a role, with a client secret / POST /oauth/token / 401 / always",
])("%s", async (name) => {
  const cell = await cellOf(name, surroundings);
  const here = await outcomeOf(cell, surroundings);
  const there = await outcomeOf(cell, surroundings, { ...surroundings, startHost: () => PluginHost.start() });

  // Without a listing, an unknown assignment may list the leaving groups.
  const messages = there.messages.map((line) =>
    wordsOf(line).replace(/, unless the program still lists them$/, ""),
  );
  expect(withoutNames({ ...there, messages })).toEqual(withoutNames(here));
});

/** Only the state of the dynamic door has them: the plugin gets the URN in every call. */
function withoutNames<T>(outcome: T): T {
  return JSON.parse(
    JSON.stringify(outcome, (key, value: unknown) =>
      key === QUALIFIED_NAME || key === STACK ? undefined : value,
    ),
  ) as T;
}
