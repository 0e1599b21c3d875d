#!/usr/bin/env bash
# provider/http/retry.ts: repeats requests itself. If undici waits as long as the server says, part of it can go.
# Guess: undici's `RetryAgent`, which reads `Retry-After`, sends nothing before that time has passed.
# Seen: `maxTimeout`, 30 s unless set, cuts it. A server that says a minute is asked again after half of it, so its limit is hit again, and
#   the five retries are used up sooner. A POST that was answered 429, and so did nothing, isn't repeated at all.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages undici@7.30.2
cat >show.cjs <<'JS'
const { once } = require("node:events");
const { createServer } = require("node:http");
const { Agent, request, RetryAgent } = require("undici");
// Allows nothing for three seconds after a refusal.
let refused;
const answers = [];
const server = createServer((_, response) => {
  const early = refused !== undefined && Date.now() - refused < 3_000;
  answers.push(refused === undefined ? "429" : early ? "429, too early" : "200");
  if (refused === undefined || early) {
    refused = Date.now();
    response.writeHead(429, { "retry-after": "3" });
  }
  response.end();
});
(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  async function tell(label, method, options) {
    refused = undefined;
    answers.length = 0;
    const dispatcher = new RetryAgent(new Agent(), options);
    const outcome = await request(url, { method, dispatcher }).then(({ statusCode }) => statusCode, ({ statusCode }) => `error ${statusCode}`);
    console.log(`${label}: ${answers.join("; ")}, then ${outcome}`);
  }
  await tell("GET, maxTimeout over Retry-After", "GET", { maxTimeout: 10_000 });
  await tell("GET, maxTimeout under Retry-After", "GET", { maxTimeout: 500 });
  await tell("POST", "POST", {});
  process.exit();
})();
JS
shows node show.cjs <<'SEEN'
GET, maxTimeout over Retry-After: 429; 200, then 200
GET, maxTimeout under Retry-After: 429; 429, too early; 429, too early; 429, too early; 429, too early; 429, too early, then error 429
POST: 429, then error 429
SEEN
