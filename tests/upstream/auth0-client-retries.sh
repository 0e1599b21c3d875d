#!/usr/bin/env bash
# docs/with-auth0.md: the SDK repeats creates after 5xx. If it no longer does, the sentence can go.
# Guess: the client repeats what is safe to repeat: a GET whose connection breaks, but not a POST that a gateway
#   answers with 502, since the tenant may have done it.
# Seen: the other way round. Any answer of 5xx is repeated whatever the method, so that a create may be done three
#   times. A broken connection is never repeated, not even for a GET, and leaves a timer that keeps the process alive
#   for the rest of the request's timeout (60 s unless set).
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages auth0@7.1.0

cat >show.cjs <<'JS'
const { createServer } = require("node:http");
const { ManagementClient } = require("auth0");

const profiles = [];
let requests = 0;
// Behind a gateway that loses every answer to a POST, and the connection of every GET.
const server = createServer((request, response) => {
  requests++;
  if (request.method === "GET") return request.socket.destroy();
  request.resume().on("end", () => {
    profiles.push({ id: `cop_${profiles.length + 1}` });
    response.writeHead(502).end("Bad Gateway");
  });
});
server.listen(0, "127.0.0.1", async () => {
  const client = new ManagementClient({
    domain: `127.0.0.1:${server.address().port}`,
    token: "token",
    timeoutInSeconds: 5,
    fetch: (url, options) => fetch(String(url).replace("https:", "http:"), options),
  });
  const outcome = async (promise) => {
    requests = 0;
    const error = await promise.then(() => undefined, (thrown) => thrown);
    const timers = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
    return `${requests} requests, then ${error.statusCode ?? error.message}, timers left: ${timers}`;
  };
  console.log("POST answered 502:", await outcome(client.connectionProfiles.create({ name: "enterprise" })));
  console.log("profiles made:", profiles.length);
  console.log("GET, connection broken:", await outcome(client.connectionProfiles.get("cop_1")));
  server.close();
});
JS
shows node show.cjs <<'SEEN'
POST answered 502: 3 requests, then 502, timers left: 0
profiles made: 3
GET, connection broken: 1 requests, then fetch failed, timers left: 1
SEEN
