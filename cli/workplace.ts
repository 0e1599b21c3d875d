import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { LineCounter, isMap, isScalar, type Pair, parseDocument } from "yaml";
import { type Place } from "../provider/sentence";
import { parseUrn } from "../provider/pulumi/urn";
import { Declarations } from "./declarations";
import { readFile } from "./files";
import { isOfPackage, NO_WORKPLACE, parsePosition, placeOf, type Workplace } from "./places";
import { projectOf } from "./project";

/** `folder`: the one that the command runs in, in the project or above. */
export function workplaceOf(folder: string, environment: Readonly<NodeJS.ProcessEnv>): Workplace {
  const project = projectOf(folder);
  const root = project === undefined ? real(folder) : real(dirname(project.file));
  const repository = repositoryOf(root, environment);
  if (project === undefined) {
    const places = { root, repository, isOwn: false };
    return { ...NO_WORKPLACE, inRepository: (place) => withinRepository(place, places) };
  }
  const program = new ProgramFiles(root, real(project.folder), repository, basename(project.file));
  // Pulumi takes the folder as the shell names it, and Node.js names files behind all links.
  const bases = [root, dirname(project.file), environment["PWD"] && shellFolder(root, environment["PWD"])];
  const roots = [...new Set(bases.filter((base) => base !== undefined && base !== ""))] as string[];
  return {
    projectFile: basename(project.file),
    locate: (positions, urn) => {
      const { project: name, type, name: resource } = parseUrn(urn);
      // The states of other projects come in files.
      if (name !== project.name) return placeOf(positions);
      if (program.isYaml) return program.findKey(resource);
      return program.find(positions, roots) ?? program.findDeclaration(type, resource);
    },
    inRepository: (place) => withinRepository(place, { root, repository, isOwn: true }),
    linesOf: (file, name) => (name === project.name ? program.linesOf(file) : undefined),
  };
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** Returns the project's folder as the shell's working directory names it. */
function shellFolder(root: string, working: string): string | undefined {
  for (let at = resolve(working); ; at = dirname(at)) {
    if (real(at) === root) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Returns the checkout: the nearest one, but within the job's workspace. */
function repositoryOf(root: string, environment: Readonly<NodeJS.ProcessEnv>): string | undefined {
  const given = environment["GITHUB_WORKSPACE"] ?? environment["CI_PROJECT_DIR"];
  const workspace = given === undefined || given === "" ? undefined : real(given);
  const isIn = workspace !== undefined && isWithin(workspace, root);
  for (let at = root; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (isIn && at === workspace) return workspace;
    if (dirname(at) === at) return workspace;
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function withinRepository(
  { file, line }: Place,
  { root, repository, isOwn }: { root: string; repository: string | undefined; isOwn: boolean },
): Place | undefined {
  if (repository === undefined) return { file, line };
  const paths = [root, repository].map((base) => resolve(base, file));
  // A preview of another project may have been made in the repository's root.
  const path = paths.find((one) => existsSync(one)) ?? paths[isOwn ? 0 : 1] ?? "";
  return isWithin(repository, path) ? { file: slashed(relative(repository, path)), line } : undefined;
}

function slashed(path: string): string {
  return path.replaceAll("\\", "/");
}

/** The files of a program. */
class ProgramFiles {
  #keys: ReadonlyMap<string, Place> | undefined;
  readonly #lines = new Map<string, readonly string[] | undefined>();
  #declarations: Declarations | undefined;
  #runtime: string | undefined;
  #module: { name: string; folder: string } | undefined | null = null;

  constructor(
    private readonly root: string,
    private readonly folder: string,
    private readonly repository: string | undefined,
    private readonly projectFile: string,
  ) {}

  /** Returns the innermost place in the project, or else in the repository; undefined if there is none. */
  find(positions: readonly string[], roots: readonly string[]): Place | undefined {
    const parsed = positions.flatMap((position) => parsePosition(position) ?? []);
    const found = parsed.flatMap(({ file, line }) => {
      const path = this.#fileOf(file, roots);
      return path === undefined ? [] : [{ path, line }];
    });
    const own = found.filter(({ path }) => !isOfPackage(path));
    const isNear = (folder: string | undefined) => own.find(({ path }) => folder && isWithin(folder, path));
    const place = isNear(this.root) ?? isNear(this.repository);
    if (place !== undefined) return { file: slashed(relative(this.root, place.path)), line: place.line };
    // Without its file, as in a preview of another machine, a place in the project is still believed.
    return found.length === 0 ? placeOf(positions) : undefined;
  }

  /** Returns the line of a YAML program's resource: the engine tells those of the YAML host's own source. */
  findKey(resource: string): Place | undefined {
    this.#keys ??= new Map(this.#keysIn(this.#yamlFile()));
    return this.#keys.get(resource);
  }

  /** Returns the line of a resource in a language whose host tells the engine none. */
  findDeclaration(type: string, name: string): Place | undefined {
    this.#declarations ??= new Declarations(this.#runtimeName(), this.folder);
    const place = this.#declarations.find(type, name);
    return place && { file: slashed(relative(this.root, place.file)), line: place.line };
  }

  /** `file`: relative to the project's folder. A state may name any file; only the repository's are read. */
  linesOf(file: string): readonly string[] | undefined {
    const path = real(resolve(this.root, file));
    if (!this.#lines.has(path)) {
      const isInside = isWithin(this.repository ?? this.root, path);
      this.#lines.set(path, isInside ? textOf(path)?.split("\n") : undefined);
    }
    return this.#lines.get(path);
  }

  #fileOf(file: string, roots: readonly string[]): string | undefined {
    const paths = roots.map((base) => resolve(base, file));
    const path = [...paths, ...paths.flatMap((path) => this.#withoutModule(path) ?? [])].find(existsSync);
    return path === undefined ? undefined : real(path);
  }

  /** Go programs are built with `-trimpath`: their files begin with the module's name, not its folder. */
  #withoutModule(path: string): string | undefined {
    if (this.#module === null) this.#module = this.#goModule();
    const module = this.#module;
    if (module === undefined) return undefined;
    const start = `/${module.name}/`;
    const at = slashed(path);
    return at.startsWith(start) ? join(module.folder, at.slice(start.length)) : undefined;
  }

  #goModule(): { name: string; folder: string } | undefined {
    for (let at = this.folder; isWithin(this.repository ?? this.root, at); at = dirname(at)) {
      const [, name] = /^module\s+"?([^\s"]+)/m.exec(textOf(join(at, "go.mod")) ?? "") ?? [];
      if (name !== undefined) return { name, folder: at };
      if (dirname(at) === at) return undefined;
    }
    return undefined;
  }

  get isYaml(): boolean {
    return this.#runtimeName() === "yaml";
  }

  /** Empty if the project's file says none. */
  #runtimeName(): string {
    return (this.#runtime ??= runtimeIn(textOf(join(this.root, this.projectFile)) ?? ""));
  }

  /** The one file that the YAML host reads. */
  #yamlFile(): string {
    const names = ["Main.json", "Main.yaml", "Pulumi.yaml"];
    const found = names.map((name) => join(this.folder, name)).find(existsSync);
    return found ?? join(this.root, this.projectFile);
  }

  #keysIn(path: string): [string, Place][] {
    const lines = new LineCounter();
    const options = {
      lineCounter: lines,
      prettyErrors: false,
      logLevel: "silent",
      uniqueKeys: false,
    } as const;
    const document = parseDocument(textOf(path) ?? "", options);
    const resources = document.get("resources");
    if (!isMap(resources)) return [];
    const file = slashed(relative(this.root, path));
    return resources.items.flatMap(({ key, value }: Pair): [string, Place][] => {
      if (!isScalar(key)) return [];
      const name = isMap(value) ? value.get("name") : undefined;
      const place = { file, line: lines.linePos(key.range?.[0] ?? 0).line };
      return [[typeof name === "string" ? name : String(key.value), place]];
    });
  }
}

function runtimeIn(project: string): string {
  const said = /(?:^|[{,\n])\s*["']?runtime["']?\s*:\s*\{?\s*(?:["']?name["']?\s*:\s*)?["']?(\w+)\b/;
  return said.exec(project)?.[1] ?? "";
}

function textOf(file: string): string | undefined {
  try {
    return readFile(file);
  } catch {
    return undefined;
  }
}
