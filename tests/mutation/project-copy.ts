import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import ts from "typescript";
import { type Mutant, mutated } from "./mutants";

const COPIED = [
  "provider",
  "tests",
  "docs",
  "examples",
  "README.md",
  "package.json",
  "tsconfig.json",
  "Pulumi.yaml",
];

/** A copy of the project in which mutants are tried. The packages are those of the original. */
export class ProjectCopy {
  readonly root: string;
  readonly #options: ts.CompilerOptions;
  #program: ts.EmitAndSemanticDiagnosticsBuilderProgram | undefined;

  constructor(original: string) {
    // Jest names the test files by their real path.
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "pulumi-identity-mutation-")));
    for (const name of readdirSync(original).filter((name) => COPIED.includes(name))) {
      cpSync(join(original, name), join(this.root, name), {
        recursive: true,
        filter: (path) => basename(path) !== "node_modules",
      });
    }
    this.#linkPackages(join(original, "node_modules"));
    const config = ts.readConfigFile(join(this.root, "tsconfig.json"), (file) => ts.sys.readFile(file));
    this.#options = {
      ...ts.parseJsonConfigFileContent(config.config, ts.sys, this.root).options,
      declaration: false,
      declarationMap: false,
      sourceMap: false,
      // A mutant that leaves a variable unused is still one that runs.
      noUnusedLocals: false,
      noUnusedParameters: false,
    };
    if (!this.build()) throw new Error("The project does not compile. Run `npm run build` to see why.");
  }

  /** Runs `judge` with the mutant in the sources and in `dist/`. `undefined`: it does not compile. */
  async with<Verdict>(mutant: Mutant, judge: () => Promise<Verdict>): Promise<Verdict | undefined> {
    const file = join(this.root, mutant.file);
    const original = readFileSync(file, "utf8");
    writeFileSync(file, mutated(original, mutant));
    try {
      return this.build() ? await judge() : undefined;
    } finally {
      writeFileSync(file, original);
    }
  }

  /** Compiles what has changed. */
  build(): boolean {
    const roots = ts.sys.readDirectory(join(this.root, "provider"), [".ts"]);
    const host = ts.createIncrementalCompilerHost(this.#options);
    const program = ts.createEmitAndSemanticDiagnosticsBuilderProgram(
      roots,
      this.#options,
      host,
      this.#program,
    );
    this.#program = program;
    program.emit();
    return program.getSyntacticDiagnostics().length + program.getSemanticDiagnostics().length === 0;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** Each by itself, so that `pulumi-identity` is the copy. */
  #linkPackages(packages: string): void {
    const own = join(this.root, "node_modules");
    mkdirSync(own);
    for (const name of readdirSync(packages)) symlinkSync(join(packages, name), join(own, name));
    rmSync(join(own, "pulumi-identity"), { force: true });
    symlinkSync("..", join(own, "pulumi-identity"));
  }
}
