import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSeq } from "yaml";
import { editedYaml } from "../../../cli/init/edited-yaml";

/* Edits of pipelines as people write them: nothing but the edit changes, or the file isn't edited. */

const GITLAB = `# The pipeline of the shop.
image: node:24

stages: [build, test]

.defaults: &defaults
  tags:
    - docker
  retry: 2

include:
  - template: Jobs/Secret-Detection.gitlab-ci.yml
  # Ours.
  - local: ci/lint.yml # soon more
  - project: acme/ci
    file: ["/a.yml", '/b.yml']

build:
  <<: *defaults
  stage: build
  script:
    - npm ci --no-audit --prefer-offline --cache .npm --an-option-that-makes-the-line-longer-than-eighty-columns
    - |
      for each in one two; do
        echo "$each"   # as it is

      done
    - !reference [.setup, script]
    - 'echo "a: b"'
  cache:
    key: "$CI_COMMIT_REF_SLUG"
    paths: [.npm/]

test:
  rules:
    - if: '$CI_PIPELINE_SOURCE == "merge_request_event"'
      changes: ["src/**/*", package.json]
  coverage: '/Lines\\s*:\\s*(\\d+\\.?\\d*)%/'
  timeout: 1h 30m
  variables:
    A: 0x10
    B: 12
    C: 1.10
    D: ~
    E: "on"
    F:
`;

const SHORT = `include:
- local: a.yml
build:
  script:
  - make
`;

const WIDE = `include:
    - local: a.yml

build:
    variables: { A: 1 }
    script: make
`;

const examples = join(__dirname, "../../../examples/pipelines");
const EXAMPLES = ["github", "gitlab"].flatMap((folder) =>
  readdirSync(join(examples, folder)).map((name): [string, string] => [
    name,
    readFileSync(join(examples, folder, name), "utf8"),
  ]),
);

test.each([...EXAMPLES, ["GitLab's", GITLAB], ["short", SHORT], ["wide", WIDE]])(
  "%s file stays as it is, but for the edit",
  (_, text) => {
    expect(editedYaml(text, () => undefined)).toBe(text);
    const edited = editedYaml(text, (file) => file.set("added", true));
    expect(edited).toBe(`${text}added: true\n`);
  },
);

test.each([
  [GITLAB, "file: [\"/a.yml\", '/b.yml']\n", "  - local: b.yml\n"],
  [SHORT, "- local: a.yml\n", "- local: b.yml\n"],
  [WIDE, "- local: a.yml\n", "    - local: b.yml\n"],
])("a list gets one line more", (text, last, line) => {
  const edited = editedYaml(text, (file) => {
    const include = file.get("include");
    if (isSeq(include)) include.add(file.createNode({ local: "b.yml" }));
  });
  expect(edited).toBe(text.replace(last, `${last}${line}`));
});

test.each([
  ["Windows' line ends", "a: 1\r\nb: 2\r\n"],
  ["a byte order mark", "\uFEFFa: 1\n"],
  ["no line end at the end", "a: 1"],
  ["two empty lines", "a: 1\n\n\nb: 2\n"],
  ["comments in a column", "a: 1   # one\nbcd: 2 # two\n"],
  ["folded text", "a: >\n  one\n  two\n"],
  ["a text in several lines", "a: one\n  two\n"],
  ["lists in two forms", "a:\n- 1\nb:\n  - 2\n"],
  ["two documents", "spec: {}\n---\na: 1\n"],
  ["a mistake", "a: [\n"],
  ["a key twice", "a: 1\na: 2\n"],
  ["zeros in front of a number", "a: 007\n"],
  ["nothing", ""],
  ["a comment only", "# a\n"],
])("what doesn't print as it is isn't edited: %s", (_, text) => {
  expect(editedYaml(text, (file) => file.set("added", true))).toBeUndefined();
});
