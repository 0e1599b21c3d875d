import { Border, LONGEST_QUOTE, LONGEST_TEXT, sanitize, Secrets } from "../provider/border";
import fc, { isLong, runsOf } from "../testkit/properties";

/** Long enough that its base64 traces can't be chance, and with characters that encodings change. */
const secretText = fc
  .stringMatching(/^[A-Za-z0-9+/=~_."\\ é€%&-]{16,80}$/)
  .filter((text) => text.trim() === text);

const base64At = (secret: string, before: number) => {
  const padded = Buffer.from("\u0000".repeat(before) + secret);
  const from = before === 0 ? 0 : before + 1;
  return padded.toString("base64").slice(from, Math.floor((padded.length * 8) / 6));
};

/** The ways in which a text may spell a secret. */
const ENCODINGS: Record<string, (secret: string) => string> = {
  raw: (secret) => secret,
  percent: encodeURIComponent,
  "percent, lower case": (secret) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
  form: (secret) => new URLSearchParams({ x: secret }).toString().slice(2),
  JSON: (secret) => JSON.stringify(secret).slice(1, -1),
  base64: (secret) => base64At(secret, 0),
  "base64, one byte further": (secret) => base64At(secret, 1),
  "base64, two bytes further": (secret) => base64At(secret, 2),
  base64url: (secret) => base64At(secret, 0).replaceAll("+", "-").replaceAll("/", "_"),
  hex: (secret) => Buffer.from(secret).toString("hex"),
};

const HIDDEN = "\u0000\u0007\n\r\t\u001b[31m\u0085\u2028\u200b\u202e\u2066\ufeff\u00ad\u{e0041}\ufe0f\ud800";
const fragments = fc.constantFrom(
  "::add-mask::x",
  "urn:pulumi:dev::shop::identity:index:User::a",
  "::error file=a:b,line=1::boom",
  "##vso[task.setvariable variable=x]y",
  "##[error]",
  "##teamcity[x]",
  "Bearer abc.def-0123456789",
  "Bearer\u0085",
  "Basic\u0085dXNlcjpwYXNz",
  "eyJhbGciOi.eyJzdWIi.c2ln",
  "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----",
  "[secret]",
  "::",
  "##",
  " ",
  ...HIDDEN,
);
const hostile = fc
  .array(fc.oneof(fragments, fc.string({ unit: "binary" }), fc.string()), { maxLength: 30 })
  .map((parts) => parts.join(""));

describe("no secret leaves", () => {
  test.each(Object.entries(ENCODINGS))("in the spelling %s, wherever it stands", (_, encode) => {
    fc.assert(
      fc.property(hostile, secretText, hostile, (before, secret, after) => {
        const spelled = encode(secret);
        const cleaned = new Border([secret]).clean(before + spelled + after);
        expect(cleaned).not.toContain(spelled);
      }),
      { numRuns: runsOf(100) },
    );
  });

  test.each(Object.entries(ENCODINGS))("in the spelling %s, where a text is cut", (_, encode) => {
    fc.assert(
      fc.property(secretText, fc.integer({ min: -200, max: 600 }), (secret, offset) => {
        const spelled = encode(secret);
        const text =
          "x ".repeat(LONGEST_TEXT).slice(0, LONGEST_TEXT + offset - 100) + spelled + "y".repeat(9_999);
        const cleaned = new Border([secret]).clean(text);
        // Not even its beginning is left in front of the cut.
        expect(cleaned).not.toContain(` ${spelled.slice(0, 12)}`);
        expect(cleaned).not.toContain(`x${spelled.slice(0, 12)}`);
      }),
      { numRuns: runsOf(100) },
    );
  });

  test("when there are many, and one is part of another", () => {
    fc.assert(
      fc.property(secretText, secretText, hostile, (one, two, text) => {
        const cleaned = new Border([one, one + two, two]).clean(`${one}${two} ${text} ${two}`);
        for (const secret of [one, two]) expect(cleaned).not.toContain(secret);
      }),
    );
  });

  test("of a key of several lines, each line counts", () => {
    const lines = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0B", "AQEFAASCBKcwggSjAgEAAoIB"];
    const border = new Border([lines.join("\n")]);
    expect(border.clean(`got ${lines[1]} and ${lines[2]}`)).toBe("got [secret] and [secret]");
  });

  test("when it was learned later, or is one resource's", () => {
    const border = new Border();
    expect(border.clean("first-secret second-secret")).toBe("first-secret second-secret");
    border.learn("first-secret", undefined);
    expect(border.with(["second-secret"]).clean("first-secret second-secret")).toBe("[secret] [secret]");
    expect(border.clean("first-secret second-secret")).toBe("[secret] second-secret");
  });

  test("that looks like a token or a key, although nobody named it", () => {
    const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END RSA PRIVATE KEY-----";
    expect(sanitize(`a ${pem} b`)).toBe("a [secret] b");
    expect(sanitize(`a ${pem.slice(0, 50)}`)).toBe("a [secret]");
    expect(sanitize("sent Bearer abc.def-0123 and eyJhbGciOi.eyJzdWIi.c2ln, basic dXNlcjpwYXNz")).toBe(
      "sent [secret] and [secret], [secret]",
    );
  });
});

/**
 * A border that knows a secret in one of four ways, with everything that leaves through it for a given text.
 */
type Way = (text: string) => string;

function waysOf(secret: string): Way[] {
  let lines: string[] = [];
  const given = new Border([secret], (line) => lines.push(line));
  const renewed = new Border([], (line) => lines.push(line));
  renewed.renew(secret);
  const client = new Border([], (line) => lines.push(line));
  const ofResource = client.with([secret]);
  const said = (border: Border, text: string) => {
    lines = [];
    border.print(text);
    border.printJson({ text, other: null });
    return [...lines, border.clean(text), border.quote(text)].join("\n");
  };
  return [
    (text) => said(given, text),
    (text) => said(renewed, text),
    (text) => said(ofResource, text),
    (text) => client.quote(text),
  ];
}

/** Characters without a repeated run of 16, and with some that encodings change. */
function longSecret(length: number): string {
  const parts: string[] = [];
  for (let size = 0, i = 0; size < length; i++) {
    const part = `<é&+"/${i.toString(36)}~${(i * 7_919).toString(36)}'>\n`;
    parts.push(part);
    size += part.length;
  }
  return parts.join("").slice(0, length);
}

const SIZES = [3, 4, 16, 63, 65, 8_000];
const MORE_SIZES = [1, 2, 31, 32, 33, 62, 64, 127, 1_000, 20_000];

describe.each(isLong ? [...SIZES, ...MORE_SIZES] : SIZES)("a secret of %d characters", (size) => {
  const secret = longSecret(size);
  let ways: Way[];
  beforeAll(() => (ways = waysOf(secret)));

  test.each(Object.entries(ENCODINGS))("leaves nowhere in the spelling %s", (name, encode) => {
    const spelled = encode(secret);
    for (const way of ways) {
      for (const before of ["", "it was: ", "x ".repeat(LONGEST_TEXT / 2 - 20), "x ".repeat(LONGEST_TEXT)]) {
        const shown = way(`${before}${spelled} it was`);
        // Shorter ones would blank ordinary words, and their base64 traces are chance.
        if (size < (name.startsWith("base64") ? 16 : 4)) continue;
        // Neither the whole nor a telling part of it, wherever the text is cut.
        const part = Math.min(spelled.length, 64);
        for (const at of [0, 100, 960, spelled.length - part])
          expect(shown).not.toContain(spelled.slice(at, at + part) || spelled);
      }
    }
  });

  test.each([64, 100, 1_000, 5_000])("leaves nowhere when %d characters of it are quoted", (part) => {
    if (part > size) return;
    for (const start of [0, 1, 37, Math.floor((size - part) / 2), size - part].filter(
      (at) => at + part <= size,
    )) {
      const quoted = secret.slice(start, start + part);
      for (const way of ways) {
        for (const spelled of [quoted, JSON.stringify(quoted).slice(1, -1)]) {
          const shown = way(`{"was": "${spelled}"}`);
          const left: string[] = [];
          for (let at = 0; at + 16 <= part; at += 5) left.push(quoted.slice(at, at + 16));
          expect(left.filter((each) => shown.includes(each))).toEqual([]);
        }
      }
    }
  });
});

test("a long secret that repeats itself is hidden as a whole", () => {
  for (const secret of ["a".repeat(200_000), "ab".repeat(100_000), `b${"a".repeat(200_000)}`]) {
    expect(new Border([secret]).clean(`was ${secret.slice(0, 7_000)}`)).toBe("was [secret]");
    expect(new Border([secret, "aaaa"]).clean("a".repeat(LONGEST_TEXT))).toBe("[secret]");
  }
});

test("of very many secrets each one is hidden", () => {
  const secrets = Array.from({ length: isLong ? 150_000 : 5_000 }, (_, i) => `secret-${i}-`);
  expect(new Border(secrets).clean(`was secret-0- and ${secrets.at(-1)}`)).toBe("was [secret] and [secret]");
});

test("a text of a million characters is hidden as a whole", () => {
  const secret = "kR7wQz2LmX9pTb4VnC6yHd1JsF8gEa3u";
  const known = [secret, ...Array.from({ length: 12 }, (_, i) => longSecret(1_000 + i))];
  const border = new Border(known);
  const secrets = new Secrets(known);
  for (const part of ["A profile of that name exists. ", "a", "a\u200b", "kR7w", "Bearer ", "eyJ-", secret]) {
    const text = part.repeat(1_000_000 / part.length);
    expect(border.clean(`${text}${secret}`)).toMatch(/\(cut: \d+ characters\)$/);
    expect(secrets.hide(`${text}${secret}.`).endsWith("[secret].")).toBe(true);
  }
});

test("what was cleaned before its secret was known is hidden still", () => {
  const secrets = ["one\ttwo three\r\nfour", "a ::add-mask::b\u200bc d", "<a>\nb</a> & c"];
  for (const secret of secrets) {
    const html = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
    for (const said of [secret, html])
      expect(new Border([secret]).clean(sanitize(`was ${said}.`))).toBe("was [secret].");
  }
});

test("what is cut through is not shown, although hidden characters take it apart", () => {
  const secret = "kR7wQz2LmX9pTb4VnC6yHd1JsF8gEa3u";
  const apart = [...secret].join("\u200b\u202e");
  for (let before = LONGEST_TEXT - 200; before <= LONGEST_TEXT; before++) {
    const shown = new Border([secret]).clean("-".repeat(before) + apart + "y".repeat(9_999));
    expect(shown).not.toContain("k\\u200b");
  }
});

describe("a secret that replaces an earlier one", () => {
  test("is known with those before it; those of long ago are forgotten", () => {
    const border = new Border(["client-secret", "token-1-of-many"]);
    for (let i = 0; i < 100; i++)
      ["kept-in-a-file", `token-${i}-of-many`].forEach((token) => border.renew(token));
    const known = Array.from({ length: 100 }, (_, i) => border.clean(`token-${i}-of-many`) === "[secret]");
    // The one that was also given stays.
    expect(known.flatMap((is, i) => (is ? [i] : []))).toEqual([
      1, 89, 90, 91, 92, 93, 94, 95, 96, 97, 98, 99,
    ]);
    expect(border.clean("client-secret kept-in-a-file")).toBe("[secret] [secret]");
  });

  test("is hidden in a resource's messages, too", () => {
    const border = new Border();
    const ofResource = border.with(["one-more"]);
    expect(ofResource.clean("one-more token-1")).toBe("[secret] token-1");
    border.renew("token-1");
    expect(ofResource.clean("one-more token-1")).toBe("[secret] [secret]");
    border.learn("another");
    expect(ofResource.clean("one-more another")).toBe("[secret] [secret]");
  });
});

describe("the secret inputs of a resource", () => {
  const WORDS = "none of grp_Hk3RvW9xTqLm52fD is abc";

  test("are hidden in its own messages, and in nobody else's: they may be ordinary words there", () => {
    const client = new Border(["the-credential"]);
    const one = client.with(["none", "grp_Hk3RvW9xTqLm52fD", "abc"]);
    const other = client.with(["another-input"]);
    const open = client.with([]);
    expect(one.clean(WORDS)).toBe("[secret] of [secret] is abc");
    for (const border of [other, open, client]) expect(border.clean(WORDS)).toBe(WORDS);
    for (const border of [one, other, open]) expect(border.clean("the-credential")).toBe("[secret]");
  });

  test("are hidden in what strangers say, whoever is answered", () => {
    const client = new Border(["the-credential"]);
    client.with(["none", "first-input"]);
    client.with(["second-input"]);
    expect(client.quote("none second-input the-credential first-input")).toBe(
      "[secret] [secret] [secret] [secret]",
    );
  });

  test("are known by their exact texts, however short, to the resource and to the client", () => {
    const client = new Border();
    const [one, other] = [client.with(["abc", "none"]), client.with([])];
    const known = (border: Border) => ["abc", "none", "none of", ""].filter((text) => border.isSecret(text));
    expect([one, other, client].map(known)).toEqual([["abc", "none"], [], ["abc", "none"]]);
  });

  test("may be many, of many resources, between many answers", () => {
    const client = new Border();
    const size = 2_000;
    for (let i = 0; i < size; i++) {
      client.with([`input-${i}-of-many`]);
      if (i % 10 === 0) expect(client.quote(`input-${i}-of-many`)).toBe("[secret]");
    }
    expect(client.quote(`input-0-of-many and input-${size - 1}-of-many`)).toBe("[secret] and [secret]");
  });
});

test("nothing hidden is left, no line break, and no command of a CI system", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const cleaned = sanitize(text);
      expect(cleaned).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2028\u2029]/u);
      expect(cleaned.replaceAll(/\burn:pulumi:dev::/g, "urn:")).not.toMatch(/::[a-z][\w-]*(?: .*)?::/i);
      expect(cleaned).not.toMatch(/##\w*\[/);
    }),
  );
});

test.each([
  ["a\u001b[31mb\nc\u202ed", "a\\u001b[31mb c\\u202ed"],
  ["::add-mask::x", ": :add-mask::x"],
  ["::error file=a:b,line=1::boom", ": :error file=a:b,line=1::boom"],
  ["##vso[task.complete]", "# #vso[task.complete]"],
  ["##[error]no", "# #[error]no"],
  ["std::vector, ::1, # heading ## two", "std::vector, ::1, # heading ## two"],
  ["urn:pulumi:dev::shop::identity:index:User::a", "urn:pulumi:dev::shop::identity:index:User::a"],
  ["it failed:::add-mask::x", "it failed:: :add-mask::x"],
  [
    "subject in bearer token. Use Basic authentication.",
    "subject in bearer token. Use Basic authentication.",
  ],
  ['it begins with "-----BEGIN PRIVATE KEY-----".', 'it begins with "-----BEGIN PRIVATE KEY-----".'],
  ["  Grüße, 東京 👋  ", "Grüße, 東京 👋"],
  [
    "'String is too long (51 chars), maximum 50' on property name",
    "'String is too long (51 chars), maximum 50' on property name",
  ],
])("%j becomes %j", (text, cleaned) => {
  expect(sanitize(text)).toBe(cleaned);
});

test("ordinary words are no secrets, nor are short ones", () => {
  expect(new Border(["", "abc", undefined, "secret"]).clean("the secret is abc")).toBe("the [secret] is abc");
});

test("cleaning once more changes nothing, with other secrets or none in between", () => {
  fc.assert(
    fc.property(hostile, fc.array(secretText, { maxLength: 3 }), fc.boolean(), (text, secrets, isLong) => {
      const long = isLong ? text + text.repeat(1 + Math.ceil(LONGEST_TEXT / (text.length + 1))) : text;
      const border = new Border(secrets);
      const cleaned = border.clean(long + secrets.join(""));
      expect(border.clean(cleaned)).toBe(cleaned);
      const bare = sanitize(long);
      expect(sanitize(bare)).toBe(bare);
      expect(sanitize(sanitize(cleaned))).toBe(sanitize(cleaned));
    }),
  );
});

test("a text is bounded, whatever becomes of its characters", () => {
  fc.assert(
    fc.property(hostile, fc.array(secretText, { maxLength: 2 }), (text, secrets) => {
      const long = (text + secrets.join("\u001b")).repeat(500) + "x".repeat(LONGEST_TEXT + 1);
      const cleaned = new Border(secrets).clean(long);
      expect(cleaned.length).toBeLessThanOrEqual(LONGEST_TEXT);
      expect(cleaned.slice(-40)).toMatch(/… \(cut: \d+ characters\)$/);
    }),
    { numRuns: 30 },
  );
  expect(sanitize("\u0001".repeat(LONGEST_TEXT)).length).toBeLessThanOrEqual(LONGEST_TEXT);
  expect(new Border().quote("x".repeat(2_000))).toHaveLength(LONGEST_QUOTE);
});

test("the border prints clean lines", () => {
  const lines: string[] = [];
  const border = new Border(["the-secret"], (line) => lines.push(line));
  border.with(["other-secret"]).print("a the-secret\nb other-secret");
  expect(lines).toEqual(["a [secret] b [secret]"]);
});

test("an object stays JSON whatever its texts hold, and whatever is secret", () => {
  const lines: string[] = [];
  const border = new Border(["status", '"a":"', "hidden-secret"], (line) => lines.push(line));
  border.printJson({
    status: 200,
    a: 'hidden-secret " \\ \u001b[31m\n::add-mask::x',
    b: "##vso[task.setvariable]x\u202e",
    c: null,
  });
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? "")).toEqual({
    status: 200,
    a: '[secret] " \\ \\u001b[31m : :add-mask::x',
    b: "# #vso[task.setvariable]x\\u202e",
    c: null,
  });
});
