import { type Fault, type SeedInput } from "../../simulator";
import { later, profile, type Program, type Resource, secret, UNKNOWN } from "../../testkit/engine";
import { type Values } from "../../testkit/hosts/host";
import { json } from "../../testkit/tenant";
import {
  damagedRows,
  failedUp,
  type Given,
  type Happening,
  type NotFor,
  refreshed,
  type Row,
  type Said,
  type Scene,
  table,
  upped,
  WITHOUT_LISTING,
} from "./table";
import { notReviewed } from "./words";

/*
 * A profile owns whole settings: what the program gives is what the tenant has, an object is read before it's
 * written, and nothing is overwritten unseen. tests/host/connection-profile-values.test.ts has what a service
 * may do to values.
 */

const rowsOf = (operation: string, rows: readonly Row[]) => table(operation, rows, WITHOUT_LISTING);

const FULL: Values = {
  name: "enterprise",
  organization: { showAsButton: "optional", assignMembershipOnLogin: "required" },
  connectionNamePrefixTemplate: "con-{org_id}",
  enabledFeatures: ["scim", "universal_logout"],
  connectionConfig: {},
  strategyOverrides: { okta: { enabledFeatures: ["scim"] }, oidc: { connectionConfig: {} } },
};
const WIRE: Values = {
  name: "enterprise",
  organization: { show_as_button: "optional", assign_membership_on_login: "required" },
  connection_name_prefix_template: "con-{org_id}",
  enabled_features: ["scim", "universal_logout"],
  connection_config: {},
  strategy_overrides: { okta: { enabled_features: ["scim"] }, oidc: { connection_config: {} } },
};
const full = profile(FULL);
const named = (name: string | null, more: Values = {}, options: Partial<Resource> = {}) =>
  profile({ name, ...more }, options);

/** Without a name, as only an adopted profile may be. */
const nameless = (more: Values = {}) => profile(more);
const NEEDS_NAME =
  "p: name: is required, unless adopt has the id of an existing profile, which then keeps its name; received nothing.";

const ID = "cop_2GjRf8mYd5LcVt7K9sPmZa";
const OTHER = "cop_7RkWd3nXp8MbQs5T2vLcHy";
const ADOPTED = `/connection-profiles/${ID}`;
const LOOK = `GET ${ADOPTED} 200`;
const URL = "/connection-profiles/{p}";
const GET = `GET ${URL} 200`;
const ALL = "GET /connection-profiles?take=10 200";
const post = (body: Values) => `POST /connection-profiles ${json(body)} 201`;
const patch = (body: Values, url = URL) => `PATCH ${url} ${json(body)} 200`;
const DELETED = `DELETE ${URL} 204`;
/** A 404 is the object's only on a tenant that has the list. */
const LIST = "GET /connection-profiles 200";
const NOT_THERE = [/^GET .* 404$/, LIST];

const urlOf = ({ engine }: Scene) => `/connection-profiles/${engine.resource("p").id}`;
const patched =
  (body: Values): Happening =>
  (scene) =>
    scene.tenant.outside("PATCH", urlOf(scene), body);
const gone: Happening = (scene) => scene.tenant.outside("DELETE", urlOf(scene));
const withoutScope =
  (scope: string): Happening =>
  ({ tenant }) =>
    tenant.withoutScopes(scope);
const TENANT: Given = {
  tenant: { connection_profiles: [{ id: ID, name: "theirs", enabled_features: ["scim"] }] },
};
const THEIRS = { name: "theirs", enabled_features: ["scim"] };

const NONE = { showAsButton: "none" };
const OPTIONAL = { showAsButton: "optional" };
const REQUIRED = { showAsButton: "required" };
/** As the service has them. */
const NONE_THERE = { show_as_button: "none" } as const;
const OPTIONAL_THERE = { show_as_button: "optional" };
const REQUIRED_THERE = { show_as_button: "required" };
const LOGIN_THERE = { assign_membership_on_login: "required" } as const;

/** An object that an update changes, and in which somebody has put a key since. */
const UNSEEN = {
  organization: {
    wire: "organization",
    before: OPTIONAL,
    after: REQUIRED,
    sent: REQUIRED_THERE,
    outside: { ...OPTIONAL_THERE, ...LOGIN_THERE },
    names: "organization.assignMembershipOnLogin",
  },
  strategyOverrides: {
    wire: "strategy_overrides",
    before: { okta: { enabledFeatures: ["scim"] } },
    after: { okta: { enabledFeatures: ["universal_logout"] } },
    sent: { okta: { enabled_features: ["universal_logout"] } },
    outside: {
      okta: { enabled_features: ["scim"], provisioning: { theirs: "a value" } },
      waad: { connection_config: {} },
    },
    names: "strategyOverrides.okta.provisioning, strategyOverrides.waad",
  },
} as const;

const LOST: readonly (readonly [string, SeedInput | undefined, ...Fault[]])[] = [
  [
    "and a look that fails",
    undefined,
    { method: "PATCH", path: "*", action: { drop: "after" } },
    { method: "GET", path: "*/connection-profiles/*", times: 4, action: { status: 503 } },
  ],
  [
    "a look that comes too early, and a refusal",
    { behaviour: { read_lag: 1 } },
    { method: "PATCH", path: "*", action: { drop: "after" } },
    { method: "PATCH", path: "*", after: 1, action: { status: 403 } },
  ],
];

const NEWER = {
  crossAppAccessResourceApp: {
    status: { defaultValue: "disabled", allowedValues: ["disabled", "enabled"] },
  },
  provisioning: { scim: { tokens: { scopes: ["get:users", "post:users"], defaultExpiry: 3600 } } },
};

const MEMBERS = {
  name: "a",
  organization: { showAsButton: "optional", assignMembershipOnLogin: "required" },
  crossAppAccessResourceApp: {
    status: { defaultValue: "disabled", allowedValues: ["disabled", "enabled"] },
  },
  provisioning: {
    googleWorkspace: { syncUsers: true },
    scim: { tokens: { scopes: ["get:users"], defaultExpiry: 60, maxAllowedExpiry: 120 } },
  },
};
const MEMBERS_THERE = {
  name: "a",
  organization: { show_as_button: "optional", assign_membership_on_login: "required" },
  cross_app_access_resource_app: {
    status: { default_value: "disabled", allowed_values: ["disabled", "enabled"] },
  },
  provisioning: {
    google_workspace: { sync_users: true },
    scim: { tokens: { scopes: ["get:users"], default_expiry: 60, max_allowed_expiry: 120 } },
  },
};

const refused = (
  title: string,
  program: Program,
  errors: readonly Said[],
  made: Program = {},
  given: Given = {},
): Row => ({ title, given: { ...given, made }, when: { up: program }, then: { errors } });

const changedAfterCheck =
  "p: Nothing was sent: after the provider had checked p, something changed its name, as a policy pack's " +
  "remediation does. Write the change into the program, or make the policy mandatory.";

rowsOf("check", [
  refused(
    "all problems at once",
    {
      p: profile({
        name: "n".repeat(51),
        organization: "none",
        connectionNamePrefixTemplate: "-much--too-long-a-prefix",
        enabledFeatures: ["scim", "sso"],
        strategyOverrides: { okta: { enabledFeatures: "scim", enabled_features: [] } },
        adopt: "..",
        unheard_of: true,
      }),
    },
    [
      /name: must have 1 to 50 characters; received "n+/,
      /organization: .*received "none"/,
      /connectionNamePrefixTemplate: must have at most 15 characters/,
      /connectionNamePrefixTemplate: .*not start with a hyphen/,
      /enabledFeatures\[\d\]: must be directory_sync, scim or universal_logout; received "sso"/,
      /strategyOverrides\.okta\.enabledFeatures: .*received "scim"/,
      /strategyOverrides\.okta\.enabled_features: write enabledFeatures;/,
      /adopt: .*received "\.\."/,
      /unheard_of: is not an input/,
    ],
  ),
  refused("a new profile without a name", { p: nameless({ enabledFeatures: ["scim"] }) }, [NEEDS_NAME]),
  refused("… whose name and adopt are null", { p: named(null, { adopt: null }) }, [NEEDS_NAME]),
  refused("the name is taken out of one that this resource made", { p: nameless() }, [NEEDS_NAME], {
    p: named("a"),
  }),
  {
    title: "a profile to adopt that is not known yet may have a name",
    when: { preview: { p: nameless({ adopt: UNKNOWN, enabledFeatures: ["scim"] }) } },
    then: { steps: ["create p"] },
  },
  refused("a name of 51 characters", { p: named("🌍".repeat(51)) }, [
    "p: name: must have 1 to 50 characters; received 51 characters.",
  ]),
  ...(["preview", "up"] as const).map((run) => ({
    title: `a policy pack changes the name, which others rely on (${run})`,
    given: { made: { p: named("enterprise") } },
    when: {
      [run]: { p: { ...named("enterprise"), remediate: { name: "company" } } },
    } as unknown as Row["when"],
    then: { errors: [changedAfterCheck] },
  })),
  {
    title: "a policy pack may change anything else",
    when: { up: { p: { ...named("a", { enabledFeatures: ["scim"] }), remediate: { enabledFeatures: [] } } } },
    then: {
      requests: [post({ name: "a", enabled_features: [] })],
      state: { p: { enabledFeatures: [] } },
    },
  },
  {
    title: "two adopt one profile: refused, with both names",
    given: TENANT,
    when: { preview: { first: named("a", { adopt: ID }), second: named("b", { adopt: ID }) } },
    then: {
      errors: [
        `second: ConnectionProfile "first" and "second" both manage ${ID}: one of them adopts or imports it. Let one of them manage it.`,
      ],
      requests: [LOOK, LOOK],
      lines: ["first", "second"].map(
        (name, index) =>
          `${name}: adopts connection profile ${ID}, named "theirs": changes name: "theirs" → "${"ab"[index]}"`,
      ),
    },
  },
]);

const settled = (title: string, before: Resource, after = before): Row => ({
  title: `${title}: none`,
  given: { made: { p: before } },
  when: { up: { p: after } },
  then: { steps: [] },
});

rowsOf("diff", [
  settled("the same settings", full),
  settled(
    "features in another order, or twice",
    full,
    profile({
      ...FULL,
      enabledFeatures: ["universal_logout", "scim", "scim"],
      strategyOverrides: { oidc: { connectionConfig: {} }, okta: { enabledFeatures: ["scim"] } },
    }),
  ),
  {
    title: "another profile to adopt: replaced, and the first one is left as it is",
    given: {
      tenant: {
        connection_profiles: [
          { id: ID, name: "theirs" },
          { id: OTHER, name: "other" },
        ],
      },
      made: { p: named("ours", { adopt: ID }) },
    },
    when: { up: { p: named("another", { adopt: OTHER }) } },
    then: {
      steps: ["replace p: adopt, name", "delete replaced p"],
      requests: [
        `GET /connection-profiles/${OTHER} 200`,
        `GET /connection-profiles/${OTHER} 200`,
        patch({ name: "another" }, `/connection-profiles/${OTHER}`),
      ],
      lines: [
        `p: adopts connection profile ${OTHER}, named "other": changes name: "other" → "another"`,
        /^Connection profile cop_2\w+ stays on [\d.:]+ as it is, because it was adopted\.$/,
      ],
    },
  },
]);

rowsOf("create", [
  {
    title: "one POST with the API's field names, and none in the preview",
    when: { up: { p: full } },
    then: {
      steps: ["create p"],
      preview: "the same",
      requests: [post(WIRE)],
      outputs: { p: ["__name", "__provider", "adopted", "tenant", ...Object.keys(FULL)].sort() },
    },
    sample: true,
  },
  {
    title: "50 characters are a name, whatever it takes to encode them",
    when: { up: { p: named("🌍".repeat(50)) } },
    then: { requests: [post({ name: "🌍".repeat(50) })] },
  },
  {
    title: "null is not sent, at any depth",
    when: {
      up: {
        p: named("a", {
          organization: null,
          connectionNamePrefixTemplate: null,
          enabledFeatures: null,
          connectionConfig: { a: null },
          strategyOverrides: {
            okta: { provisioning: { a: null, b: { c: null, d: 1 }, list: [{ e: null, f: 2 }] } },
            oidc: { enabledFeatures: null, connectionConfig: { g: null } },
            waad: null,
          },
          adopt: null,
          deleteOnDestroy: null,
        }),
      },
    },
    then: {
      requests: [
        post({
          name: "a",
          connection_config: {},
          strategy_overrides: {
            okta: { provisioning: { b: { d: 1 }, list: [{ f: 2 }] } },
            oidc: { connection_config: {} },
          },
        }),
      ],
      state: { p: { organization: undefined, adopt: undefined } },
    },
  },
  {
    title: "a secret stays in the output of its own name",
    when: { up: { p: profile({ name: secret("top secret name") }) } },
    then: {
      requests: [post({ name: "top secret name" })],
      state: { p: { name: "top secret name", __secretInputs: ["name"] } },
    },
    notFor: {
      "the classes of /plugin": "the engine marks secrets itself, and state has no names of them",
      YAML: "the engine marks secrets itself, and state has no names of them",
    },
  },
  {
    title: "a missing scope is named, with how to adopt",
    given: { since: withoutScope("create:connection_profiles") },
    when: { up: { p: named("a") } },
    then: {
      errors: [/create:connection_profiles.*adopt:|adopt:.*create:connection_profiles/],
      requests: [/^POST .* 403$/],
    },
  },
  {
    title: "a name that is there already: the error says how to adopt that profile",
    given: TENANT,
    when: { up: { p: named("theirs") } },
    then: {
      errors: [new RegExp(`answered 409.*adopt: "${ID}"`)],
      requests: [/^POST .* 409$/, /^GET .* 200$/],
    },
  },
  {
    title: "one that may have found what was there before counts as adopted, and says so",
    given: {
      tenant: { connection_profiles: [{ id: ID, name: "mine" }] },
      faults: [{ method: "POST", path: "*/connection-profiles", action: { drop: "before" } }],
    },
    when: { up: { p: named("mine") } },
    then: { requests: [/^POST .* 0$/, /^GET .* 200$/], lines: [/counts as adopted/] },
  },
  {
    title: "members are sent by the service's names, and state has the program's",
    when: { up: { p: profile(MEMBERS) } },
    then: { requests: [post(MEMBERS_THERE)] },
    next: { when: { refresh: {} }, then: { steps: [], requests: [GET] } },
  },
]);

const swapped = (one: string, other: string) => ({ p: named(one), q: named(other) });
const TAKEN =
  /^p: PATCH \/connection-profiles\/\{p\} answered 409.*"q" still had the name "two"\. Profiles that swap names need two runs: give one of them a third name and run `pulumi up`, then its final name and run it again\./;
const FREE_SOON = /^p: .*"q" still had the name "two"\. It is free once that is done/;
const NEW_IS_FREE_SOON =
  /^p: POST \/connection-profiles answered 409: [^"]*exists\. "q" still had the name "two"\. It is free once that is done/;

rowsOf("update", [
  {
    title: "names can't be swapped in one run, and the message says how they can",
    given: { made: swapped("one", "two") },
    when: { up: swapped("two", "one") },
    then: { errors: [TAKEN], requests: [patch({ name: "two" }).replace(/200$/, "409")] },
  },
  {
    title: "… through a third name, as it says",
    given: {
      made: swapped("one", "two"),
      since: [upped(swapped("one", "three")), upped(swapped("two", "three"))],
    },
    when: { up: swapped("two", "one") },
    then: { requests: [patch({ name: "one" }, "/connection-profiles/{q}")] },
  },
  {
    title: "a name that another profile gives up in the same run is free in the next one",
    given: { made: swapped("one", "two") },
    when: { up: swapped("two", "three"), continueOnError: true },
    then: {
      errors: [FREE_SOON],
      requests: [
        patch({ name: "two" }).replace(/200$/, "409"),
        patch({ name: "three" }, "/connection-profiles/{q}"),
      ],
      state: { p: { name: "one" }, q: { name: "three" } },
      profiles: [{ name: "one" }, { name: "three" }],
    },
  },
  {
    title: "the same for a new profile, which isn't told to adopt the other",
    given: { made: { q: named("two") } },
    when: { up: { p: named("two"), q: named("three") }, continueOnError: true },
    then: {
      errors: [NEW_IS_FREE_SOON],
      requests: [/^POST .* 409$/, /^GET .* 200$/, patch({ name: "three" }, "/connection-profiles/{q}")],
      state: { q: { name: "three" } },
      profiles: [{ name: "three" }],
    },
  },
  {
    title: "one field sends that field alone",
    given: { made: { p: full } },
    when: { up: { p: profile({ ...FULL, connectionNamePrefixTemplate: "new-{org_id}" }) } },
    then: {
      steps: ["update p: connectionNamePrefixTemplate"],
      preview: "the same",
      requests: [patch({ connection_name_prefix_template: "new-{org_id}" })],
    },
  },
  {
    title: "drift that a refresh has found is repaired, and looked at again",
    given: {
      made: { p: full },
      since: [patched({ name: "meddled", enabled_features: ["scim"] }), refreshed],
    },
    when: { up: { p: full } },
    then: {
      steps: ["update p: enabledFeatures, name"],
      requests: [patch({ enabled_features: ["scim", "universal_logout"], name: "enterprise" }), GET],
    },
  },
  ...(["organization", "strategyOverrides"] as const).map((field): Row => {
    const { before, after, outside, wire, names, sent } = UNSEEN[field];
    return {
      title: `a key that nobody has seen refuses it, by name, until a refresh has seen it: ${field}`,
      given: { made: { p: named("a", { [field]: before }) }, since: patched({ [wire]: outside }) },
      when: { up: { p: named("b", { [field]: after }) } },
      then: {
        errors: [
          `p: Connection profile {p} was not changed: neither the program nor state has ${names}, which this update ` +
            "would remove. Add it to the program to keep it; or run `pulumi up --refresh`, whose preview shows it as drift, to remove it.",
        ],
        requests: [GET],
      },
      next: {
        when: { up: { p: named("b", { [field]: after }) }, refresh: true },
        then: { requests: [GET, GET, patch({ name: "b", [wire]: sent }), GET] },
      },
    };
  }),
  ...[false, true].map((refresh): Row => ({
    title: `where the setting is new to the program, it has to go on the tenant (--refresh: ${refresh})`,
    given: { made: { p: named("a") }, since: patched({ organization: LOGIN_THERE }) },
    when: { up: { p: named("a", { organization: NONE }) }, refresh },
    then: {
      errors: [/Add it to the program to keep it, or remove it on the tenant\.$/],
      requests: refresh ? [GET, GET] : [GET],
    },
  })),
  {
    title: "an unseen key of a secret is named, its value is not",
    given: {
      made: { p: named("a", { organization: secret(NONE) }) },
      since: patched({ organization: { ...NONE_THERE, assign_membership_on_login: "optional" } }),
    },
    when: { up: { p: named("a", { organization: secret(REQUIRED) }) } },
    then: { errors: [/^(?!.*"optional").*has organization\.assignMembershipOnLogin,/], requests: [GET] },
  },
  {
    title: "null in place of a value removes it, as leaving it out does",
    given: {
      made: {
        p: named("a", {
          connectionNamePrefixTemplate: "x",
          strategyOverrides: { okta: { provisioning: { b: { c: 1, d: 2 } } } },
        }),
      },
    },
    when: {
      up: {
        p: named("a", {
          connectionNamePrefixTemplate: null,
          strategyOverrides: { okta: { provisioning: { b: { c: null, d: 2 } } } },
        }),
      },
    },
    then: {
      steps: ["update p: connectionNamePrefixTemplate, strategyOverrides"],
      requests: [
        GET,
        patch({
          connection_name_prefix_template: "",
          strategy_overrides: { okta: { provisioning: { b: { d: 2 } } } },
        }),
      ],
      state: { p: { connectionNamePrefixTemplate: undefined } },
    },
  },
  {
    title: "a profile that was deleted outside: the error says that a refresh makes it again, and it does",
    given: { made: { p: named("a") }, since: gone },
    when: { up: { p: named("b") } },
    then: {
      errors: [
        /^p: PATCH .* answered 404.*Connection profile \{p\} was deleted outside Pulumi: `pulumi up --refresh` makes it again\.$/,
      ],
      requests: [/^PATCH .* 404$/],
    },
    next: {
      when: { up: { p: named("b") }, refresh: true },
      then: { requests: [...NOT_THERE, post({ name: "b" })] },
    },
  },
  {
    title: "an answer that lacks the profile: it's done, and looked at",
    given: {
      made: { p: named("a") },
      faults: [{ method: "PATCH", path: "*", action: { status: 204, processed: true } }],
    },
    when: { up: { p: named("b") } },
    then: { requests: [patch({ name: "b" }).replace(/200$/, "204"), GET] },
  },
  ...[403, 404, 405, 501].map((status): Row => ({
    title: `… where it can't be looked at (${status}): done all the same`,
    given: {
      made: { p: named("a") },
      faults: [
        { method: "PATCH", path: "*", action: { status: 200, processed: true, body: {} } },
        { method: "GET", path: "*", times: 2, action: { status } },
      ],
    },
    when: { up: { p: named("b") } },
    then: {
      requests: [
        patch({ name: "b" }),
        GET.replace("200", String(status)),
        ...(status === 404 ? [LIST.replace("200", "404")] : []),
      ],
    },
  })),
  {
    title: "… and the look shows that it was not: it's sent once more",
    given: {
      made: { p: named("a") },
      faults: [{ method: "PATCH", path: "*", action: { status: 200, body: {} } }],
    },
    when: { up: { p: named("b") } },
    then: { requests: [/^PATCH .* 200$/, GET, patch({ name: "b" })] },
  },
  {
    title: "a lost answer is not repeated when the look shows that it was done",
    given: { made: { p: named("a") }, faults: [{ method: "PATCH", path: "*", action: { drop: "after" } }] },
    when: { up: { p: named("a", { connectionNamePrefixTemplate: "x-{org_id}" }) } },
    then: {
      requests: [/^PATCH .* 0$/, GET],
      profiles: [{ name: "a", connection_name_prefix_template: "x-{org_id}" }],
    },
  },
  ...LOST.map(([title, tenant, ...faults]): Row => ({
    title: `a lost answer, ${title}: the next run looks before it writes`,
    given: {
      made: { p: named("a") },
      since: [
        ...(tenant === undefined ? [] : [(scene: Scene) => scene.tenant.reseed(tenant)]),
        failedUp({ p: named("b") }, ...faults),
      ],
    },
    // Back to the values in state, which the tenant no longer has.
    when: { up: { p: named("a") } },
    then: {
      requests: [GET, patch({ name: "a" })],
      lines: [
        "p: connection profile {p}: whether its last change was done is not known; it is read, and what is missing is sent again",
      ],
    },
  })),
  {
    title:
      "Cross App Access is emptied by null where the program stops giving it, provisioning by an empty object",
    given: { made: { p: named("a", NEWER) } },
    when: { up: { p: named("a") } },
    then: { requests: [GET, patch({ cross_app_access_resource_app: null, provisioning: {} })] },
  },
]);

const refreshes = (title: string, before: Resource, since: Happening, then: Partial<Row["then"]>): Row => ({
  title,
  given: { made: { p: before }, since },
  when: { refresh: {} },
  then: { requests: [GET], state: { p: {} }, ...then },
});

const FOUR = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, named(name)]));

rowsOf("read", [
  {
    ...refreshes("as it is", full, () => undefined, { steps: [], state: { p: FULL }, profiles: [WIRE] }),
  },
  refreshes("other values are drift", full, patched({ name: "meddled", enabled_features: ["scim"] }), {
    steps: ["drift p: enabledFeatures, name"],
    state: { p: { ...FULL, name: "meddled", enabledFeatures: ["scim"] } },
    profiles: [{ ...WIRE, name: "meddled", enabled_features: ["scim"] }],
  }),
  refreshes(
    "another setting, and another order, are none",
    named("a", { enabledFeatures: ["scim", "universal_logout"] }),
    patched({ enabled_features: ["universal_logout", "scim"], connection_name_prefix_template: "theirs" }),
    {
      steps: [],
      state: { p: { connectionNamePrefixTemplate: undefined } },
      profiles: [
        {
          name: "a",
          enabled_features: ["universal_logout", "scim"],
          connection_name_prefix_template: "theirs",
        },
      ],
    },
  ),
  refreshes("gone", named("a"), gone, { steps: ["gone p"], requests: NOT_THERE, state: {} }),
  {
    title: "several are read in bulk",
    given: { made: FOUR },
    when: { refresh: {}, parallel: 8 },
    then: { steps: [], requests: [ALL] },
  },
]);

const adopts = (what: string, name = "p") =>
  `${name}: adopts connection profile ${ID}, named "theirs": ${what}`;
const RENAMES = 'changes name: "theirs" → "ours"';
const KEPT = `Connection profile ${ID} stays: "after" adopts it.`;
const adopting = (name: string, more: Values = {}) => named(name, { adopt: ID, ...more });

rowsOf("adopt", [
  {
    title: "the preview says what changes, and only that is changed",
    given: TENANT,
    when: { up: { p: adopting("ours") } },
    then: {
      preview: "the same",
      requests: [LOOK, LOOK, patch({ name: "ours" }, ADOPTED)],
      lines: [adopts(RENAMES)],
    },
    sample: true,
  },
  {
    title: "one that is as wanted already is not written",
    given: TENANT,
    when: { up: { p: adopting("theirs") } },
    then: { requests: [LOOK, LOOK], lines: [adopts("it stays as it is")] },
  },
  {
    title: "a key that the program lacks is named, and goes",
    given: {
      tenant: {
        connection_profiles: [{ id: ID, name: "theirs", organization: { ...NONE_THERE, ...LOGIN_THERE } }],
      },
    },
    when: { up: { p: adopting("theirs", { organization: NONE }) } },
    then: {
      requests: [LOOK, LOOK, patch({ organization: NONE_THERE }, ADOPTED)],
      lines: [/: changes organization: .*; removes \["organization\.assignMembershipOnLogin"\]$/],
    },
  },
  {
    title: "an id that does not exist is refused in the preview",
    when: { preview: { p: named("a", { adopt: "cop_doesNotExist" }) } },
    then: { errors: [/cop_doesNotExist/], requests: NOT_THERE },
  },
  {
    title: "without the argument afterwards: no change",
    given: { ...TENANT, made: { p: adopting("theirs") } },
    when: { up: { p: named("theirs") } },
    then: { steps: [] },
  },
  {
    title: "the argument again, after a refresh without it: no change",
    given: { ...TENANT, made: { p: adopting("theirs") }, since: [upped({ p: named("theirs") }), refreshed] },
    when: { up: { p: adopting("theirs") } },
    then: { steps: [] },
  },
  {
    title: "one that moves to another resource is not deleted",
    given: { ...TENANT, made: { p: adopting("theirs", { deleteOnDestroy: true }) } },
    when: { up: { after: adopting("theirs", { deleteOnDestroy: true }) } },
    then: { requests: [LOOK, LOOK], lines: [adopts("it stays as it is", "after"), KEPT] },
  },
  {
    title: "… unless the run leaves the other one out, and so doesn't know of it",
    given: {
      ...TENANT,
      made: { p: adopting("theirs", { deleteOnDestroy: true }) },
      since: async ({ engine }) => {
        await engine.up({ after: adopting("theirs") }, { target: ["after"] });
      },
    },
    when: { up: { after: adopting("theirs") }, exclude: ["after"] },
    then: { requests: [`DELETE ${ADOPTED} 204`], profiles: [] },
  },
  {
    title: "… or deletes before it comes to the other one",
    given: {
      tenant: {
        connection_profiles: [...(TENANT.tenant?.connection_profiles ?? []), { id: OTHER, name: "mine" }],
      },
      made: { p: adopting("theirs", { deleteOnDestroy: true }) },
    },
    when: {
      up: {
        p: named("mine", { adopt: OTHER }, { deleteBeforeReplace: true }),
        after: { ...adopting("theirs"), dependsOn: ["p"] },
      },
    },
    then: {
      errors: [/answered 404/],
      requests: [
        `GET /connection-profiles/${OTHER} 200`,
        `DELETE ${ADOPTED} 204`,
        `GET /connection-profiles/${OTHER} 200`,
        `GET ${ADOPTED} 404`,
        LIST,
      ],
      lines: [`p: adopts connection profile ${OTHER}, named "mine": it stays as it is`],
      state: { p: { adopt: OTHER, name: "mine", deleteOnDestroy: undefined } },
    },
  },
  {
    title: "… nor where the other one fails: it stays for the next run",
    given: {
      ...TENANT,
      made: { p: adopting("theirs", { deleteOnDestroy: true }) },
      faults: [{ method: "PATCH", path: "*", action: { status: 403 } }],
    },
    when: { up: { after: adopting("ours") }, continueOnError: true },
    then: {
      errors: [new RegExp(`^after: PATCH ${ADOPTED} answered 403`)],
      requests: [LOOK, LOOK, `PATCH ${ADOPTED} 403`],
      lines: [adopts(RENAMES, "after"), KEPT],
      state: {},
    },
  },
  {
    title: "a resource that manages a profile, and another one that adopts it, are refused",
    given: { ...TENANT, made: { manager: adopting("theirs") } },
    when: { preview: { adopter: adopting("ours"), manager: named("theirs") } },
    then: {
      errors: [new RegExp(`ConnectionProfile "adopter" and "manager" both manage ${ID}`)],
      requests: [LOOK],
      lines: [adopts(RENAMES, "adopter")],
    },
  },
  {
    title: "one that was deleted outside: the error says how it is made again, and so it is",
    given: {
      ...TENANT,
      made: { p: adopting("theirs") },
      since: ({ tenant }) => tenant.outside("DELETE", ADOPTED),
    },
    when: { up: { p: adopting("ours") } },
    then: {
      errors: [/take adopt out of the program; then `pulumi up --refresh` makes it again\./],
      requests: [/^PATCH .* 404$/],
    },
    next: {
      when: { up: { p: named("b") }, refresh: true },
      then: { requests: [...NOT_THERE, post({ name: "b" })] },
    },
  },
]);

/** The source document has no call that reads a profile. */
const unread = (status: number, times = 9): Fault => ({
  method: "GET",
  path: "*/connection-profiles*",
  times,
  action: { status },
});
const noCall = (unseen: string) =>
  `p: adopt: what changes on connection profile ${ID} could not be read (the tenant has no call for it${unseen})`;
const NAME_UNSEEN = noCall("; sent unseen: name");
const looked = (status: number) => [
  LOOK.replace("200", String(status)),
  ...(status === 404 ? [LIST.replace("200", "404")] : []),
];

rowsOf("adopt where the tenant has no call to read a profile", [
  ...[404, 405, 501].map((status): Row => ({
    title: `plain settings are sent all the same, and the line says what it couldn't see (${status})`,
    given: { ...TENANT, throughout: [unread(status, 99)] },
    when: { up: { p: adopting("ours", { enabledFeatures: ["scim"] }) } },
    then: {
      requests: [
        ...looked(status),
        LOOK.replace("200", String(status)),
        patch({ name: "ours", enabled_features: ["scim"] }, ADOPTED),
      ],
      preview: "the same",
      lines: [noCall("; sent unseen: name, enabledFeatures")],
    },
  })),
  ...(["preview", "up"] as const).map((run): Row => ({
    title: `an object is refused unseen, by its name (${run})`,
    given: { ...TENANT, faults: [unread(405)] },
    when: { [run]: { p: adopting("ours", { organization: NONE }) } } as unknown as Row["when"],
    then: {
      errors: [
        new RegExp(
          `^p: Connection profile ${ID} was not changed: organization can't be set unseen, since the tenant may hold more ` +
            "there\\. Take it out of the program, or change the profile by hand\\. GET .* answered 405",
        ),
      ],
      requests: looked(405),
    },
  })),
  {
    title: "without a name: the output has the one of the answer",
    given: { ...TENANT, faults: [unread(405)] },
    when: { up: { p: profile({ adopt: ID, enabledFeatures: ["universal_logout"] }) } },
    then: {
      requests: [...looked(405), ...looked(405), patch({ enabled_features: ["universal_logout"] }, ADOPTED)],
      lines: [noCall("; sent unseen: enabledFeatures")],
      state: { p: { name: "theirs", enabledFeatures: ["universal_logout"] } },
    },
  },
  ...[403, 500].map((status): Row => ({
    title: `another refusal is an error, and nothing is sent (${status})`,
    given: { ...TENANT, faults: [{ method: "GET", path: `*${ADOPTED}`, times: 99, action: { status } }] },
    when: { up: { p: adopting("ours") } },
    then: {
      errors: [new RegExp(`^p: .*GET .* ${status}`)],
      requests: { writes: 0 },
      lines: [
        /^p: adopt: what changes on connection profile \S+ could not be read \((?!the tenant has no call)/,
      ],
    },
  })),
  {
    title: "a later change of an object is refused, and nothing is sent",
    given: {
      ...TENANT,
      made: { p: adopting("ours", { organization: NONE }) },
      faults: [unread(405)],
    },
    when: { up: { p: adopting("again", { organization: OPTIONAL }) } },
    then: {
      errors: [/^p: Connection profile \S+ was not changed: organization can't be set unseen/],
      requests: looked(405),
    },
  },
  {
    title: "an adoption whose answer was lost fails, and the next run sends it again, whole",
    given: {
      ...TENANT,
      throughout: [unread(405, 99)],
      faults: [{ method: "PATCH", path: "*", action: { drop: "after" } }],
    },
    when: { up: { p: adopting("ours") } },
    then: {
      errors: [/^p: .*PATCH /],
      requests: [...looked(405), ...looked(405), /^PATCH .* 0$/, ...looked(405)],
      lines: [NAME_UNSEEN],
      state: { p: { adopted: true } },
      profiles: [{ name: "ours", enabled_features: ["scim"] }],
    },
    next: {
      then: {
        requests: [...looked(405), patch({ name: "ours" }, ADOPTED)],
        lines: [/whether its last change was done is not known/],
      },
    },
  },
  {
    title: "a held run refuses what its review has seen, and the run can't",
    given: { ...TENANT, reviewed: { p: adopting("ours") }, faults: [unread(405)] },
    when: { up: { p: adopting("ours") } },
    then: {
      errors: [/^p: connection profile \S+: it would overwrite name, which has changed since, but /],
      requests: [...looked(405), ...looked(405)],
      lines: [NAME_UNSEEN],
    },
  },
  {
    title: "… and what neither has seen",
    given: { ...TENANT, throughout: [unread(405, 99)], reviewed: { p: adopting("ours") } },
    when: { up: { p: adopting("ours") } },
    then: {
      errors: [/^p: connection profile .* calls this unknown, and was made without --accept-unknown\./],
      requests: [...looked(405), ...looked(405)],
      lines: [NAME_UNSEEN],
    },
  },
  {
    title: "… unless the review accepts it",
    given: {
      ...TENANT,
      throughout: [unread(405, 99)],
      reviewed: { p: adopting("ours") },
      unknownAccepted: true,
    },
    when: { up: { p: adopting("ours") } },
    then: {
      requests: [...looked(405), ...looked(405), patch({ name: "ours" }, ADOPTED)],
      lines: [NAME_UNSEEN],
    },
  },
]);

const keeping = (more: Values = {}) => nameless({ adopt: ID, ...more });
const scim = { enabledFeatures: ["scim"] };
const logout = { enabledFeatures: ["universal_logout"] };
const outside =
  (body: Values): Happening =>
  ({ tenant }) =>
    tenant.outside("PATCH", ADOPTED, body);
const renamed = outside({ name: "renamed" });
const LOGS_OUT = 'changes enabledFeatures: ["scim"] → ["universal_logout"]';
const PATCHED = patch({ enabled_features: ["universal_logout"] }, ADOPTED);
const state = (name: string, more: Values) => ({ p: { name, adopt: ID, adopted: true, ...more } });

rowsOf("adopt without a name", [
  {
    title: "the other settings are the program's, and the name is an output all the same",
    given: TENANT,
    when: { up: { p: keeping(logout) } },
    then: {
      preview: "the same",
      requests: [LOOK, LOOK, PATCHED],
      lines: [adopts(LOGS_OUT)],
      state: state("theirs", logout),
    },
  },
  {
    title: "another name on the tenant is no drift: the output has it, and nothing is sent",
    given: { ...TENANT, made: { p: keeping(scim) }, since: renamed },
    when: { refresh: {} },
    then: { steps: [], requests: [LOOK], state: state("renamed", scim) },
    next: { when: { up: { p: keeping(scim) } }, then: { steps: [] } },
  },
  {
    title: "an update sends no name, and the output has the one of the answer",
    given: { ...TENANT, made: { p: keeping(scim) }, since: renamed },
    when: { up: { p: keeping(logout) } },
    then: {
      steps: ["update p: enabledFeatures"],
      requests: [PATCHED],
      state: state("renamed", logout),
    },
  },
  {
    title: "an update that fails leaves the name in the output",
    given: {
      ...TENANT,
      made: { p: keeping(scim) },
      faults: [
        { method: "PATCH", path: "*", action: { drop: "before" } },
        { method: "GET", path: "*", times: 4, action: { status: 503 } },
      ],
    },
    when: { up: { p: keeping(logout) } },
    then: {
      errors: [/^p: .*PATCH /],
      requests: [/^PATCH .* 0$/, ...Array<RegExp>(4).fill(/^GET .* 503$/)],
      state: state("theirs", scim),
    },
  },
  {
    title: "a name in the program from now on is sent",
    given: { ...TENANT, made: { p: keeping(scim) } },
    when: { up: { p: adopting("ours", scim) } },
    then: {
      steps: ["update p: name"],
      requests: [patch({ name: "ours" }, ADOPTED)],
    },
  },
  {
    title: "taken out of the program, the name leaves state, and nothing is sent",
    given: { ...TENANT, made: { p: adopting("ours", scim) } },
    when: { up: { p: keeping(scim) } },
    then: { steps: ["update p: name"], preview: [], state: state("ours", scim) },
    next: { then: { steps: [] } },
  },
  {
    title: "… and is no drift from then on",
    given: {
      ...TENANT,
      made: { p: adopting("ours", scim) },
      since: [upped({ p: keeping(scim) }), renamed],
    },
    when: { refresh: {} },
    then: { steps: [], requests: [LOOK], state: state("renamed", scim) },
  },
  {
    title: "a name that the service stores in another form is left in that form",
    given: {
      tenant: { ...TENANT.tenant, behaviour: { profile_values: "tidied" } },
      made: { p: adopting("ours ") },
    },
    when: { up: { p: keeping() } },
    then: { steps: ["update p: name"], state: state("ours", {}) },
  },
  refused(
    "without adopt it needs a name again, though it was adopted",
    { p: nameless(scim) },
    [NEEDS_NAME],
    { p: adopting("theirs", scim) },
    TENANT,
  ),
  {
    title: "a name that another resource leaves to its profile is not free soon",
    given: { ...TENANT, made: { p: named("one"), q: adopting("theirs") } },
    when: { up: { p: named("theirs"), q: keeping() } },
    then: {
      errors: [/^p: PATCH .* answered 409(?!.*still had the name)/],
      requests: [patch({ name: "theirs" }).replace(/200$/, "409")],
    },
  },
]);

const PLUGIN_READS: NotFor = { "the classes": "Pulumi can't import resources of dynamic providers" };

rowsOf("import", [
  {
    title: "get: reads an existing profile",
    given: TENANT,
    when: { up: { p: profile({}, { get: ID }) } },
    then: {
      steps: ["read p"],
      requests: [LOOK],
      state: { p: { name: "theirs", enabledFeatures: ["scim"] } },
      left: ["read p"],
    },
  },
  {
    title: "get: a destroy deletes nothing",
    given: { ...TENANT, made: { p: profile({}, { get: ID }) } },
    when: { destroy: {} },
    then: {},
  },
  {
    title: "import: all settings become those of the resource",
    given: TENANT,
    when: { up: { p: named("theirs", { enabledFeatures: ["scim"] }, { import: ID }) } },
    then: { steps: ["import p"], requests: [LOOK] },
    notFor: PLUGIN_READS,
  },
  {
    title: "an id that does not exist is refused",
    when: { up: { p: profile({}, { get: "cop_none" }) } },
    then: { errors: [/cop_none.*does not exist/], requests: NOT_THERE },
  },
]);

const STAYS = /^Connection profile \{p\} stays/;
const inState = named("a", { enabledFeatures: ["scim"] });

rowsOf("delete", [
  ...damagedRows(
    "p",
    { made: { p: inState }, change: { p: inState } },
    {
      "ConnectionProfile is damaged at name": { name: 7 },
      "ConnectionProfile is damaged at strategyOverrides\\.okta": { strategyOverrides: { okta: "all" } },
      "ConnectionProfile is damaged at enabledFeatures": { enabledFeatures: "scim" },
    },
    { profiles: [{ name: "a", enabled_features: ["scim"] }] },
  ),
  {
    title: "deletes the profile",
    given: { made: { p: full } },
    when: { destroy: {} },
    then: { steps: ["delete p"], requests: [DELETED] },
    sample: true,
  },
  ...([404, 204] as const).map((status): Row => ({
    title: `one that is gone is done, where the service answers ${status}`,
    given: {
      tenant: { behaviour: { delete_unknown_profile: status } },
      made: { p: named("a") },
      since: gone,
    },
    when: { destroy: {} },
    then: { requests: [DELETED.replace("204", String(status)), ...(status === 404 ? [LIST] : [])] },
  })),
  {
    title: "deleteOnDestroy: false leaves it in place, and says so",
    given: { made: { p: named("a", { deleteOnDestroy: false }) } },
    when: { destroy: {} },
    then: { lines: [STAYS] },
  },
  {
    title: "an adopted one stays, and a line says so",
    given: { ...TENANT, made: { p: adopting("theirs") } },
    when: { destroy: {} },
    then: { lines: [/adopted/] },
  },
  {
    title: "… also where the argument has gone from the program since",
    given: { ...TENANT, made: { p: adopting("theirs") }, since: upped({ p: named("theirs") }) },
    when: { destroy: {} },
    then: { lines: [/adopted/] },
  },
  {
    title: "… unless deleteOnDestroy is true",
    given: { ...TENANT, made: { p: adopting("theirs", { deleteOnDestroy: true }) } },
    when: { destroy: {} },
    then: { requests: [`DELETE ${ADOPTED} 204`] },
  },
]);

const OURS = { name: "enterprise", enabledFeatures: ["scim"], organization: NONE };
const OURS_WIRE = {
  name: "enterprise",
  enabled_features: ["scim"],
  organization: NONE_THERE,
};
const p = profile(OURS);
const replacedByName = (name: unknown, more: Values = {}) =>
  profile({ name, ...more }, { replaceOnChanges: ["name"] });
const overwrites = notReviewed(
  "connection profile (\\{p\\}|\\w+): it would overwrite enabledFeatures, which has changed since, but",
);

rowsOf("held", [
  {
    title: "a value that others have changed since becomes what the program says",
    given: {
      made: { p },
      since: patched({ organization: OPTIONAL_THERE }),
      reviewed: { p: profile({ ...OURS, name: "company", organization: REQUIRED }) },
    },
    when: { up: { p: profile({ ...OURS, name: "company", organization: REQUIRED }) } },
    then: {
      requests: [GET, patch({ name: "company", organization: REQUIRED_THERE })],
    },
  },
  {
    title: "refused: the run is a destroy, and the review none",
    given: { made: { p }, reviewed: { p } },
    when: { destroy: {} },
    then: { errors: [notReviewed("connection profile (\\{p\\}|\\w+) would be deleted, but")] },
  },
  {
    title: "a profile that replaceOnChanges replaces, which diff takes for an update that no review has",
    given: { made: { p: replacedByName("enterprise") }, reviewed: { p: replacedByName("company") } },
    when: { up: { p: replacedByName("company") } },
    then: {
      requests: [post({ name: "company" }), DELETED],
      state: { p: { name: "company" } },
    },
  },
  ...([true, false] as const).map((isAnother): Row => {
    const given = (name: unknown, features: string[]) => replacedByName(name, { enabledFeatures: features });
    const made = { name: "enterprise", enabled_features: ["universal_logout"] };
    const name = isAnother ? "company" : "enterprise";
    return {
      title: `a profile that may be replaced or updated is ${isAnother ? "replaced" : "updated"}, as both are in the review`,
      given: {
        made: { p: given("enterprise", ["scim"]) },
        reviewed: { p: given(later(name), ["universal_logout"]) },
        unknownAccepted: true,
      },
      when: { up: { p: given(later(name), ["universal_logout"]) } },
      then: {
        requests: isAnother
          ? [post({ ...made, name }), DELETED]
          : [patch({ enabled_features: made.enabled_features })],
        state: { p: { name } },
        profiles: [{ ...made, name }],
        // The name isn't known in a preview.
        left: ["replace p: name", "delete replaced p"],
      },
    };
  }),
  {
    title: "refused: a refresh has found another value since",
    given: {
      made: { p },
      reviewed: { p: profile({ ...OURS, name: "company" }) },
      afterwards: [patched({ enabled_features: [] }), refreshed],
    },
    when: { up: { p: profile({ ...OURS, name: "company" }) } },
    then: { errors: [overwrites] },
  },
  ...[false, true].map((isBack): Row => {
    const outside =
      (features: string[]): Happening =>
      ({ tenant }) =>
        tenant.outside("PATCH", ADOPTED, { enabled_features: features });
    const ours = named("ours", { enabledFeatures: ["scim"], adopt: ID });
    return {
      title: `an adoption that would change another field is refused; once that is as reviewed, it is done (${isBack})`,
      given: {
        ...TENANT,
        reviewed: { p: ours },
        afterwards: [outside([]), ...(isBack ? [outside(["scim"])] : [])],
      },
      when: { up: { p: ours } },
      then: {
        errors: isBack ? [] : [overwrites],
        requests: isBack ? [LOOK, LOOK, patch({ name: "ours" }, ADOPTED)] : [LOOK],
        lines: [/adopts connection profile/],
        profiles: [isBack ? { ...THEIRS, name: "ours" } : { ...THEIRS, enabled_features: [] }],
      },
    };
  }),
  ...([600, 601] as const).map((length): Row => {
    const long = (count: number) => ({
      okta: { enabled_features: ["scim" as const], provisioning: { theirs: "x".repeat(count) } },
    });
    const ours = profile({ adopt: ID, strategyOverrides: { okta: { enabledFeatures: ["scim"] } } });
    const wire = { strategy_overrides: { okta: { enabled_features: ["scim"] } } };
    const isAsReviewed = length === 600;
    return {
      title: `an adoption overwrites a value too long for a line: ${isAsReviewed ? "as reviewed" : "refused with another length"}`,
      given: {
        tenant: {
          connection_profiles: [{ id: ID, name: "theirs", strategy_overrides: long(600) }],
        },
        reviewed: { p: ours },
        afterwards: ({ tenant }) => tenant.outside("PATCH", ADOPTED, { strategy_overrides: long(length) }),
      },
      when: { up: { p: ours } },
      then: {
        errors: isAsReviewed
          ? []
          : [
              notReviewed(
                `connection profile ${ID}: it would overwrite strategyOverrides, which has changed since, but`,
              ),
            ],
        requests: isAsReviewed ? [LOOK, LOOK, patch(wire, ADOPTED)] : [LOOK],
        lines: [/adopts connection profile .*removes/],
        ...(isAsReviewed && { state: { p: { name: "theirs" } } }),
        profiles: [{ name: "theirs", ...(isAsReviewed ? wire : { strategy_overrides: long(length) }) }],
      },
    };
  }),
  {
    title: "a change that may have been done is undone, where that was accepted as unknown",
    given: {
      made: { p },
      since: failedUp(
        { p: profile({ ...OURS, name: "company" }) },
        { method: "PATCH", path: "*", action: { drop: "after" } },
        { method: "GET", path: "*/connection-profiles/*", times: 4, action: { status: 503 } },
      ),
      reviewed: { p },
      unknownAccepted: true,
    },
    when: { up: { p } },
    then: {
      requests: [GET, patch({ name: "enterprise" })],
      lines: [/whether its last change was done is not known/],
    },
  },
  {
    title: "what others have done since as the program wants it isn't compared",
    given: {
      made: { p },
      reviewed: { p: profile({ ...OURS, ...logout, name: "company" }) },
      afterwards: [patched({ enabled_features: ["universal_logout"] }), refreshed],
    },
    when: { up: { p: profile({ ...OURS, ...logout, name: "company" }) } },
    then: {
      requests: [patch({ name: "company" })],
    },
  },
  {
    title: "an adoption that changes nothing needs no review",
    given: { ...TENANT, reviewed: {} },
    when: { up: { p: adopting("theirs") } },
    then: { requests: [LOOK, LOOK], lines: [/adopts connection profile .* it stays as it is/] },
  },
  {
    title: "a preview refuses no profile of which it doesn't know everything yet",
    given: { reviewed: { p } },
    when: { preview: { p: profile({ ...OURS, name: UNKNOWN }) } },
    then: {},
  },
  {
    title: "the destroy of a profile that stays on the tenant needs no review",
    given: { ...TENANT, made: { p: adopting("ours") }, reviewed: { p: adopting("ours") } },
    when: { destroy: {} },
    then: { lines: [/stays on .* because it was adopted/] },
  },
  {
    title: "an adoption without a name is done, whoever renames the profile in between",
    given: { ...TENANT, reviewed: { p: keeping(logout) }, afterwards: renamed },
    when: { up: { p: keeping(logout) } },
    then: {
      requests: [LOOK, LOOK, PATCHED],
      lines: [/adopts connection profile/],
      state: state("renamed", logout),
    },
  },
  {
    title: "an update that gives up the name is done, though a refresh has found another one since",
    given: {
      ...TENANT,
      made: { p: adopting("ours", scim) },
      reviewed: { p: keeping(logout) },
      afterwards: [renamed, refreshed],
    },
    when: { up: { p: keeping(logout) } },
    then: {
      requests: [PATCHED],
      state: state("renamed", logout),
    },
  },
  {
    title: "one that was reviewed is made once, however many resources want it",
    given: { reviewed: { p } },
    when: { up: { p, q: p } },
    then: {
      errors: [
        notReviewed('a connection profile named "enterprise" would be created with these settings, but'),
      ],
      requests: [post(OURS_WIRE)],
      state: { p: OURS },
      profiles: [OURS_WIRE],
    },
  },
]);
