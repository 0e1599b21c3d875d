import { Engine, failed } from "../engine";
import { qualifiedName } from "../../provider/pulumi/hidden-inputs";
import { type ProviderHost, type Values } from "../hosts/host";
import { PluginInProcess, RunsInProcess } from "../hosts/plugin-in-process";
import { useTenant } from "../tenant";
import { PLUGIN_BELIEFS } from "./plugin-beliefs";

const tenant = useTenant();
const runs = new RunsInProcess();
afterAll(() => runs.stop());

describe("what the real engine was seen to do with the plugin", () => {
  test("a story of runs", async () => {
    const calls: string[] = [];
    const engine = new Engine(tenant, {
      parallel: 1,
      startHost: async () => recording(await PluginInProcess.start({ runs }), calls),
    });
    for (const { title, run, calls: wanted, left, error } of PLUGIN_BELIEFS) {
      calls.length = 0;
      const running = typeof run === "string" ? engine[run]() : engine.up(run);
      if (error === undefined) await running;
      else expect((await failed(running)).errors.join()).toMatch(error);
      const groups = [...engine.state].map(([name, { outputs }]): [string, unknown] => [
        name,
        outputs["groupIds"],
      ]);
      expect({ title, calls: [...calls], left: Object.fromEntries(groups) }).toEqual({
        title,
        calls: wanted,
        left,
      });
    }
  });
});

const CALLS = ["check", "diff", "create", "read", "update", "delete"] as const;

/** Notes each call with the name of the resource. */
function recording(host: ProviderHost, calls: string[]): ProviderHost {
  const isValues = (arg: unknown) => typeof arg === "object" && !Array.isArray(arg);
  for (const call of CALLS) {
    const method = host[call].bind(host) as (...args: unknown[]) => Promise<unknown>;
    Object.assign(host, {
      [call]: (...args: unknown[]) => {
        const [values = {}] = args.filter(isValues) as Values[];
        calls.push(`${call} ${qualifiedName(call === "check" ? (args[1] as Values) : values)}`);
        return method(...args);
      },
    });
  }
  return host;
}
