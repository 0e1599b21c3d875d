import { type Preview, readPreview } from "../../cli/review/input/preview";
import { toJson } from "../../cli/review/output/json";
import { type Review, reviewsOf } from "../../cli/review/review";
import { withRules } from "../../cli/review/rules";
import { type Source } from "../../cli/review/input/sources";
import { askTenants } from "../../cli/review/tenant/ask-all";
import { Tenants } from "../../cli/review/tenant/tenants";
import { type TenantAnswers } from "../../cli/review/tenant/answers";
import { judgedByBoth } from "../../cli/review/base-rules";
import { readRules, type RulesFile } from "../../cli/rules/file";
import { Progress } from "../../cli/terminal";
import { readSettings } from "../../provider/pulumi/settings";
import { reviewSchema } from "../../provider/review/model";
import { type SeedInput } from "../../simulator";
import { DEFAULT_SEED } from "../../simulator/default-seed";
import { environmentOf, useSimulator } from "../simulator";
import { previewText, step, TENANT } from "./previews";

/* Reviews that ask a simulated tenant. */

export const MADE = new Date("2026-11-26T10:00:00Z");
export const MAKING = { made: MADE, unknownAccepted: false, environmentTenant: undefined };

interface Given {
  /** A rules file, or its text. */
  rules?: string | RulesFile;
  asks?: boolean;
  onlyNames?: boolean;
  isDrift?: boolean;
  /** Lines of the previews. */
  lines?: readonly string[];
  /** Reads a preview's text in a way of its own. */
  read?: (text: string) => Preview;
  sampleUser?: string[];
  /** Undefined: without this variable. */
  environment?: Record<string, string | undefined>;
  /** Further settings of each stack. */
  own?: Record<string, string>[];
  answered?: (answers: TenantAnswers) => TenantAnswers;
  /** Of the tenant's `clients()`, to go on with. */
  clients?: Tenants;
}

export class AskedTenant {
  readonly simulator = useSimulator();
  readonly #clients: Tenants[] = [];

  /** Starts one for the tests of a file, with the default seed before each. */
  static forTests(): AskedTenant {
    const tenant = new AskedTenant();
    beforeEach(() => tenant.seed({}));
    afterEach(() => Promise.all(tenant.#clients.splice(0).map((clients) => clients.close())));
    return tenant;
  }

  /** Clients that stay open until the test is done. They wait for an answer as long as the review does. */
  clients(silenceMs?: number): Tenants {
    const clients = new Tenants(new Progress(process.stderr), silenceMs);
    this.#clients.push(clients);
    return clients;
  }

  seed(more: SeedInput): void {
    this.simulator.seed({ ...DEFAULT_SEED, users: [], ...more });
    this.simulator.reset();
  }

  /** Reviews stacks that change together, each by its steps, and checks their JSON. */
  async reviewed(
    stacks: readonly (readonly object[])[],
    {
      rules: given,
      asks = true,
      onlyNames = false,
      isDrift = false,
      lines = [],
      read = readPreview,
      sampleUser = [],
      environment = {},
      own = [],
      answered,
      clients = this.clients(),
    }: Given = {},
  ): Promise<Review[]> {
    const rules = typeof given === "string" ? readRules({ file: "rules.yaml", text: given }) : given;
    const sources = stacks.map((steps, index): Source => {
      const settings = readSettings(() => undefined, {
        ...environmentOf(this.simulator),
        IDENTITY_FORMER_DOMAINS: TENANT,
        ...environment,
        ...own[index],
      });
      return {
        preview: read(previewText(steps, lines).replaceAll("urn:pulumi:prod:", `urn:pulumi:s${index}:`)),
        askedBy: () => Promise.resolve({ settings, source: { from: "environment" } }),
      };
    });
    const drift = isDrift ? { drift: true as const } : {};
    const asking = { read: asks, onlyNames, sampleUser, ...drift };
    const found = await askTenants(sources, asking, clients, rules);
    const asked = sources.map(({ preview }, index) => {
      const answers = found[index];
      const changed = answers && (answered?.(answers) ?? answers);
      return { preview, answers: onlyNames ? undefined : changed, named: changed };
    });
    const all = reviewsOf(asked, isDrift, MADE);
    const reviews = rules === undefined ? all.map(({ review }) => review) : withRules(all, rules, MADE);
    for (const review of reviews) reviewSchema.parse(toJson(review, MAKING));
    return reviews;
  }

  /** Reviews a stack by its own rules and those of the branch `main`; undefined: there is no such file. */
  async reviewedByBoth(
    own: string | undefined,
    base: string | undefined,
    steps: readonly object[],
  ): Promise<Review> {
    const textOf = (file: string, content: string | undefined) =>
      content === undefined
        ? undefined
        : { rules: readRules({ file, text: content }), content, digest: "0".repeat(16) };
    const files = {
      file: "rules.yaml",
      own: textOf("rules.yaml", own),
      base: { branch: "main", text: textOf("main:rules.yaml", base) },
    };
    const [review] = await judgedByBoth(files, (rules) => this.reviewed([steps], { rules }));
    return review!;
  }

  async reviewedAlone(steps: readonly object[], given?: Given): Promise<Review> {
    const [review] = await this.reviewed([steps], given);
    return review!;
  }
}

/** The default client, without some scopes. */
export function clientsWithout(...lacking: string[]): SeedInput["clients"] {
  return (DEFAULT_SEED.clients ?? []).map((client) => ({
    ...client,
    scope: client.scope
      .split(" ")
      .filter((scope) => !lacking.includes(scope))
      .join(" "),
  }));
}

export const assignment = (roleId: string, groupIds: unknown, more = {}) => ({
  roleId,
  groupIds,
  exclusive: false,
  ...more,
});

export const adds = (name: string, role: string, groups: unknown, more = {}) =>
  step({ name, after: assignment(role, groups, more) });

/** Ids of groups besides those of the default seed. */
export const manyGroups = (number: number): string[] =>
  Array.from({ length: number }, (_, index) => `grp_CCCCCCCCCCCC${index + 1111}`.replaceAll("0", "z"));

/** The first line of a review's comment. */
export const markerOf = ({ fingerprint }: Review) =>
  `<!-- pulumi-identity review access%2Fprod ${fingerprint} -->`;

/** What a review shows without options. */
export const appearanceOf = ({ names }: Review) => ({
  names,
  source: undefined,
  commit: undefined,
  fingerprint: "0".repeat(32),
  maxLength: 60_000,
});
