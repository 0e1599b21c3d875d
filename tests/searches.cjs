/**
 * Tests whose cases are drawn or many: `npm test` runs a sixth of each, and `npm run test:long` all. In `npm
 * run check`, which sets SEARCH=later, `npm test` leaves them out, and the long tests that follow run half:
 * of cases that are counted one or the other half, by the run's new seed.
 */
module.exports = [
  "border",
  "canary/*",
  "fuzz/*",
  "host/adopt/random-tenants",
  "host/role-group-assignment/handover",
  "host/walk/*",
];
