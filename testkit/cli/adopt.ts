import { type CustomResource, type Output, output, runtime } from "@pulumi/pulumi";
import { tmpdir } from "node:os";
import ts from "typescript";
import { type AdoptRequest, adoptTenant } from "../../cli/adopt/adopt";
import * as identity from "../../provider";
import { type Simulator } from "../../simulator";
import { environmentOf } from "../simulator";

type Adopting = [
  tenant: Pick<Simulator, "url" | "clientId" | "clientSecret">,
  options?: Partial<AdoptRequest>,
];

/** Returns the program that the command writes for a tenant. */
export async function adopted(...of: Adopting): Promise<string> {
  return (await adopting(...of)).text;
}

export function adopting(...[tenant, options = {}]: Adopting): ReturnType<typeof adoptTenant> {
  return adoptTenant({
    role: [],
    state: [],
    exports: [],
    folder: tmpdir(),
    environment: { PATH: "", ...environmentOf(tenant) },
    ...options,
  });
}

export interface Registered {
  kind: "ConnectionProfile" | "OrganizationRoleGroupAssignment" | "RoleGroupAssignment";
  name: string;
  inputs: Record<string, unknown>;
}

/** Answers a look-up with the id of the named object. */
export type LookUp = (call: "getRole" | "getGroup" | "getOrganization", name: string) => string;

const NAMED: LookUp = (call, name) => `${call}:${name}`;

/** Runs a program under Pulumi's mocks; returns its registrations as the SDK sends them to the engine. */
export async function registeredBy(program: string, lookUp = NAMED): Promise<Registered[]> {
  const registered: Registered[] = [];
  await runtime.setMocks({
    newResource: ({ type, name, inputs }) => {
      const kind = type.split(":").at(-1) as Registered["kind"];
      const given = Object.entries(inputs as object).filter(([key]) => !key.startsWith("__"));
      registered.push({ kind, name, inputs: Object.fromEntries(given) });
      return { id: `${name}-id`, state: inputs as object };
    },
    call: () => ({}),
  });
  const made: CustomResource[] = [];
  const noted = (kind: new (...args: never[]) => CustomResource) =>
    new Proxy(kind, {
      construct: (target, args, self) => {
        const resource = Reflect.construct(target, args, self) as CustomResource;
        made.push(resource);
        return resource;
      },
    });
  const { outputText } = ts.transpileModule(program, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
  });
  // The test is about what it does when it runs.
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
  new Function("require", "exports", outputText)(
    () => ({
      ConnectionProfile: noted(identity.ConnectionProfile),
      OrganizationRoleGroupAssignment: noted(identity.OrganizationRoleGroupAssignment),
      RoleGroupAssignment: noted(identity.RoleGroupAssignment),
      getOrganizationOutput: ({ name }: { name: string }) => output({ id: lookUp("getOrganization", name) }),
      getRoleOutput: ({ name, organization }: { name: string; organization?: Output<string> }) =>
        output(organization).apply((where) => ({
          id: lookUp("getRole", where === undefined ? name : `${where} ${name}`),
        })),
      getGroupOutput: ({ name }: { name: string }) => output({ id: lookUp("getGroup", name) }),
    }),
    {},
  );
  await Promise.all(made.map(({ urn }) => new Promise((resolve) => void urn.apply(resolve))));
  return registered;
}

/** Returns the compiler's errors for programs under `strict`, all at once because it's slow. */
export function typeErrors(programs: readonly string[], identityTypes: string): string[] {
  const files = new Map(programs.map((program, i) => [`/programs/${i}.ts`, program]));
  const options: ts.CompilerOptions = {
    strict: true,
    noUnusedLocals: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    moduleResolution: ts.ModuleResolutionKind.Node16,
    paths: { "pulumi-identity": [identityTypes] },
  };
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (file) => files.has(file) || disk.fileExists(file),
    readFile: (file) => files.get(file) ?? disk.readFile(file),
    getSourceFile: (file, ...rest) => {
      const text = files.get(file);
      return text === undefined
        ? disk.getSourceFile(file, ...rest)
        : ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true);
    },
  };
  const compiled = ts.createProgram([...files.keys()], options, host);
  return ts
    .getPreEmitDiagnostics(compiled)
    .map(
      ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`,
    );
}
