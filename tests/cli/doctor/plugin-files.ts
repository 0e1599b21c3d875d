import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/* Plugins for the doctor to look at: nobody can run them. */

export interface PluginText {
  /** That of the mark; undefined for a plugin of somebody else. */
  version?: string | undefined;
  /** Default: npm's script. */
  platform?: "linux-amd64" | "linux-arm64" | "darwin-arm64" | "windows-amd64";
  mode?: number;
}

export function writePlugin(folder: string, { version, platform, mode = 0o755 }: PluginText = {}): string {
  const file = join(folder, "pulumi-resource-identity");
  const mark = version === undefined ? "" : `/*! pulumi-resource-identity ${version} */`;
  mkdirSync(dirname(file), { recursive: true });
  const head = platform === undefined ? "#!/usr/bin/env node\n" : HEADS[platform];
  // In the executable, Node.js stands before the bundle: here the mark lies across two chunks of reading.
  const rest = platform === undefined ? Buffer.alloc(0) : Buffer.alloc(4 * 1024 * 1024 - 10);
  writeFileSync(file, Buffer.concat([Buffer.from(head), rest, Buffer.from(`${mark}\n"use strict";\n`)]));
  chmodSync(file, mode);
  return file;
}

/** As `pulumi plugin install` does. */
export function installPlugin(home: string, version: string, text: PluginText = { version }): string {
  return writePlugin(join(home, "plugins", `resource-identity-v${version}`), text);
}

function head(size: number, ...values: [at: number, bytes: number[]][]): Buffer {
  const bytes = Buffer.alloc(size);
  for (const [at, value] of values) Buffer.from(value).copy(bytes, at);
  return bytes;
}

const ELF = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1];
const HEADS = {
  "linux-amd64": head(64, [0, ELF], [18, [0x3e, 0]]),
  "linux-arm64": head(64, [0, ELF], [18, [0xb7, 0]]),
  "darwin-arm64": head(64, [0, [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1]]),
  "windows-amd64": head(256, [0, [0x4d, 0x5a]], [60, [0x80]], [0x80, [0x50, 0x45, 0, 0, 0x64, 0x86]]),
} as const;
