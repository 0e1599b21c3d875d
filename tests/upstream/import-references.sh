#!/usr/bin/env bash
# docs/adopt.md: `pulumi import` writes references in place of text. If it doesn't, the paragraph can go.
# Guess: `pulumi import` writes into the program what the provider has read.
# Seen: where a text equals the id of another object of the same import, it writes a reference in its place. The two needn't have to do
#   with each other; a new id of the one then changes the other, or replaces it. One by one, the same objects give texts.
. "${BASH_SOURCE[0]%/*}/set-up.sh"
thing_plugin

printf 'name: access\nruntime: yaml\n' >Pulumi.yaml
cat >both.json <<'JSON'
{
  "resources": [
    { "type": "thing:index:Thing", "name": "paint", "id": "ada" },
    { "type": "thing:index:Thing", "name": "door", "id": "front" }
  ]
}
JSON
{
  pulumi stack init test >log 2>&1
  pulumi import --file both.json --yes --protect=false --out both.yaml >log 2>&1 || { cat log && exit 1; }
  echo "paint and door at once:" && grep -E '^  [a-z]|owner' both.yaml
  pulumi stack init other >log 2>&1
  for each in "paint ada" "door front"; do
    pulumi import thing:index:Thing $each --yes --protect=false --out one.yaml >log 2>&1 || { cat log && exit 1; }
    echo "${each% *} alone:" && grep owner one.yaml
  done
} | tee seen
diff seen - <<'SEEN'
paint and door at once:
  paint:
      owner: ada
  door:
      owner: ${paint.id}
paint alone:
      owner: ada
door alone:
      owner: ada
SEEN
