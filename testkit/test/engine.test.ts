import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  assignment,
  Engine,
  failed,
  profile,
  type Program,
  type Resource,
  type Run,
  secret,
  UNKNOWN,
} from "../engine";
import { type Belief, BELIEFS, PROVIDERS, Story, type Thing } from "./beliefs";
import { hashOf } from "../../provider/pulumi/hosts-file";
import { Host, stopWarmHost, type Values } from "../hosts/host";

const folder = mkdtempSync(join(tmpdir(), "pulumi-identity-engine-"));
const nowhere = { url: "http://127.0.0.1:9", clientId: "", clientSecret: "" };
const providers = Object.fromEntries(PROVIDERS.map((name) => [name, {}]));

afterAll(async () => {
  await stopWarmHost();
  rmSync(folder, { recursive: true });
});

/** A program of things, with the handlers of the story. */
function programOf(things: Record<string, Thing>, story: Story): Program {
  const resource = (name: string, thing: Thing): Resource =>
    profile({}, { ...thing, transform: () => story.inputsOf(name, thing) });
  return Object.fromEntries(Object.entries(things).map(([name, thing]) => [name, resource(name, thing)]));
}

describe("what the real engine was seen to do", () => {
  const story = new Story(join(folder, "beliefs"));
  const engine = new Engine(nowhere, { providers });

  const tell = ({ run, options = {} }: Belief): Promise<Run> => {
    if (run === "refresh") return engine.refresh(options);
    return run === "destroy" ? engine.destroy(options) : engine.up(programOf(run, story), options);
  };

  test.each(BELIEFS)("$title", async (belief) => {
    const { parallel = 1, error, left } = belief;
    engine.parallel = parallel;
    story.begin(belief);

    if (error === undefined) await tell(belief);
    else expect((await failed(tell(belief))).errors.join("\n")).toMatch(error);

    story.expectBelieved(belief);
    if (left === undefined) return;
    const state = [...engine.state].map(([name, { outputs, pendingReplacement }]) => [
      name,
      `${String(outputs["value"])}${pendingReplacement ? ", pending replacement" : ""}`,
    ]);
    expect(Object.fromEntries(state)).toEqual(left);
    expect(engine.pendingDeletes).toEqual([]);
  });
});

describe("what is registered", () => {
  const registered: unknown[] = [];

  /** Hosts that accept everything. */
  beforeEach(() => {
    registered.length = 0;
    const host: Pick<Host, "configure" | "check" | "create" | "stop" | "messages" | "stderr"> = {
      configure: () => Promise.resolve(),
      check: (_, news) => {
        registered.push(news);
        return Promise.resolve({ inputs: news, failures: [] });
      },
      create: (properties) => Promise.resolve({ id: "1", properties }),
      stop: () => Promise.resolve(),
      messages: [],
      stderr: "",
    };
    jest.spyOn(Host, "warm").mockImplementation(() => Promise.resolve(host as Host));
  });
  afterEach(() => jest.restoreAllMocks());

  test("hidden inputs are computed from what transformations leave", async () => {
    const program: Program = {
      a: assignment(
        { roleId: secret("r"), groupIds: ["g"] },
        { transform: (inputs) => ({ ...inputs, groupIds: secret(["h"]) }) },
      ),
    };

    await new Engine(nowhere).up(program, {
      transform: (name, inputs) => ({ ...inputs, exclusive: name === "a" }),
    });

    expect(registered).toEqual([
      {
        roleId: "r",
        groupIds: ["h"],
        exclusive: true,
        __secretInputs: ["roleId", "groupIds"],
        __registration: "test/test  a",
        __listedElsewhere: `${hashOf("r")}=${hashOf("h")}`,
        __sets: `groupIds=${hashOf("h")}`,
        __provider: expect.stringContaining("roleGroupAssignment") as string,
      },
    ]);
  });

  test("an assignment brings along what all of its role list, also those under other providers of the tenant", async () => {
    const of = (groupIds: unknown, provider?: string) =>
      assignment({ roleId: "r", groupIds }, provider === undefined ? {} : { provider });
    const engine = new Engine(nowhere, {
      config: { "identity:domain": "stack.example.com" },
      providers: {
        same: { "identity:domain": "stack.example.com" },
        eu: { "identity:domain": "eu.example.com" },
      },
    });

    await engine.up({ a: of(["g"]), b: of(["h"], "same"), c: of(["i"], "eu"), d: of(UNKNOWN, "eu") });

    const role = `${hashOf("r")}=`;
    expect((registered as Values[]).map((inputs) => inputs["__listedElsewhere"])).toEqual([
      `${role}${hashOf("g")}${hashOf("h")}`,
      `${role}${hashOf("g")}${hashOf("h")}`,
      `${role}${hashOf("i")}?`,
      `${role}${hashOf("i")}?`,
    ]);
  });
});
