import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Simulator, startSimulator } from "../../simulator";
import {
  ADMINS,
  AGENT,
  BILLING,
  CONTRACTORS,
  PHONE,
  SUPPORT,
  USER_ID,
  VIEWER,
} from "../../simulator/default-seed";
import { type CommandResult, Stack } from "../../testkit/stack";
import { mypy, type PythonEnvironment, pythonEnvironment } from "./python-environment";
import { buildArchive, installPlugin } from "./plugin-archive";
import { EU_ADMINS, run, startSecondTenant } from "./sdks";

/* Programs in Python on the plugin, with the real CLI and Pulumi's Python host, without Node.js. */

const repository = resolve(__dirname, "../..");
let python: PythonEnvironment;
let archive: string;
let simulator: Simulator;
let folder: string;
let stack: Stack;

beforeAll(async () => {
  python = await pythonEnvironment();
  archive = await buildArchive();
});

/** A copy of the example, as a user makes it, with the program that needs no SDK. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "pulumi-identity-python-"));
  for (const file of ["Pulumi.yaml", "untyped.py", "requirements.txt"])
    cpSync(join(repository, "examples/python", file), join(folder, file));
  cpSync(join(folder, "untyped.py"), join(folder, "__main__.py"));
  symlinkSync(python.venv, join(folder, "venv"));

  simulator = await startSimulator({ rate: { burst: 1000, perSecond: 1000 } });
  stack = await Stack.create({ folder, env: { PATH: python.PATH } });
  await installPlugin(stack, archive);
  await stack.configure(simulator);
  await stack.config("lostPhone", PHONE);
});

afterEach(async () => {
  stack.remove();
  rmSync(folder, { recursive: true });
  await simulator.close();
});

function succeeded(result: CommandResult): string {
  if (result.code !== 0) throw new Error(result.all);
  for (const secret of [simulator.clientSecret, SECRET_GROUP]) expect(result.all).not.toContain(secret);
  return result.stdout;
}

/** Returns all requests but the one for a token, sorted. */
function requests(): string[] {
  const log = simulator.log();
  simulator.reset();
  return log.filter((line) => !line.startsWith("POST /oauth/token")).sort();
}

function writes(): string[] {
  return requests().filter((line) => !line.startsWith("GET"));
}

/** Replaces the program, or a part of it. */
function write(after: string, before?: string): void {
  const file = join(folder, "__main__.py");
  const text = readFileSync(file, "utf8");
  if (before !== undefined) expect(text).toContain(before);
  writeFileSync(file, before === undefined ? after : text.replace(before, after));
}

function groupsOf(role: string): string[] {
  return [...(simulator.state().roles.find(({ id }) => id === role)?.groups ?? [])].sort();
}

/** What Pulumi's generator writes into the bodies of functions, whatever the schema. */
const OF_GENERATOR = [
  /\/_utilities\.py:/,
  /\/provider\.py:\d+: error: Argument 1 to "(?:secret|from_input)" of "Output"/,
  /\/get_\w+\.py:\d+: error: Incompatible types in assignment .*\[assignment\]$/,
];

const SECRET_GROUP = CONTRACTORS;
/** In the example's program. */
const GROUPS = 'groupIds": [admins["id"], billing["id"]]';

function assignment(name: string, role: string, groups: string[], options = ""): string {
  const properties = JSON.stringify({ roleId: role, groupIds: groups });
  return `import pulumi
pulumi.CustomResource("identity:index:RoleGroupAssignment", "${name}", ${properties}${options})
`;
}

test("the example goes up, changes, is refreshed and destroyed, and its secrets stay secret", async () => {
  const preview = succeeded(await stack.preview());
  expect(preview).toContain(`lost-phone: permanently removes device credential ${PHONE}`);
  const review = succeeded(await stack.review({ args: ["--no-read", "--format", "text"] }));
  expect(review).toMatch(new RegExp(`${AGENT} .* gains +${ADMINS} +support\n`));
  expect(writes()).toEqual([]);

  succeeded(await stack.up());
  expect(requests()).toEqual([
    `DELETE /api/v2/device-credentials/${PHONE} 204`,
    "GET /api/v2/groups?name=billing-team&take=100 200",
    "GET /api/v2/groups?name=directory-admins&take=100 200",
    "GET /api/v2/roles?page=0&per_page=100&include_totals=true 200",
    `GET /api/v2/users/${encodeURIComponent(USER_ID)}/permissions?page=0&per_page=100&include_totals=true 200`,
    "POST /api/v2/connection-profiles 201",
    `POST /api/v2/roles/${AGENT}/groups 204`,
  ]);
  expect(await stack.outputs()).toEqual({
    permissions: expect.any(Array) as unknown,
    profileId: simulator.state().connection_profiles[0]?.id,
  });

  write(`groupIds": [admins["id"], pulumi.Output.secret("${SECRET_GROUP}")]`, GROUPS);
  requests();
  succeeded(await stack.preview({ args: ["--diff"] }));
  expect(writes()).toEqual([]);
  succeeded(await stack.up());
  expect(writes()).toEqual([
    `DELETE /api/v2/roles/${AGENT}/groups 204`,
    `POST /api/v2/roles/${AGENT}/groups 204`,
  ]);
  expect(groupsOf(AGENT)).toEqual([ADMINS, SUPPORT, SECRET_GROUP].sort());

  // Somebody deletes the profile by hand.
  simulator.seed({ ...simulator.state(), connection_profiles: [] });
  expect(succeeded(await stack.refresh())).toContain("1 deleted");
  expect(succeeded(await stack.up())).toContain("1 created");
  const state = JSON.stringify(await stack.state());
  expect(state).toContain(ADMINS);
  for (const secret of [simulator.clientSecret, SECRET_GROUP]) expect(state).not.toContain(secret);

  succeeded(await stack.destroy());
  expect(groupsOf(AGENT)).toEqual([SUPPORT]);
  expect(simulator.state().connection_profiles).toEqual([]);
});

test("on the SDK, the example has the right types and the same life", async () => {
  cpSync(join(repository, "examples/python/__main__.py"), join(folder, "__main__.py"));
  expect(await mypy(python, ["--strict", "__main__.py"], folder)).toEqual([]);
  const complaints = await mypy(python, ["-p", "pulumi_identity"], folder);
  expect(complaints.filter((line) => !OF_GENERATOR.some((kind) => kind.test(line)))).toEqual([]);
  write(
    `pulumi.export("there", identity.ConnectionProfile.exists(enterprise.id))
pulumi.export("gone", identity.ConnectionProfile.exists("cop_5LcVt7K9sPmZa2GjRf8mYd"))
pulumi.export("found", identity.get_user_output(user_id="auth0|nobody", required=False).found)
pulumi.export("permissions"`,
    'pulumi.export("permissions"',
  );

  succeeded(await stack.up());
  expect(writes()).toEqual([
    `DELETE /api/v2/device-credentials/${PHONE} 204`,
    "POST /api/v2/connection-profiles 201",
    `POST /api/v2/roles/${AGENT}/groups 204`,
  ]);
  expect(await stack.outputs()).toMatchObject({ there: true, gone: false, found: false });
  succeeded(await stack.preview({ args: ["--expect-no-changes"] }));

  // The same without the SDK.
  cpSync(join(folder, "untyped.py"), join(folder, "__main__.py"));
  expect(succeeded(await stack.up())).toContain("4 unchanged");
  expect(writes()).toEqual([]);

  write('"group_ids": [admins', '"groupIds": [admins');
  const misspelt = await stack.preview();
  expect(misspelt.code).not.toBe(0);
  expect(misspelt.all).toContain("group_ids: is not an input: did you mean groupIds?");

  cpSync(join(repository, "examples/python/__main__.py"), join(folder, "__main__.py"));
  succeeded(await stack.destroy());
  expect(groupsOf(AGENT)).toEqual([SUPPORT]);
});

test("the example's Provider is another tenant, for its resource and what it looks up", async () => {
  cpSync(join(repository, "examples/python/__main__.py"), join(folder, "__main__.py"));
  const eu = await startSecondTenant(stack);
  try {
    succeeded(await stack.up());
    expect(eu.state().roles).toMatchObject([{ groups: [EU_ADMINS] }]);
    expect(groupsOf(AGENT)).toEqual([ADMINS, BILLING, SUPPORT].sort());
    expect(JSON.stringify(await stack.state())).not.toContain(eu.clientSecret);
    succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
    succeeded(await stack.destroy());
    expect(eu.state().roles).toMatchObject([{ groups: [] }]);
  } finally {
    await eu.close();
  }
});

test("what the tenant has is imported by the command and by the option", async () => {
  const type = "identity:index:RoleGroupAssignment";
  const options = ["--yes", "--protect=false", "--generate-code=false"];
  const config = ["--config-file", join(stack.home, "program", "Pulumi.test.yaml")];
  succeeded(await stack.pulumi(["import", type, "support", AGENT, ...options, ...config]));
  write(assignment("support", AGENT, [SUPPORT]));
  requests();
  succeeded(await stack.preview({ args: ["--expect-no-changes"] }));

  simulator.seed({
    ...simulator.state(),
    roles: [
      { id: AGENT, name: "support-agent", groups: [SUPPORT] },
      { id: VIEWER, name: "billing-viewer", groups: [BILLING] },
    ],
  });
  const option = `, pulumi.ResourceOptions(import_="${VIEWER}")`;
  write(assignment("support", AGENT, [SUPPORT]) + assignment("viewers", VIEWER, [BILLING], option));
  succeeded(await stack.up());
  expect(writes()).toEqual([]);
  succeeded(await stack.destroy());
  expect([groupsOf(AGENT), groupsOf(VIEWER)]).toEqual([[], []]);
});

/** The metadata and the files of the package, as it's installed there. */
async function installed(...places: string[]): Promise<{ metadata: string; files: string[] }> {
  const script = `
import importlib.metadata as all, json, sys
[one] = all.distributions(name="pulumi_identity", path=${places.length > 0 ? JSON.stringify(places) : "sys.path"})
print(json.dumps({ "metadata": one.read_text("METADATA"), "files": [str(file) for file in one.files] }))`;
  const { stdout } = await promisify(execFile)(join(python.venv, "bin/python3"), ["-c", script]);
  return JSON.parse(stdout) as { metadata: string; files: string[] };
}

test("the packages say what PyPI shows, the sdist has all of the wheel, and the page's program runs", async () => {
  const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
    version: string;
  };
  const page = readFileSync(join(repository, "sdk/python/README.md"), "utf8");
  const ofWheel = await installed();
  const [head = "", ...description] = ofWheel.metadata.split("\n\n");
  expect(head.split("\n")).toEqual(
    expect.arrayContaining([
      "Name: pulumi_identity",
      `Version: ${version}`,
      "License-Expression: Apache-2.0",
      "License-File: LICENSE",
      "Requires-Python: >=3.10",
      "Description-Content-Type: text/markdown",
    ]),
  );
  expect(description.join("\n\n").trim()).toBe(page.trim());
  expect(ofWheel.files).toEqual(
    expect.arrayContaining(["pulumi_identity/pulumi-plugin.json", "pulumi_identity/py.typed"]),
  );
  const ofSdist = join(folder, "of-sdist");
  const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", ofSdist];
  await run(join(python.venv, "bin/python3"), [...pip, python.sdist], folder);
  const code = /\.pyc?$|json$|typed$/;
  const modules = ({ files }: { files: string[] }) => files.filter((name) => code.test(name)).sort();
  expect(modules(await installed(ofSdist))).toEqual(modules(ofWheel));

  const [, program = ""] = /```python\n([^`]+)```/.exec(page) ?? [];
  write(program);
  succeeded(await stack.up());
  expect(groupsOf(AGENT)).toEqual([ADMINS, SUPPORT].sort());
  expect(JSON.stringify(await stack.state())).toContain("github://api.github.com/pulumi-identity/");
  succeeded(await stack.preview({ args: ["--expect-no-changes"] }));
  succeeded(await stack.destroy());
  expect(groupsOf(AGENT)).toEqual([SUPPORT]);
});

test("two assignments of one role and group are refused in the preview", async () => {
  write(assignment("one", VIEWER, [ADMINS]) + assignment("two", VIEWER, [ADMINS, BILLING]));

  const { code, all } = await stack.preview();

  expect(code).not.toBe(0);
  expect(all).toMatch(/"(one|two)" and "(one|two)"/);
  expect(requests()).toEqual([]);
});
