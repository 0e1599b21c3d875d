import { type ProviderHost } from "../hosts/host";

/** The hosts of one run: one for each provider in use, configured before its first call. */
export class Hosts {
  readonly #starting = new Map<string | undefined, Promise<ProviderHost>>();
  readonly #started: ProviderHost[] = [];

  constructor(
    private readonly start: (provider: string | undefined) => Promise<ProviderHost>,
    private readonly configOf: (provider: string | undefined) => Record<string, string>,
  ) {}

  /** `provider`: undefined for the default provider. */
  of(provider: string | undefined): Promise<ProviderHost> {
    let host = this.#starting.get(provider);
    if (host === undefined) {
      host = this.#begin(provider);
      this.#starting.set(provider, host);
    }
    return host;
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#starting.values());
    for (const host of this.#started) await host.stop();
  }

  kill(): void {
    for (const host of this.#started) host.kill?.();
  }

  get messages(): string[] {
    return this.#started.flatMap(({ messages }) => messages);
  }

  get stderr(): string {
    return this.#started.map(({ stderr }) => stderr).join("");
  }

  async #begin(provider: string | undefined): Promise<ProviderHost> {
    const config = this.configOf(provider);
    const host = await this.start(provider);
    this.#started.push(host);
    await host.configure(config);
    return host;
  }
}
