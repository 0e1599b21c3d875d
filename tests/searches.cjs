/**
 * Tests whose cases are drawn or many: `npm test` runs a sixth of each, and `npm run test:long` all. Where the
 * one follows the other, as in `npm run check`, SEARCH=later leaves the sixth out.
 */
module.exports = [
  "border",
  "canary/*",
  "fuzz/*",
  "host/adopt/random-tenants",
  "host/role-group-assignment/handover",
  "host/walk/*",
];
