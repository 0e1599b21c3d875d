import { Server } from "@grpc/grpc-js";
import { type ResourceProviderClient, ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { rmSync } from "node:fs";
import { hostsFilePath } from "../../provider/pulumi/hosts-file";
import { handlersOf } from "../../provider/pulumi/host/lifecycle";
import { loadProtocol } from "../../provider/pulumi/plugin/protocol";
import { type PackageContents, PluginServer } from "../../provider/pulumi/plugin/server";
import { connectionProfileKind } from "../../provider/resources/connection-profile/kind";
import { deviceCredentialRemovalKind } from "../../provider/resources/device-credential-removal/kind";
import { roleGroupAssignmentKind } from "../../provider/resources/role-group-assignment/kind";
import { type ProviderHost } from "./host";
import { atMoment, ofItsOwn } from "./host-in-process";
import { LineServer, listen, PluginCalls } from "./plugin-calls";
import { clientOf } from "./plugin-host";

/** The resources of `provider/plugin.ts`, which is a program and exports nothing. */
const CONTENTS: PackageContents = {
  resources: {
    ConnectionProfile: (door) => handlersOf(connectionProfileKind, door),
    DeviceCredentialRemoval: (door) => handlersOf(deviceCredentialRemovalKind, door),
    RoleGroupAssignment: (door) => handlersOf(roleGroupAssignmentKind, door),
  },
  dataSources: {},
  schema: () => "{}",
};

export interface InProcessOptions {
  /** See `PluginOptions`. */
  listings?: boolean;
  /** The fixed time of its clock. */
  moment?: number | undefined;
}

/**
 * The plugin's server in this process, called over gRPC all the same: tables have hundreds of runs, and each
 * would start a process.
 */
export class PluginInProcess extends PluginCalls implements ProviderHost {
  readonly stderr = "";
  readonly processId = process.pid;

  private constructor(
    private readonly plugin: PluginServer,
    private readonly server: Server,
    private readonly engine: LineServer,
    protected readonly client: ResourceProviderClient,
    listings: boolean,
  ) {
    super(listings);
  }

  static async start({ listings = false, moment }: InProcessOptions = {}): Promise<PluginInProcess> {
    const engine = await LineServer.start();
    const plugin = new PluginServer(loadProtocol(), CONTENTS, engine.address);
    const server = new Server();
    const methods = Object.entries(plugin.methods).map(([name, method]) => [
      name,
      (...args: Parameters<typeof method>) =>
        atMoment(moment, () => (method as (...given: typeof args) => void)(...args)),
    ]);
    server.addService(ResourceProviderService, Object.fromEntries(methods) as typeof plugin.methods);
    return new PluginInProcess(plugin, server, engine, clientOf(await listen(server)), listings);
  }

  override configure(config: Record<string, string>): Promise<void> {
    return super.configure(ofItsOwn(config));
  }

  get messages(): string[] {
    return this.engine.lines.map(({ text }) => text);
  }

  kill(): void {
    this.plugin.cancel("the host was killed");
    this.server.forceShutdown();
  }

  stop(): Promise<void> {
    this.client.close();
    this.server.forceShutdown();
    this.engine.stop();
    rmSync(hostsFilePath(this.engine.address), { force: true });
    return Promise.resolve();
  }
}
