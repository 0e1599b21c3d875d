#!/usr/bin/env bash
# Guess: a client repeats what may pass the next time: 429, and perhaps 5xx. A conflict (409) is an answer, and comes back at
#   once, as in the Node.js client of the same vendor.
# Seen: the Python client sends a POST that was answered 409 three times, waiting in between, and its error tells only of
#   the last one. So one that was done, and whose repetition met its own result, can't be told from one that was refused.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
python3 -m venv venv
venv/bin/pip install --quiet auth0-python==6.8.0
npm install --silent --no-audit --no-fund --ignore-scripts auth0@7.1.0
cat >ask.py <<'PY'
import http.server, json, threading
from auth0.management import Auth0

requests = []

class Tenant(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        requests.append(self.path)
        body = json.dumps({"statusCode": 409, "error": "Conflict", "message": "The name is taken"}).encode()
        self.send_response(409)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tenant)
threading.Thread(target=server.serve_forever, daemon=True).start()
client = Auth0(base_url=f"http://127.0.0.1:{server.server_port}", token="test")
try:
    client.roles.create(name="support")
except Exception as error:
    print(f"Python: {type(error).__name__}, requests sent: {len(requests)}")
PY
cat >ask.js <<'JS'
const { createServer } = require("node:http");
const { ManagementClient } = require("auth0");
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  response.writeHead(409, { "content-type": "application/json" });
  response.end(JSON.stringify({ statusCode: 409, error: "Conflict", message: "The name is taken" }));
}).listen(0, "127.0.0.1", async () => {
  const client = new ManagementClient({
    domain: `127.0.0.1:${server.address().port}`,
    token: "test",
    fetch: (url, options) => fetch(String(url).replace("https:", "http:"), options),
  });
  await client.roles.create({ name: "support" }).catch(({ name, constructor }) => {
    console.log(`Node.js: ${constructor.name}, requests sent: ${requests}`);
  });
  process.exit();
});
JS
{
  venv/bin/python ask.py
  node ask.js
} | tee seen
diff seen - <<'SEEN'
Python: ConflictError, requests sent: 3
Node.js: ConflictError, requests sent: 1
SEEN
