import { ManagementClient } from "auth0";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENT_ID, CLIENT_SECRET } from "../../simulator/default-seed";
import { type SeedInput, type Simulator, startSimulator } from "../../simulator/index";
import { call } from "../../testkit/test-client";

/* README.md: everything that users copy from it. npm would publish any file named readme, even a test. */

const readme = readFileSync(join(__dirname, "../../simulator/README.md"), "utf8");

/** The code blocks of a section, by language. */
function blocks(section: string, language: string): string[] {
  const text = new RegExp(`\n## ${section}\n([\\s\\S]+?)(?=\n## |$)`).exec(readme)?.[1] ?? "";
  return [...text.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]+?)\`\`\``, "g"))].map(
    ([, code]) => code!,
  );
}

let simulator: Simulator;
beforeEach(async () => {
  simulator = await startSimulator();
});
afterEach(() => simulator.close());

test("the sample of a seed is one, with every kind of record", () => {
  const seed = JSON.parse(blocks("The seed", "json")[0]!) as SeedInput;
  simulator.seed(seed);
  const { behaviour, access_tokens: _, ...records } = simulator.state();
  expect(Object.keys(seed).sort()).toEqual([...Object.keys(records), "behaviour", "tokens"].sort());
  for (const kept of Object.values(records)) expect(kept).toHaveLength(1);
  expect(behaviour.assign_assigned_group).toBe("error");
});

test("the refusal it shows is that of such a seed", () => {
  const [shown = ""] = blocks("The seed", "text");
  expect(() => simulator.seed({ users: [{}] } as unknown as SeedInput)).toThrow(
    shown.trim().replace("The seed seed.json", "The seed"),
  );
});

test("each control path is listed and has a curl that does what it says", async () => {
  const { paths } = (await call(simulator.url, "GET", "/_simulator")).body as { paths: object };
  const listed = [...readme.matchAll(/^\| `((?:GET|POST) \/_simulator\S*)`/gm)].map(([, path]) => path!);
  expect(listed.sort()).toEqual(Object.keys(paths).sort());

  const called: string[] = [];
  for (const line of blocks("Control paths", "sh")[0]!.trim().split("\n")) {
    const [, path] = /http:\/\/127\.0\.0\.1:8000(\S+)/.exec(line)!;
    const [, json] = / --json '(.+)'$/.exec(line) ?? [];
    const method = json !== undefined || line.includes("-X POST") ? "POST" : "GET";
    const { status } = await call(
      simulator.url,
      method,
      path!,
      json === undefined ? undefined : JSON.parse(json),
    );
    called.push(`${method} ${path}`);
    expect({ line, status }).toEqual({ line, status: method === "GET" ? 200 : 204 });
  }
  expect(called.sort()).toEqual(listed);
});

test("client id and secret are those that it names, also with a seed that has no clients", () => {
  const [printed] = blocks("Quick start", "json");
  expect(JSON.parse(printed!)).toEqual({
    url: "http://127.0.0.1:8000",
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
  });
  simulator.seed({});
  expect([simulator.clientId, simulator.clientSecret]).toEqual([CLIENT_ID, CLIENT_SECRET]);
});

test("each member of a simulator is listed, and no other", () => {
  const section = /## In Jest and Vitest\n([\s\S]+?)\n## /.exec(readme)?.[1] ?? "";
  const listed = [...section.matchAll(/^\| (`.+?`) +\|/gm)].flatMap(([, cell]) =>
    [...cell!.matchAll(/`(\w+)/g)].map(([, name]) => name!),
  );
  expect(listed.sort()).toEqual(Object.keys(simulator).sort());
});

test("the official client works as it says, with its own audience", async () => {
  expect(blocks("With the official client", "ts")[0]).toContain(
    'fetch: (input, init) => fetch(String(input).replace("https:", "http:"), init)',
  );
  const client = new ManagementClient({
    domain: new URL(simulator.url).host,
    clientId: simulator.clientId,
    clientSecret: simulator.clientSecret,
    fetch: (input, init) => fetch((input as string).replace("https:", "http:"), init),
  });
  expect(await client.connectionProfiles.create({ name: "enterprise" })).toMatchObject({
    name: "enterprise",
  });
  expect(simulator.log()).toEqual(["POST /oauth/token 200", "POST /api/v2/connection-profiles 201"]);
});
