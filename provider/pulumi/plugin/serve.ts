import { loadProtocol, type Protocol } from "./protocol";
import { type Contents, PluginServer } from "./server";

/** The messages of large resources. */
const UNLIMITED = { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 } as const;

/** Serves the engine until it is gone, and prints the port that it can call. */
export async function serve(contents: Contents, args: readonly string[]): Promise<void> {
  const address = addressIn(args);
  const protocol = protocolOrExit();
  const { grpc, provider } = protocol;
  const server = new grpc.Server(UNLIMITED);
  const plugin = new PluginServer(protocol, contents, address);
  server.addService(provider.ResourceProviderService, plugin.methods);
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  // The one line of output: the engine reads the port from it.
  process.stdout.write(`${port}\n`);
  plugin.watch(() => {
    plugin.cancel("Pulumi has ended");
    server.tryShutdown(() => process.exit());
  });
}

/** The engine's address stands behind what its own flags for logs and traces have become. */
export function addressIn(args: readonly string[]): string | undefined {
  return args.find((arg, index) => !arg.startsWith("-") && args[index - 1] !== "--tracing");
}

function protocolOrExit(): Protocol {
  try {
    return loadProtocol();
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === "MODULE_NOT_FOUND";
    const { message } = error as Error;
    process.stderr.write(
      missing
        ? "pulumi-resource-identity needs the package @pulumi/pulumi beside it: npm install @pulumi/pulumi.\n"
        : `pulumi-resource-identity can't load the protocol of @pulumi/pulumi: ${message}\n`,
    );
    return process.exit(1);
  }
}
