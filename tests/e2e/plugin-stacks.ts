import { DEFAULT_SEED } from "../../simulator/default-seed";
import { useSimulator } from "../../testkit/simulator";
import { Stack, type StackOptions } from "../../testkit/stack";

/** Stacks in YAML, for which the real engine starts the plugin, and the tenant of all of them. */
export function usePluginStacks() {
  const simulator = useSimulator();
  let stack: Stack | undefined;

  beforeEach(() => {
    simulator.seed(DEFAULT_SEED);
    simulator.reset();
  });
  afterEach(() => stack?.remove());

  const create = async (options: StackOptions): Promise<Stack> => (stack = await Stack.create(options));

  /** Starts a stack with settings in its configuration, where the plugin finds them. */
  async function start(program: string): Promise<Stack> {
    const started = await create({ program, language: "yaml" });
    await started.configure(simulator);
    return started;
  }

  function requests(): string[] {
    const log = simulator.log();
    simulator.reset();
    return log.filter((line) => !line.startsWith("POST /oauth/token"));
  }

  /** Sorted, because the engine works in parallel. */
  const writes = () =>
    requests()
      .filter((line) => !line.startsWith("GET"))
      .sort();

  return { simulator, create, start, requests, writes };
}
