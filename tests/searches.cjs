/**
 * Tests whose cases are drawn or many: `npm test` runs a sixth of each, and `npm run test:long` all. With
 * SEARCH=later, `npm test` leaves them out: in `npm run check` the long tests follow.
 */
module.exports = [
  "border",
  "canary/client",
  "contract/document",
  "fuzz/*",
  "host/adopt/random-tenants",
  "host/walk/*",
  "truth/audits",
  "truth/compared",
  "truth/leavers",
];
