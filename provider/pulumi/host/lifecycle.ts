import type * as pulumi from "@pulumi/pulumi";
import { type RawInputs } from "../../review/raw-inputs";
import { type ResourceKind } from "../resource-kind";
import { exists, importById } from "./by-id";
import { check, type CheckResult, diff } from "./check";
import { type Door, dynamicDoor, type HostConfig } from "./door";
import { KindInHost } from "./kind-in-host";
import { create, read, remove, update } from "./operate";

export interface Handlers extends Required<Omit<pulumi.dynamic.ResourceProvider, "configure">> {
  configure: (request: { config: HostConfig }) => Promise<void>;
  check: (olds: RawInputs, news: RawInputs) => Promise<CheckResult>;
  import: (id: string) => Promise<pulumi.dynamic.ReadResult>;
  exists: (id: string) => Promise<pulumi.dynamic.ReadResult>;
}

/** Returns the handlers of a kind, as both doors call them. */
export function handlersOf<Inputs extends object>(
  kind: ResourceKind<Inputs>,
  door: Door = dynamicDoor(),
): Handlers {
  const host = new KindInHost(kind, door);
  // The SDK calls these without `this`. They must throw an Error, or the engine waits forever.
  const guarded =
    <Args extends unknown[], Result>(handler: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await handler(...args);
      } catch (error) {
        throw host.leaving(error, args);
      }
    };
  return {
    // The SDK doesn't await `configure`, and after a rejection handlers would run unconfigured. So it stores
    // the config and never fails.
    configure: ({ config }) => {
      host.configure(config);
      return Promise.resolve();
    },
    check: guarded((olds: RawInputs, news: RawInputs) => check(host, olds, news)),
    diff: guarded((id: string, olds: RawInputs, news: RawInputs) => diff(host, id, olds, news)),
    create: guarded((news: RawInputs) => create(host, news)),
    read: guarded((id: string, props: RawInputs = {}) => read(host, id, props)),
    import: guarded((id: string) => importById(host, id)),
    exists: guarded((id: string) => exists(host, id)),
    update: guarded((id: string, olds: RawInputs, news: RawInputs) => update(host, id, olds, news)),
    delete: guarded((id: string, props: RawInputs) => remove(host, id, props)),
  };
}
