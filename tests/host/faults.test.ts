import { useSurroundings } from "../faults/cell";
import { cellOf, outcomeOf } from "../faults/real-host";
import { Host, stopWarmHost } from "../../testkit/hosts/host";

/*
 * tests/faults calls the handlers in its own process. A sample of its cells must come out the same here,
 * through the SDK's provider host and the built package.
 */

const surroundings = useSurroundings();

afterAll(stopWarmHost);

test.each([
  "create a connection profile / POST /connection-profiles / reset after processing / once",
  "refresh several connection profiles / GET /connection-profiles / 404 as HTML / always",
  "change a connection profile, whose answer is lost / GET /connection-profiles/{id} / 500 / always",
  "give a role to groups / POST /roles/{id}/groups / 500, done for the first group / always",
  "change the groups of a role, with a client secret / POST /oauth/token / 401 / always",
  "change the groups of a role in an organization / POST /organizations/{id}/groups/{id}/roles / 504, processed / once",
])("%s", async (name) => {
  const cell = await cellOf(name, surroundings);
  const here = await outcomeOf(cell, surroundings);
  const there = await outcomeOf(cell, surroundings, {
    ...surroundings,
    startHost: (engine, moment) => Host.warm("", engine, moment),
  });
  expect(there).toEqual(here);
});
