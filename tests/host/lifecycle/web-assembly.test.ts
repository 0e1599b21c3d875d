import { setTimeout } from "node:timers/promises";
import { Host } from "../../../testkit/hosts/host";
import { useTenant } from "../../../testkit/tenant";

const tenant = useTenant();

/** Makes V8 print each function of WebAssembly that it compiles. */
const TRACE = `import { setFlagsFromString } from "node:v8"; setFlagsFromString("--trace-wasm-compilation-times");`;
const ANSWERS = 30;

test("a host does not optimise the parser of answers: that takes 25 MiB, and more time than it saves", async () => {
  const host = await Host.start({
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(TRACE)}` },
  });
  try {
    await host.configure({
      "identity:domain": tenant.url,
      "identity:clientId": tenant.clientId,
      "identity:clientSecret": tenant.clientSecret,
    });
    const __provider = `exports.handler=()=>require("pulumi-identity/runtime").connectionProfile`;
    for (let i = 0; i < ANSWERS; i++) await host.create({ name: `p${i}`, __provider });
    // V8 would optimise it in the meantime.
    await setTimeout(2_000);
    const compiled = host.messages.filter((line) => line.startsWith("Compiled function"));
    expect(compiled.filter((line) => line.includes("using Liftoff"))).not.toEqual([]);
    expect(compiled.filter((line) => line.includes("using TurboFan"))).toEqual([]);
    expect(host.stderr).toBe("");
  } finally {
    await host.stop();
  }
});
