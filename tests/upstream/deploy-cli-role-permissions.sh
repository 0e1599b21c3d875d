#!/usr/bin/env bash
# docs/with-auth0.md: the Deploy CLI takes permissions that a file doesn't name. If not, the sentence can go.
# Guess: with `AUTH0_ALLOW_DELETE: false` the deploy CLI takes nothing away, what a file leaves out stays as it is, and
#   `--dry-run` shows what the import would do.
# Seen: a role without `permissions` loses all it has, while the dry run of the same file says "No changes detected".
#   A role whose file says what the tenant has loses its permissions too, for the time between two requests.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
packages auth0-deploy-cli@8.44.0

cat >roles-as-they-are.yaml <<'YAML'
roles:
  - name: Agent
    description: Answers tickets
    permissions:
      - permission_name: read:tickets
        resource_server_identifier: https://tickets.example
YAML
head -3 roles-as-they-are.yaml >no-permissions.yaml
cat >show.cjs <<'JS'
const { createServer } = require("node:http");
const { deploy } = require("auth0-deploy-cli");

const role = { id: "rol_1", name: "Agent", description: "Answers tickets" };
const permission = { permission_name: "read:tickets", resource_server_identifier: "https://tickets.example" };
let permissions = [];
const page = (name, list) => ({ start: 0, limit: 100, total: list.length, [name]: list });
const write = console.log;
const answers = {
  "GET /roles": () => page("roles", [role]),
  "PATCH /roles/rol_1": () => role,
  "GET /roles/rol_1/permissions": () => page("permissions", permissions),
  "DELETE /roles/rol_1/permissions": () => void (permissions = []),
  "POST /roles/rol_1/permissions": (body) => void ({ permissions } = body),
};
const server = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString();
  const call = `${request.method} ${new URL(request.url, "http://localhost").pathname.replace("/api/v2", "")}`;
  const answer = answers[call]?.(body && JSON.parse(body));
  if (request.method !== "GET") write(`  ${call}: ${permissions.length} permissions`);
  response.setHeader("content-type", "application/json");
  response.statusCode = answer === undefined && call in answers ? 204 : 200;
  response.end(response.statusCode === 204 ? "" : JSON.stringify(answer ?? []));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", async () => {
  const direct = fetch;
  globalThis.fetch = (url, options) =>
    direct(String(url).replace("https://tenant.example", `http://127.0.0.1:${server.address().port}`), options);
  const config = {
    AUTH0_DOMAIN: "tenant.example",
    AUTH0_ACCESS_TOKEN: "token",
    AUTH0_INCLUDED_ONLY: ["roles"],
    AUTH0_ALLOW_DELETE: false,
  };
  for (const input_file of ["roles-as-they-are.yaml", "no-permissions.yaml"]) {
    for (const dry_run of [true, undefined]) {
      permissions = [permission];
      write(`${input_file}, ${dry_run ? "dry run" : "import"}:`);
      await deploy({ input_file, config, dry_run });
    }
  }
  process.exit(0);
});
JS
node show.cjs 2>log | grep -E '^[a-z]|^  [A-Z]+ /|No changes' | tee seen
diff seen - <<'SEEN'
roles-as-they-are.yaml, dry run:
No changes detected.
roles-as-they-are.yaml, import:
  PATCH /roles/rol_1: 1 permissions
  DELETE /roles/rol_1/permissions: 0 permissions
  POST /roles/rol_1/permissions: 1 permissions
no-permissions.yaml, dry run:
No changes detected.
no-permissions.yaml, import:
  PATCH /roles/rol_1: 1 permissions
  DELETE /roles/rol_1/permissions: 0 permissions
SEEN
