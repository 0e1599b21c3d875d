import { useSurroundings } from "../faults/cell";
import { cellOf, outcomeOf } from "../faults/real-host";
import { PluginHost } from "./plugin-host";

/* A sample of the fault matrix must come out as in tests/faults, which calls the handlers without a door. */

const surroundings = useSurroundings();

test.each([
  "create a connection profile / POST /connection-profiles / reset after processing / once",
  "adopt a connection profile / PATCH /connection-profiles/{id} / no answer, processed / once",
  "refresh one connection profile / GET /connection-profiles/{id} / 404 / once",
  "change the groups of a role / DELETE /roles/{id}/groups / 504, processed / always",
  "change the groups of a role, with a client secret / POST /oauth/token / 401 / always",
  "delete a device credential / DELETE /device-credentials/{id} / connection refused / once",
])("%s", async (name) => {
  const cell = await cellOf(name, surroundings);
  const here = await outcomeOf(cell, surroundings);
  const there = await outcomeOf(cell, surroundings, { ...surroundings, startHost: () => PluginHost.start() });

  // Without a listing, an unknown assignment may list the leaving groups.
  const messages = there.messages.map((line) => line.replace(/, unless the program still lists them$/, ""));
  expect({ ...there, messages }).toEqual(here);
});
