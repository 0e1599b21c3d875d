import { Server, ServerCredentials } from "@grpc/grpc-js";
import { PACKAGE_VERSION } from "../../http/package-version";
import { type PackageContents, PluginServer } from "./server";
import { loadMessages, serviceOf } from "./service";
import { expectShortLife } from "./short-life";

/** Large resources don't fit gRPC's default limits. */
const UNLIMITED = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 } as const;

/** Serves the engine until it is gone. Prints the port for its calls. */
export async function serve(contents: PackageContents, args: readonly string[]): Promise<void> {
  const address = addressIn(args);
  const answer = answerTo(args, address);
  if (answer !== undefined) {
    process.stdout.write(answer.says);
    process.exitCode = answer.code;
    return;
  }
  const server = new Server(UNLIMITED);
  const plugin = new PluginServer(contents, address);
  const { methods } = plugin;
  server.addService(serviceOf(Object.keys(methods)), methods);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  // The engine reads the port from the first line of output.
  process.stdout.write(`${port}\n`);
  expectShortLife();
  // The engine connects meanwhile.
  setImmediate(loadMessages);
  plugin.watch(() => {
    plugin.cancel("Pulumi has ended");
    server.tryShutdown(() => process.exit());
  });
}

/** Returns the text for somebody who starts this by hand; undefined for the engine. */
function answerTo(
  args: readonly string[],
  address: string | undefined,
): { says: string; code: number } | undefined {
  if (args.includes("--version")) return { says: `${PACKAGE_VERSION}\n`, code: 0 };
  if (args.includes("--help") || args.includes("-h")) return { says: HELP, code: 0 };
  return address === undefined ? { says: HELP, code: 2 } : undefined;
}

const HELP =
  "pulumi-resource-identity is the plugin of pulumi-identity: Pulumi starts it with the engine's address.\n" +
  "To set it up for a program in YAML, Python, Go …, see https://github.com/pulumi-identity/pulumi-identity/blob/main/docs/languages.md\n" +
  "For commands of your own, run: npx --no pulumi-identity help\n";

/** Returns the engine's address. The engine puts its flags for logs and traces in front of it. */
export function addressIn(args: readonly string[]): string | undefined {
  return args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--tracing");
}
