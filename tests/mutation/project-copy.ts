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
import { described, type Mutant, mutated } from "./mutants";

const COPIED = [
  "provider",
  "cli",
  "simulator",
  "bench",
  "scripts",
  "tests",
  "docs",
  "examples",
  "README.md",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "Pulumi.yaml",
];

/** A copy of the project for trying out mutants. The packages are the original's. */
export class ProjectCopy {
  readonly root: string;
  readonly #options: ts.CompilerOptions;
  #changed: { file: string; original: string } | undefined;
  #program: ts.EmitAndSemanticDiagnosticsBuilderProgram | undefined;

  constructor(original: string) {
    // Jest uses the real path of test files.
    this.root = realpathSync(mkdtempSync(join(tmpdir(), "pulumi-identity-mutation-")));
    for (const name of readdirSync(original).filter((name) => COPIED.includes(name))) {
      cpSync(join(original, name), join(this.root, name), {
        recursive: true,
        filter: (path) => basename(path) !== "node_modules",
      });
    }
    this.#linkPackages(join(original, "node_modules"));
    const config = ts.readConfigFile(join(this.root, "tsconfig.build.json"), (file) => ts.sys.readFile(file));
    this.#options = {
      ...ts.parseJsonConfigFileContent(config.config, ts.sys, this.root).options,
      declaration: false,
      declarationMap: false,
      emitDeclarationOnly: false,
      // A mutant that leaves a variable unused still runs.
      noUnusedLocals: false,
      noUnusedParameters: false,
    };
    if (!this.#build()) throw new Error("The project does not compile. Run `npm run build` to see why.");
  }

  /** Puts only this mutant into the sources and into `dist/`. Returns false if it doesn't compile. */
  apply(mutant: Mutant): boolean {
    this.#restoreSources();
    const original = this.#read(mutant);
    this.#changed = { file: mutant.file, original };
    writeFileSync(join(this.root, mutant.file), mutated(original, mutant));
    return this.#build();
  }

  restore(): void {
    this.#restoreSources();
    this.#build();
  }

  describe(mutant: Mutant): string {
    const original = this.#changed?.file === mutant.file ? this.#changed.original : this.#read(mutant);
    return described(mutant, original);
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  #read({ file }: Mutant): string {
    return readFileSync(join(this.root, file), "utf8");
  }

  #restoreSources(): void {
    if (this.#changed !== undefined)
      writeFileSync(join(this.root, this.#changed.file), this.#changed.original);
    this.#changed = undefined;
  }

  /** Compiles what has changed. */
  #build(): boolean {
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

  /** One by one, so that `pulumi-identity` is the copy. */
  #linkPackages(packages: string): void {
    const own = join(this.root, "node_modules");
    mkdirSync(own);
    for (const name of readdirSync(packages)) symlinkSync(join(packages, name), join(own, name));
    rmSync(join(own, "pulumi-identity"), { force: true });
    symlinkSync("..", join(own, "pulumi-identity"));
  }
}
