#!/usr/bin/env bash
# Guess: packages that read CODEOWNERS name the owners that GitHub asks, so a pipeline can find its approvers with any of them.
# Seen: GitHub documents that `docs/*` stops at the folder, that paths are case-sensitive, and that a comment may follow the owners. npm's
#   `codeowners` has all three wrong, in silence: it takes the words of the comment for owners. `@snyk/github-codeowners` has case wrong, and
#   throws at the comment. Python's has all as GitHub has.
set -euo pipefail
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT && cd "$tmp"
npm install --silent --no-audit --no-fund --ignore-scripts codeowners@5.1.1 @snyk/github-codeowners@1.1.0
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check codeowners==0.9.0
mkdir .git
cat >show.cjs <<'JS'
const Codeowners = require("codeowners");
const { OwnershipEngine } = require("@snyk/github-codeowners/dist/lib/ownership");
console.error = () => {};
const [, , path] = process.argv;
const tell = (name, find) => {
  try {
    console.log(`  ${name}: ${find().join(" ") || "nobody"}`);
  } catch ({ message }) {
    console.log(`  ${name}: throws "${message.split(" in rule")[0]}"`);
  }
};
tell("codeowners (npm)", () => new Codeowners(".").getOwner(path));
tell("@snyk/github-codeowners", () => OwnershipEngine.FromCodeownersFile("CODEOWNERS").calcFileOwnership(path));
JS
cat >show.py <<'PY'
import sys
from codeowners import CodeOwners

with open("CODEOWNERS") as file:
    owners = [name for _, name in CodeOwners(file.read()).of(sys.argv[1])]
print("  codeowners (Python):", " ".join(owners) or "nobody")
PY
try() { # LINE PATH OWNERS
  printf '* @all\n%s\n' "$1" >CODEOWNERS
  echo "$1: $2 is for $3"
  node show.cjs "$2"
  venv/bin/python show.py "$2"
}
{
  try 'roles/* @platform' roles/eu/admin.ts @all
  try 'Roles/ @platform' roles/admin.ts @all
  try '*.ts @platform # roles and groups' admin.ts @platform
} | tee seen
diff seen - <<'SEEN'
roles/* @platform: roles/eu/admin.ts is for @all
  codeowners (npm): @platform
  @snyk/github-codeowners: @all
  codeowners (Python): @all
Roles/ @platform: roles/admin.ts is for @all
  codeowners (npm): @platform
  @snyk/github-codeowners: @platform
  codeowners (Python): @all
*.ts @platform # roles and groups: admin.ts is for @platform
  codeowners (npm): @platform # roles and groups
  @snyk/github-codeowners: throws "# is not a valid owner name"
  codeowners (Python): @platform
SEEN
