#!/usr/bin/env bash
# Guess: `for await (const role of await client.roles.list(…))` gives every role, whichever way they are asked for.
# Seen: with `include_totals: false`, which the API answers with a bare array, it gives none, without an error. A
#   page shorter than asked for ends the list, whatever the total says. Without `per_page` each list costs one
#   request more than its pages.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts auth0@7.1.0

cat >show.cjs <<'JS'
const { createServer } = require("node:http");
const { ManagementClient } = require("auth0");

const roles = Array.from({ length: 70 }, (_, i) => ({ id: `rol_${i}`, name: `Role ${i}` }));
let largestPage = 100;
let requests = 0;
// As the API documents it: numbered pages, an envelope with totals or else a bare array.
const server = createServer((request, response) => {
  requests++;
  const query = new URL(request.url, "http://localhost").searchParams;
  const limit = Math.min(Number(query.get("per_page")), largestPage);
  const start = Number(query.get("page")) * limit;
  const page = roles.slice(start, start + limit);
  const hasTotals = query.get("include_totals") === "true";
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(hasTotals ? { start, limit, total: roles.length, roles: page } : page));
});
server.listen(0, "127.0.0.1", async () => {
  const client = new ManagementClient({
    domain: `127.0.0.1:${server.address().port}`,
    token: "token",
    fetch: (url, options) => fetch(String(url).replace("https:", "http:"), options),
  });
  const list = async (options) => {
    requests = 0;
    let count = 0;
    for await (const _ of await client.roles.list(options)) count++;
    return `${count} of ${roles.length} roles in ${requests} requests`;
  };
  console.log("no options:", await list());
  console.log("per_page 100:", await list({ per_page: 100 }));
  console.log("per_page 100, no totals:", await list({ per_page: 100, include_totals: false }));
  largestPage = 50;
  console.log("per_page 100, pages of 50 answered:", await list({ per_page: 100 }));
  server.close();
});
JS
node show.cjs | tee seen
diff seen - <<'SEEN'
no options: 70 of 70 roles in 3 requests
per_page 100: 70 of 70 roles in 1 requests
per_page 100, no totals: 0 of 70 roles in 1 requests
per_page 100, pages of 50 answered: 50 of 70 roles in 1 requests
SEEN
