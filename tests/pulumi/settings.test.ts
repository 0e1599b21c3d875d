import { generateKeyPairSync } from "node:crypto";
import fc from "../../testkit/properties";
import { ConfigurationError } from "../../provider/http/errors";
import { DEFAULT_LIMITS } from "../../provider/http/settings";
import {
  CREDENTIAL_NAMES,
  formerTenants,
  settingValue,
  parseSettings,
  type RawSettings,
  readProviderSettings,
  readSettings,
  requiredReview,
  settingName,
  type SettingsSource,
  tenantOf,
} from "../../provider/pulumi/settings";
import {
  environmentName,
  wrongVariables,
  SETTING_NAMES,
  unknownSettings,
} from "../../provider/pulumi/settings-table";

const STACK: SettingsSource = { from: "stack" };
const COMPLETE: RawSettings = { domain: "tenant.example.com", clientId: "me", clientSecret: "hidden-secret" };

function keyOf(type: "pkcs1" | "pkcs8", modulusLength = 2048): string {
  return generateKeyPairSync("rsa", { modulusLength }).privateKey.export({ type, format: "pem" }) as string;
}

function problems(settings: RawSettings, source = STACK): string {
  try {
    parseSettings(settings, source);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message.replace(
      /^The connection to the identity tenant is (not configured|configured wrongly)\. /,
      "",
    );
  }
  throw new Error("The settings were accepted.");
}

describe("keys that are no settings", () => {
  test.each([
    ["maxRevocation", " did you mean identity:maxRevocations?"],
    ["token", " did you mean identity:accessToken?"],
    ["colour", ""],
  ])("identity:%s", (name, hint) => {
    const keys = [`identity:${name}`, "identity:domain", "aws:maxRevocation", "identityX:domain"];
    expect(unknownSettings(keys, "access")).toEqual([
      {
        says: `identity:${name} is no setting${hint === "" ? "." : `:${hint}`}`,
        advice: `Correct the key, or remove it: pulumi config rm identity:${name}.`,
      },
    ]);
  });

  test("all settings are known, and each of several keys is told", () => {
    expect(
      unknownSettings(
        SETTING_NAMES.map((name) => `identity:${name}`),
        "access",
      ),
    ).toEqual([]);
    expect(unknownSettings(["identity:b", "identity:a"], undefined).map(({ says }) => says)).toEqual([
      "identity:a is no setting.",
      "identity:b is no setting.",
    ]);
  });

  test("in a project that is called identity they are its own", () => {
    expect(unknownSettings(["identity:maxRevocation"], "identity")).toEqual([]);
  });
});

describe("variables that are nearly a setting's", () => {
  test.each([
    ["IDENTITY_MAX_REVOCATION", "IDENTITY_MAX_REVOCATIONS"],
    ["IDENTITY_REVIEW_FIL", "IDENTITY_REVIEW_FILE"],
  ])("%s", (variable, meant) => {
    expect(wrongVariables({ [variable]: "5", IDENTITY_DOMAIN: "tenant.example.com" })).toEqual([
      {
        says: `${variable} is no setting: did you mean ${meant}?`,
        advice: "Rename the variable, or unset it.",
      },
    ]);
  });

  test("those of others, and all settings, are none of them", () => {
    const others = [
      "IDENTITY_ENDPOINT",
      "IDENTITY_HEADER",
      "IDENTITY_TOKEN",
      "IDENTITY",
      "MY_IDENTITY_DOMAINS",
    ];
    const names = [...others, ...SETTING_NAMES.map(environmentName)];
    expect(wrongVariables(Object.fromEntries(names.map((name) => [name, "a"])))).toEqual([]);
  });
});

describe("whether a review is required", () => {
  const digest = "0123456789abcdef".repeat(4);

  test.each<[SettingsSource, string]>([
    [STACK, "identity:requireReview (IDENTITY_REQUIRE_REVIEW)"],
    [{ from: "provider", name: "eu" }, 'requireReview of the Provider "eu"'],
  ])("%j: a digest is no boolean", (source, name) => {
    expect(problems({ ...COMPLETE, requireReview: digest }, source)).toBe(
      `${name} must be true or false; it is "${digest}".`,
    );
  });

  test.each<[RawSettings, boolean, string | undefined]>([
    [{ requireReview: " False " }, false, undefined],
    [{ requireReview: "TRUE" }, true, undefined],
    [{ requireReview: "yes" }, true, undefined],
    [{ requireReview: digest }, true, undefined],
    [{ reviewDigest: ` ${digest.toUpperCase()} ` }, true, digest],
    [{ requireReview: "false", reviewDigest: digest }, true, digest],
    // No file has it, so that it stops every run.
    [{ reviewDigest: "abc" }, true, "abc"],
  ])("%j requires: %p, with the digest %p", (settings, isRequired, expected) => {
    expect(requiredReview(settings)).toEqual({ isRequired, digest: expected });
  });
});

describe("where settings come from", () => {
  const read = (config: RawSettings, environment: NodeJS.ProcessEnv) =>
    readSettings((setting) => config[setting], environment);

  test("names of the environment", () => {
    expect(SETTING_NAMES.map(environmentName)).toEqual([
      "IDENTITY_DOMAIN",
      "IDENTITY_CLIENT_ID",
      "IDENTITY_CLIENT_SECRET",
      "IDENTITY_PRIVATE_KEY",
      "IDENTITY_PRIVATE_KEY_ALGORITHM",
      "IDENTITY_ACCESS_TOKEN",
      "IDENTITY_AUDIENCE",
      "IDENTITY_FORMER_DOMAINS",
      "IDENTITY_RATE_LIMIT_RESERVE",
      "IDENTITY_MAX_CONCURRENCY",
      "IDENTITY_MAX_REQUESTS_PER_SECOND",
      "IDENTITY_MAX_WAIT_SECONDS",
      "IDENTITY_REQUEST_TIMEOUT_SECONDS",
      "IDENTITY_MAX_REVOCATIONS",
      "IDENTITY_REVIEW_FILE",
      "IDENTITY_REQUIRE_REVIEW",
      "IDENTITY_REVIEW_DIGEST",
    ]);
  });

  test("the environment wins over stack configuration, setting by setting", () => {
    const environment = {
      IDENTITY_DOMAIN: "other.example.com",
      IDENTITY_MAX_WAIT_SECONDS: "5",
      UNRELATED: "x",
    };
    expect(read(COMPLETE, environment)).toEqual({
      ...COMPLETE,
      domain: "other.example.com",
      maxWaitSeconds: "5",
    });
  });

  test("an empty or blank value counts as not set, in both places", () => {
    expect(read({ ...COMPLETE, audience: " " }, { IDENTITY_DOMAIN: "", IDENTITY_CLIENT_ID: "  " })).toEqual(
      COMPLETE,
    );
  });

  test("a credential in the environment wins over another kind in stack configuration", () => {
    const { clientSecret: _, ...rest } = COMPLETE;
    expect(read(COMPLETE, { IDENTITY_ACCESS_TOKEN: "t" })).toEqual({ ...rest, accessToken: "t" });
    expect(read({ ...COMPLETE, accessToken: "old" }, { IDENTITY_CLIENT_SECRET: "new" })).toEqual({
      ...rest,
      clientSecret: "new",
    });
  });
});

describe("an explicit provider", () => {
  const [one, other] = ["a".repeat(64), "b".repeat(64)];

  test.each([
    ["maxRevocations", undefined, "3", "3"],
    ["maxRevocations", "5", "3", "3"],
    ["maxRevocations", "3", "5", "3"],
    // Neither is hidden by a number: it stops the run.
    ["maxRevocations", "3", "few", "few"],
    ["maxRevocations", "few", "3", "few"],
    ["requireReview", undefined, "true", "true"],
    ["requireReview", "false", "true", "true"],
    ["requireReview", "true", "false", "true"],
    // It stops the run too.
    ["requireReview", "yes", "true", "yes"],
    ["reviewDigest", undefined, one, one],
    ["reviewDigest", one, undefined, one],
    ["reviewDigest", one, ` ${one.replaceAll("a", "A")}`, one],
    ["reviewDigest", one, other, `${one} and ${other}`],
    ["reviewFile", "own.json", "approved.json", "approved.json"],
    ["domain", "eu.example.com", "us.example.com", "eu.example.com"],
  ] as const)("%s %p and %p in the environment: %p", (name, own, environment, expected) => {
    const variables = { [environmentName(name)]: environment };
    const { settings, source } = readProviderSettings(
      "eu",
      (setting) => (setting === name ? own : undefined),
      variables,
    );
    expect(settings[name]).toBe(expected);
    // Messages name the place of the value.
    expect(settingName(name, source)).toBe(
      expected === own ? `${name} of the Provider "eu"` : environmentName(name),
    );
  });
});

describe("domain", () => {
  const origin = (domain: string) => parseSettings({ ...COMPLETE, domain }, STACK).origin;

  test.each([
    ["tenant.example.com", "https://tenant.example.com"],
    ["  tenant.example.com ", "https://tenant.example.com"],
    ["HTTPS://Tenant.Example.com", "https://tenant.example.com"],
    ["tenant.example.com:8443", "https://tenant.example.com:8443"],
    ["http://127.0.0.1:4100", "http://127.0.0.1:4100"],
    ["http://[::1]:4100", "http://[::1]:4100"],
  ])("%p", (domain, expected) => {
    expect(origin(domain)).toBe(expected);
  });

  test.each([
    ["http://tenant.example.com", "may use http:// only for a loopback host such as 127.0.0.1"],
    ["http://127.0.0.1.example.com", "may use http:// only for a loopback host such as 127.0.0.1"],
    ["ftp://tenant.example.com", "must be a host name, optionally with https://"],
    [
      "https://tenant.example.com/api/v2/",
      "must be a host name without path or query, such as tenant.example.com",
    ],
    ["two words", "must be the tenant's host name, such as tenant.example.com"],
  ])("%p is refused", (domain, problem) => {
    expect(problems({ ...COMPLETE, domain })).toBe(
      `identity:domain (IDENTITY_DOMAIN) ${problem}; it is ${JSON.stringify(domain)}.`,
    );
  });

  test("a password in it is refused and not shown", () => {
    expect(problems({ ...COMPLETE, domain: "https://me:hidden-password@tenant.example.com" })).toBe(
      "identity:domain (IDENTITY_DOMAIN) must not contain a user name or password.",
    );
  });

  test("names the tenant where it can, and former ones", () => {
    expect(tenantOf({ domain: "https://tenant.example.com:8443" })).toBe("tenant.example.com:8443");
    expect(tenantOf({})).toBeUndefined();
    // As a generated SDK sends it.
    expect(formerTenants({ formerDomains: '["a.example.com", "https://b.example.com"]' })).toEqual([
      "a.example.com",
      "b.example.com",
    ]);
    expect(formerTenants({ formerDomains: "a.example.com, https://b.example.com,,:::" })).toEqual([
      "a.example.com",
      "b.example.com",
    ]);
  });
});

describe("credentials", () => {
  const credentials = (settings: RawSettings) =>
    parseSettings({ domain: "t.example.com", ...settings }, STACK).credentials;

  test("client secret", () => {
    expect(credentials({ clientId: "me", clientSecret: "s" })).toEqual({
      type: "client-secret",
      clientId: "me",
      clientSecret: "s",
    });
  });

  test("access token, which needs nothing else", () => {
    expect(credentials({ accessToken: " token\n", clientId: "me" })).toEqual({
      type: "access-token",
      accessToken: "token",
    });
  });

  test.each(["pkcs8", "pkcs1"] as const)(
    "private key (%s), as it is and with its line breaks written out",
    (type) => {
      const privateKey = keyOf(type).trim();
      const expected = { type: "private-key", clientId: "me", privateKey, algorithm: "RS256" };
      expect(credentials({ clientId: "me", privateKey })).toEqual(expected);
      expect(credentials({ clientId: "me", privateKey: `  ${privateKey}\n` })).toEqual(expected);
      expect(credentials({ clientId: "me", privateKey: privateKey.replaceAll("\n", "\\n") })).toEqual(
        expected,
      );
      expect(credentials({ clientId: "me", privateKey: privateKey.replaceAll("\n", "\\r\\n") })).toEqual(
        expected,
      );
      expect(credentials({ clientId: "me", privateKey, privateKeyAlgorithm: "PS384" })).toMatchObject({
        algorithm: "PS384",
      });
    },
  );

  test("without the line break that a file or a pipe leaves behind", () => {
    const given = { clientId: " me\n", clientSecret: " s \r\n" };
    expect(credentials(given)).toEqual({ type: "client-secret", clientId: "me", clientSecret: " s " });
    const settings = { domain: "t.example.com", accessToken: "t", audience: "urn:api\n" };
    expect(parseSettings(settings, { from: "stack" }).audience).toBe("urn:api");
  });

  test("of several, the first of the order is used", () => {
    const values: Record<(typeof CREDENTIAL_NAMES)[number], string> = {
      accessToken: "token",
      privateKey: keyOf("pkcs8"),
      clientSecret: "secret",
    };
    const kinds = CREDENTIAL_NAMES.map((_, i) => {
      const given = Object.fromEntries(CREDENTIAL_NAMES.slice(i).map((name) => [name, values[name]]));
      return credentials({ clientId: "me", ...given }).type;
    });
    expect(kinds).toEqual(["access-token", "private-key", "client-secret"]);
  });

  const KEY = "identity:privateKey (IDENTITY_PRIVATE_KEY)";
  const NO_PEM = `${KEY} must be an RSA private key in PEM form, beginning with "-----BEGIN PRIVATE KEY-----".`;
  const { privateKey: curve, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const locked = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "x",
  }) as string;

  test.each([
    ["a text", "not a key", NO_PEM],
    ["a broken key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", NO_PEM],
    ["a public key", publicKey.export({ type: "spki", format: "pem" }) as string, NO_PEM],
    ["a curve", curve.export({ type: "pkcs8", format: "pem" }) as string, `${KEY} must be an RSA key.`],
    ["a short key", keyOf("pkcs8", 1024), `${KEY} must be an RSA key of at least 2048 bits.`],
    ["an encrypted key", locked, `${KEY} is encrypted: give the key without a passphrase.`],
  ])("%s is no private key", (_, privateKey, expected) => {
    expect(problems({ domain: "t.example.com", clientId: "me", privateKey })).toBe(expected);
  });

  test("an unknown algorithm is refused with those that are known", () => {
    const settings = {
      domain: "t.example.com",
      clientId: "me",
      privateKey: keyOf("pkcs8"),
      privateKeyAlgorithm: "HS256",
    };
    expect(problems(settings)).toBe(
      "identity:privateKeyAlgorithm (IDENTITY_PRIVATE_KEY_ALGORITHM) must be one of RS256, RS384, RS512, PS256, PS384, " +
        'PS512; it is "HS256".',
    );
  });

  test("a token with a line break inside is refused and not shown", () => {
    expect(problems({ domain: "t.example.com", accessToken: "hidden token" })).toBe(
      "identity:accessToken (IDENTITY_ACCESS_TOKEN) is not a token: it holds spaces or characters outside ASCII.",
    );
  });
});

describe("problems", () => {
  test("without any configuration all that is missing is told at once, with the way to set it", () => {
    expect(problems({})).toBe(
      "Set identity:domain (IDENTITY_DOMAIN), for example: pulumi config set identity:domain tenant.example.com. " +
        "Credentials are missing: set identity:clientId (IDENTITY_CLIENT_ID) and identity:clientSecret " +
        "(IDENTITY_CLIENT_SECRET) or identity:privateKey (IDENTITY_PRIVATE_KEY), or identity:accessToken (IDENTITY_ACCESS_TOKEN).",
    );
  });

  test("half of the credentials: the other half is asked for, the secret as a secret", () => {
    expect(problems({ domain: "t.example.com", clientSecret: "s" })).toBe(
      "Set identity:clientId (IDENTITY_CLIENT_ID), for example: pulumi config set identity:clientId ….",
    );
    expect(problems({ domain: "t.example.com", clientId: "me" })).toBe(
      "Set identity:clientSecret (IDENTITY_CLIENT_SECRET), for example: pulumi config set --secret identity:clientSecret …. " +
        "Instead, identity:privateKey (IDENTITY_PRIVATE_KEY) or identity:accessToken (IDENTITY_ACCESS_TOKEN) will do.",
    );
  });

  test("of an explicit provider are told by its arguments", () => {
    expect(problems({ clientId: "me", maxWaitSeconds: "never" }, { from: "provider", name: "eu" })).toBe(
      'Give domain of the Provider "eu". Give clientSecret of the Provider "eu". Instead, privateKey of the Provider "eu" ' +
        'or accessToken of the Provider "eu" will do. maxWaitSeconds of the Provider "eu" must be a number from 1 to 86400; ' +
        'it is "never".',
    );
  });

  test("of limits are told all at once", () => {
    expect(
      problems({ ...COMPLETE, rateLimitReserve: "1", maxConcurrency: "2.5", requestTimeoutSeconds: "0x10" }),
    ).toBe(
      'identity:rateLimitReserve (IDENTITY_RATE_LIMIT_RESERVE) must be a number from 0 to 0.9; it is "1". ' +
        'identity:maxConcurrency (IDENTITY_MAX_CONCURRENCY) must be a whole number from 1 to 256; it is "2.5". ' +
        'identity:requestTimeoutSeconds (IDENTITY_REQUEST_TIMEOUT_SECONDS) must be a number from 1 to 600; it is "0x10".',
    );
  });

  test("never show a secret", () => {
    const text = fc.string({ minLength: 6 }).map((value) => `hidden${value}hidden`);
    fc.assert(
      fc.property(text, text, text, (accessToken, privateKey, clientSecret) => {
        const all = [
          { accessToken: `${accessToken} ` + "é" },
          { clientId: "me", privateKey },
          { clientSecret },
          { domain: "no domain", clientId: "me", clientSecret },
        ];
        for (const settings of all) expect(problems(settings)).not.toContain("hidden");
      }),
    );
  });
});

test("limits have defaults, and take what is given", () => {
  expect(parseSettings(COMPLETE, STACK).limits).toEqual(DEFAULT_LIMITS);
  const given = {
    rateLimitReserve: "0.5",
    maxConcurrency: "3",
    maxRequestsPerSecond: "1.5",
    maxWaitSeconds: "60",
    requestTimeoutSeconds: "10",
  };
  expect(parseSettings({ ...COMPLETE, ...given }, STACK).limits).toEqual({
    rateLimitReserve: 0.5,
    maxConcurrency: 3,
    maxRequestsPerSecond: 1.5,
    maxWaitSeconds: 60,
    requestTimeoutSeconds: 10,
  });
});

test("the number of revocations is a whole one from 0, and without it there is none", () => {
  expect(settingValue("maxRevocations", {})).toBeUndefined();
  expect(settingValue("maxRevocations", { maxRevocations: " 0 " })).toBe(0);
  expect(settingValue("maxRevocations", { maxRevocations: "25" })).toBe(25);
  for (const text of ["-1", "1.5", "1e3", "0x10", "many", "1234567890"]) {
    expect(problems({ ...COMPLETE, maxRevocations: text })).toBe(
      "identity:maxRevocations (IDENTITY_MAX_REVOCATIONS) must be a whole number of at least 0; " +
        `it is ${JSON.stringify(text)}.`,
    );
  }
});

test("the audience is taken as it is given", () => {
  expect(parseSettings({ ...COMPLETE, audience: "/api/v2/" }, STACK).audience).toBe("/api/v2/");
  expect(parseSettings(COMPLETE, STACK)).not.toHaveProperty("audience");
});

test("messages of the client name settings as the user gave them", () => {
  expect(parseSettings(COMPLETE, STACK).nameOf("clientSecret")).toBe(
    "identity:clientSecret (IDENTITY_CLIENT_SECRET)",
  );
  expect(parseSettings(COMPLETE, STACK).rotation()).toBe("");
  const old = () => true;
  expect(parseSettings(COMPLETE, STACK, old).rotation()).toBe(
    "In a pulumi refresh or destroy, the configuration is that of the last up: pass new credentials in the environment, or add --run-program.",
  );
  const explicit = parseSettings(COMPLETE, { from: "provider", name: "eu" }, old);
  expect(explicit.nameOf("clientSecret")).toBe('clientSecret of the Provider "eu"');
  expect(explicit.rotation()).toBe(
    'In a pulumi refresh or destroy, the Provider "eu" has the arguments of the last up: add --run-program.',
  );
});
