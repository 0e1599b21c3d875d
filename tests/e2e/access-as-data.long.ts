import { transformSync } from "@swc/core";
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator";
import { ADMINS, AGENT, BILLING, CONTRACTORS, VIEWER } from "../../simulator/default-seed";
import { environmentOf, Stack, succeeded } from "../../testkit/stack";

const repository = resolve(__dirname, "../..");
const example = join(repository, "examples/access-as-data");
const read = (name: string) => readFileSync(join(example, name), "utf8");

describe("the program", () => {
  const bin = join(repository, "dist/cli/index.js");
  const source = "https://git.example.com/access/blob/4f2c1e9";
  const ACME = "org_5vJmTq8XbRz3kWcY";
  const TWINS = ["grp_9JwZt5fNm4aQsMgEs7uYcP", "grp_2KxYu6gPn5bRtNhFt8vZdQ"];
  let simulator: Simulator;
  let stack: Stack;

  /** In JavaScript, which starts faster. */
  function compiled(name: string): string {
    const jsc = { target: "es2022", parser: { syntax: "typescript" } } as const;
    return transformSync(read(`${name}.ts`), { jsc, module: { type: "commonjs" } }).code;
  }

  beforeAll(async () => {
    const seed = JSON.parse(read("seed.json")) as SeedInput;
    const twins = TWINS.map((id) => ({ id, name: "twins" }));
    simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
    simulator.seed({ ...seed, groups: [...seed.groups!, ...twins] });
    stack = await Stack.create({ program: compiled("index"), env: environmentOf(simulator) });
    writeFileSync(join(stack.folder, "access-file.js"), compiled("access-file"));
  });
  afterAll(async () => {
    stack.remove();
    await simulator.close();
  });

  const access = (text: string) => writeFileSync(join(stack.folder, "access.yaml"), text);
  const review = () => stack.review({ args: ["--no-read", "--source", source] });
  const rowsIn = (markdown: string) =>
    [...markdown.matchAll(/(gains|loses|keeps[^|]*) \| .*?`(grp_\w+)`.* \| (.*) \|$/gm)].map((row) =>
      row.slice(1),
    );
  const place = (name: string, line: number) =>
    `\`${name}\` ([\`access.yaml:${line}\`](${source}/access.yaml#L${line}))`;
  function granted(): Record<string, readonly string[] | undefined> {
    const { roles, organizations } = simulator.state();
    const [acme] = organizations;
    const groupsOf = (id: string) =>
      roles
        .find((role) => role.id === id)
        ?.groups?.slice()
        .sort();
    return {
      agents: groupsOf(AGENT),
      viewers: groupsOf(VIEWER),
      inAcme: acme?.roles?.find(({ id }) => id === AGENT)?.groups,
    };
  }

  test("gives what the file says, and review, state and audit name its lines, also after these move", async () => {
    access(read("access.yaml"));
    const { stdout } = succeeded(await review());
    expect(rowsIn(stdout)).toEqual([
      ["gains", BILLING, place("support-agent/billing-team", 5)],
      ["gains", CONTRACTORS, `${place("support-agent/contractors", 6)} until \`2099-12-31\``],
      ["gains", ADMINS, place("acme/support-agent/directory-admins", 16)],
    ]);
    succeeded(await stack.up());
    expect(granted()).toEqual({ agents: [BILLING, CONTRACTORS].sort(), viewers: [], inAcme: [ADMINS] });

    access(`tenant:
  billing-viewer:
    directory-admins:
  support-agent:
    contractors:
      until: 2098-12-31
organizations: { acme: { support-agent: { ${ADMINS}: } } }
`);
    expect(rowsIn(succeeded(await review()).stdout)).toEqual([
      ["loses", BILLING, "`support-agent/billing-team` is deleted"],
      [
        "keeps, now ends on `2098-12-31` (was `2099-12-31`)",
        CONTRACTORS,
        place("support-agent/contractors", 5),
      ],
      ["gains", ADMINS, place("billing-viewer/directory-admins", 3)],
      [
        "keeps",
        ADMINS,
        `\`acme/support-agent/directory-admins\` is deleted and ${place(`acme/support-agent/${ADMINS}`, 7)}`,
      ],
    ]);
    simulator.reset();
    succeeded(await stack.up());
    const deleted = `DELETE /api/v2/roles/${AGENT}/groups 204`;
    expect(simulator.log().filter((line) => line.startsWith("DELETE"))).toEqual([deleted]);
    expect(granted()).toEqual({ agents: [CONTRACTORS], viewers: [ADMINS], inAcme: [ADMINS] });
    const audit = succeeded(await stack.shell(`node ${bin} access --stack test`)).stdout;
    expect(audit).toContain("support-agent/contractors in test/test (access.yaml:5), until 2098-12-31");
    expect(audit).toContain("billing-viewer/directory-admins in test/test (access.yaml:3)");
    expect(audit).toContain(`acme/support-agent/${ADMINS} in test/test (access.yaml:7)`);
  });

  test("refuses names that aren't on the tenant, or twice, and roles listed twice, each with its line", async () => {
    access(`tenant:
  support-agent:
    billing-tean:
    twins:
  suport-agent:
organizations:
  acme:
    admin:
      contractors:
  acmo:
    support-agent:
`);
    const before = granted();
    const wrong = await review();
    expect(wrong.code).toBe(4);
    const lines = [...wrong.stdout.matchAll(/^- `(.*?) on [\d.:]+: (.{12})/gm)].map((line) => line.slice(1));
    expect(lines).toEqual([
      ['access.yaml:3: getGroup({ name: "billing-tean" })', "No group has"],
      ['access.yaml:4: getGroup({ name: "twins" })', "2 groups hav"],
      ['access.yaml:5: getRole({ name: "suport-agent" })', "No role has "],
      [`access.yaml:8: getRole({ name: "admin", organization: "${ACME}" })`, "No role has "],
      ['access.yaml:10: getOrganization({ name: "acmo" })', "No organizat"],
    ]);
    expect(wrong.stdout).toContain("Nothing was changed. Correct access.yaml.");
    access("tenant:\n  support-agent:\n    contractors:\n  support-agent:\n");
    const twice = await stack.up();
    expect(twice.code).toBeGreaterThan(0);
    expect(twice.all).toContain('IdentityError: access.yaml:4: "tenant" lists "support-agent" twice.\n');
    expect(granted()).toEqual(before);
  });
});

describe("the workflow", () => {
  interface Step {
    id?: string;
    if?: string;
    run?: string;
    env?: Record<string, string>;
    "working-directory"?: string;
  }
  const { jobs } = parse(read(".github/workflows/access-request.yml")) as {
    jobs: { request: { steps: Step[] } };
  };
  let folder: string;
  let checkout: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "access-request-"));
    checkout = join(folder, "checkout");
    git(folder, "init", "--quiet", "--bare", "remote");
    git(folder, "clone", "--quiet", "remote", "checkout");
    for (const name of ["access.yaml", "access-file.ts", "request.ts", "package.json"])
      copyFileSync(join(example, name), join(checkout, name));
    git(checkout, "add", ".");
    git(
      checkout,
      "-c",
      "user.name=a",
      "-c",
      "user.email=a@example.com",
      "commit",
      "--quiet",
      "--message",
      "a",
    );
    symlinkSync(join(repository, "node_modules"), join(checkout, "node_modules"));
    // It prints its arguments, one a line, and whether the actor may write.
    const gh = '#!/bin/sh\nprintf "%s\\n" "$@" --- >> "$LOG"\n[ "$1" != api ] || echo "$PERMISSION"\n';
    writeFileSync(join(folder, "gh"), gh, { mode: 0o755 });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function git(cwd: string, ...args: string[]): string {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  }

  /** Runs the steps as a runner does, and returns what `gh` was asked for after the permission. */
  function run(body: string, permission = "write"): string[][] {
    const [event, output, log] = ["event.json", "output", "log"].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(event, JSON.stringify({ issue: { number: 12, body } }));
    for (const file of [output, log]) writeFileSync(file, "");
    const values = (): Record<string, string> => ({
      "github.token": "token",
      "github.event.issue.number": "12",
      ...Object.fromEntries(
        readFileSync(output, "utf8")
          .split("\n")
          .map((line) => line.split(/=(.*)/s))
          .map(([name, value = ""]) => [`steps.request.outputs.${name}`, value]),
      ),
    });
    let isFailed = false;
    for (const step of jobs.request.steps) {
      const { run: script, if: condition, env = {} } = step;
      const isOn =
        condition === undefined ? !isFailed : isFailed && values()["steps.request.outputs.refusal"];
      if (script === undefined || !isOn || script.startsWith("npm ci")) continue;
      const own = Object.entries(env).map(([name, text]) => [
        name,
        text.replace(/\$\{\{ (.*?) \}\}/g, (_, key: string) => values()[key] ?? ""),
      ]);
      const result = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
        cwd: step["working-directory"] ?? checkout,
        encoding: "utf8",
        env: {
          HOME: folder,
          PATH: `${folder}:${process.env["PATH"]}`,
          GITHUB_ACTOR: "octocat",
          GITHUB_REPOSITORY: "example/access",
          GITHUB_EVENT_PATH: event,
          GITHUB_OUTPUT: output,
          LOG: log,
          PERMISSION: permission,
          ...(Object.fromEntries(own) as Record<string, string>),
        },
      });
      isFailed ||= result.status !== 0;
    }
    const [asked, ...others] = readFileSync(log, "utf8")
      .split("---\n")
      .slice(0, -1)
      .map((call) => call.trimEnd().split("\n"));
    expect(asked?.[1]).toBe("repos/example/access/collaborators/octocat/permission");
    return others;
  }

  const issue = (role: string, why: string) =>
    `### Role\n\n${role}\n\n### Group\n\ncontractors\n\n### Organization\n\n_No response_\n\n### Until\n\n2099-03-31\n\n### Why\n\n${why}\n`;
  const HOSTILE = '$(touch pwned) `touch pwned`"; touch pwned #\n::stop-commands::x\ntitle=x';

  test("pushes a branch with the lines of the request, and opens a pull request for it", () => {
    const title = 'Give "billing-viewer" to "contractors" until 2099-03-31';
    expect(run(issue("billing-viewer", HOSTILE))).toEqual([
      ["auth", "setup-git"],
      [
        "pr",
        "create",
        "--head",
        "access-request-12",
        "--title",
        title,
        "--body",
        "Closes #12, which says why.",
      ],
    ]);
    const patch = git(checkout, "show", "--format=%s", "origin/access-request-12");
    const lines = patch.split("\n").filter((line) => /^[+-] /.test(line));
    expect([patch.split("\n")[0], ...lines]).toEqual([
      title,
      "+    contractors:",
      "+      until: 2099-03-31",
      `+      why: '$(touch pwned) \`touch pwned\`"; touch pwned # ::stop-commands::x title=x'`,
    ]);
    expect(git(checkout, "status", "--porcelain", "--", ".", ":!node_modules")).toBe("");
  });

  test("comments on an issue whose branch is there already, and leaves the branch as it is", () => {
    run(issue("billing-viewer", "Audit"));
    git(checkout, "switch", "--quiet", "-");
    git(checkout, "branch", "--quiet", "-D", "access-request-12");
    const branch = git(checkout, "ls-remote", "origin");
    const line =
      "The branch access-request-12 is there already. Review its pull request, or delete the branch and put the label on again.";
    expect(run(issue("billing-viewer", "Another reason"))).toEqual([
      ["auth", "setup-git"],
      ["issue", "comment", "12", "--body", line],
    ]);
    expect(git(checkout, "ls-remote", "origin")).toBe(branch);
  });

  test("comments on an issue that it refuses, and pushes nothing", () => {
    const line = 'access.yaml has no role "admin?(touch pwned)", only "billing-viewer", "support-agent".';
    expect(run(issue("admin$(touch pwned)", HOSTILE))).toEqual([["issue", "comment", "12", "--body", line]]);
    expect(git(checkout, "branch", "--all").trim().split("\n")).toHaveLength(1);
    expect(git(checkout, "status", "--porcelain", "--", ".", ":!node_modules")).toBe("");
  });

  test("does nothing for somebody who may only triage", () => {
    expect(run(issue("billing-viewer", "Audit"), "read")).toEqual([]);
    expect(git(checkout, "branch", "--all").trim().split("\n")).toHaveLength(1);
  });
});
