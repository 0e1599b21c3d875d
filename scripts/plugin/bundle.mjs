// Bundles the plugin into one file: npm's command, and together with the packages that npm installs beside
// it, what the executable runs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/** The packages that the plugin may hold, and nothing that they import beside. */
export const PACKAGES = [
  "@grpc/grpc-js",
  "@js-sdsl/ordered-map",
  // The protocol in its folder.
  "@pulumi/pulumi",
  "google-protobuf",
  "jose",
  "undici",
  "yaml",
];
/**
 * Never loaded: functions for programs stand beside what the plugin serves, and import the SDK; the other
 * one is for channelz of gRPC.
 */
const LEFT_OUT = /^(?:@pulumi\/pulumi|@grpc\/proto-loader)$/;
/** All of the SDK is 18 MB. */
const MOST_BYTES = 4_000_000;

/**
 * @param {{
 *   root: string,
 *   entry: string,
 *   outfile: string,
 *   isWhole: boolean,
 *   packages?: readonly string[],
 *   mostBytes?: number,
 * }} options
 *   `root`: folder of the repository. `isWhole`: with the package's dependencies, which npm installs.
 */
export async function bundlePlugin({
  root,
  entry,
  outfile,
  isWhole,
  packages = PACKAGES,
  mostBytes = MOST_BYTES,
}) {
  const { dependencies, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    outfile,
    absWorkingDir: root,
    write: false,
    metafile: true,
    bundle: true,
    format: "cjs",
    platform: "node",
    target: "node20",
    // Names stay, for whoever reads a stack trace.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    // By which the doctor knows it, without running it.
    banner: { js: `/*! pulumi-resource-identity ${version} */` },
    external: isWhole ? [] : Object.keys(dependencies),
    plugins: [
      {
        name: "left-out",
        setup: ({ onResolve }) => onResolve({ filter: LEFT_OUT }, ({ path }) => ({ path, external: true })),
      },
    ],
  });
  const [output] = outputFiles;
  const held = new Set(Object.keys(metafile.inputs).flatMap((input) => packageOf(input) ?? []));
  const others = [...held].filter((name) => !packages.includes(name));
  if (others.length > 0)
    throw new Error(
      `The plugin would hold ${others.join(", ")}: remove what imports it, or add it to PACKAGES in ` +
        "scripts/plugin/bundle.mjs.",
    );
  const { length = 0 } = output?.contents ?? {};
  if (length > mostBytes)
    throw new Error(`The plugin would have ${length} bytes, more than ${mostBytes}: find what it holds.`);
  writeFileSync(outfile, output?.contents ?? "", { mode: 0o755 });
}

/**
 * The package that a file is in.
 *
 * @param {string} input With slashes, on Windows too.
 */
function packageOf(input) {
  return /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
}
