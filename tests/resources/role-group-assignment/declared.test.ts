import * as pulumi from "@pulumi/pulumi";
import { Provider } from "../../../provider";
import { type Declaration } from "../../../provider/pulumi/program/registration";
import { DeclaredAssignments } from "../../../provider/resources/role-group-assignment/declared";
import { hashOf } from "../../../provider/pulumi/hosts-file";
import { parseListing } from "../../../provider/resources/role-group-assignment/listing";

/* The listing that each assignment of a program sends about the others. */

const ROLE = "rol_1";
const [A, B, C] = ["grp_a", "grp_b", "grp_c"] as const;
const EU = { domain: "eu.example.com", accessToken: "given" };

beforeAll(() =>
  pulumi.runtime.setMocks({
    newResource: ({ name, inputs }) => ({ id: `${name}-id`, state: inputs as object }),
    call: () => ({}),
  }),
);

interface Assignment {
  roleId?: unknown;
  groupIds?: unknown;
  provider?: pulumi.ProviderResource;
  ignoreChanges?: string[];
  until?: string;
}

/** Returns the listings that one program's assignments send. */
async function listings(...assignments: Assignment[]): Promise<ReturnType<typeof parsed>[]> {
  const declared = new DeclaredAssignments();
  const texts = assignments.map(async ({ provider, ignoreChanges, ...given }, place) => {
    const declaration = {
      resource: { getProvider: () => provider },
      name: `assignment ${place}`,
      props: { roleId: ROLE, groupIds: [A], ...given },
      opts: { ignoreChanges },
    };
    const self = await declared.add(declaration as unknown as Declaration);
    return declared.listingInATurn(self);
  });
  return (await Promise.all(texts)).map(parsed);
}

function parsed(text: string) {
  const { listed = [], isComplete } = parseListing(text) ?? {};
  return { listed: [...listed].sort(), isComplete };
}

const hashes = (...groups: string[]) => groups.map(hashOf).sort();
const complete = (listed: string[]) => ({ listed: hashes(...listed), isComplete: true });

/** An Output that is unknown in a preview. */
const unknown = () => {
  const Output = pulumi.Output as unknown as new (...args: unknown[]) => pulumi.Output<string>;
  const known = Promise.resolve(false);
  return new Output(
    new Set(),
    Promise.resolve(undefined),
    known,
    Promise.resolve(false),
    Promise.resolve(new Set()),
  );
};

describe("a listing holds", () => {
  test("what all assignments of the role under one provider list", async () => {
    const both = complete([A, B, C]);
    expect(await listings({ groupIds: [A, B] }, { groupIds: [C] })).toEqual([both, both]);
  });

  test("what has not ended yet, by the clock of the program", async () => {
    jest.useFakeTimers({ now: Date.parse("2026-12-31T23:59:59Z") });
    try {
      const both = () => listings({ groupIds: [A], until: "2026-12-31" }, { groupIds: [B] });
      expect(await both()).toEqual([complete([A, B]), complete([A, B])]);
      jest.setSystemTime(Date.parse("2027-01-01T00:00:00Z"));
      expect(await both()).toEqual([complete([B]), complete([B])]);
    } finally {
      jest.useRealTimers();
    }
  });

  test("nothing of an assignment whose end the engine puts in place of the program's", async () => {
    const listing = { ...complete([C]), isComplete: false };
    const ignoring = { groupIds: [A], until: "2026-12-31", ignoreChanges: ["until"] };
    expect(await listings(ignoring, { groupIds: [C] })).toEqual([listing, listing]);
  });

  test("nothing of another role", async () => {
    expect(await listings({ groupIds: [A] }, { roleId: "rol_2", groupIds: [B] })).toEqual([
      complete([A]),
      complete([B]),
    ]);
  });

  test("what assignments under another provider of one domain list", async () => {
    const first = new Provider("first", EU);
    const second = new Provider("second", { ...EU, domain: "https://eu.example.com/" });
    expect(await listings({ groupIds: [A], provider: first }, { groupIds: [B], provider: second })).toEqual([
      complete([A, B]),
      complete([A, B]),
    ]);
  });

  test("nothing of another tenant", async () => {
    const eu = new Provider("eu", EU);
    const us = new Provider("us", { ...EU, domain: "us.example.com" });
    expect(
      await listings({ groupIds: [A] }, { groupIds: [B], provider: eu }, { groupIds: [C], provider: us }),
    ).toEqual([complete([A]), complete([B]), complete([C])]);
  });

  test("values that are Outputs, once they are known", async () => {
    const later = pulumi.output([B]);
    expect(await listings({ groupIds: [A] }, { groupIds: later })).toEqual([
      complete([A, B]),
      complete([A, B]),
    ]);
  });
});

test.each([undefined, null, Promise.resolve(undefined), pulumi.output(undefined)])(
  "a gap in a list breaks no listing: the provider names its index (%#)",
  async (gap) => {
    const [listing] = await listings({ groupIds: [A, gap] });
    expect(listing).toEqual((await listings({ groupIds: [A] }))[0]);
  },
);

test.each([null, 7])(
  "a role that is no text breaks no listing: the provider names it (%j)",
  async (roleId) => {
    expect(await listings({ roleId, groupIds: [A] })).toEqual([{ listed: [], isComplete: false }]);
  },
);

describe("a listing is not complete", () => {
  const incomplete = (...listed: string[]) => ({ ...complete(listed), isComplete: false });

  test("while the role of another is not known, which could be this one", async () => {
    const [first] = await listings({ groupIds: [A] }, { roleId: unknown(), groupIds: [B] });
    expect(first).toEqual(incomplete(A));
  });

  test("while its own role is not known", async () => {
    const [first] = await listings({ roleId: unknown(), groupIds: [A] });
    expect(first?.isComplete).toBe(false);
  });

  test("while the groups of another of the role are not known", async () => {
    const [first] = await listings({ groupIds: [A] }, { groupIds: unknown() });
    expect(first).toEqual(incomplete(A));
    const [other] = await listings({ groupIds: [A] }, { groupIds: [unknown(), B] });
    expect(other).toEqual(incomplete(A));
  });

  test("but for a role of its own, whatever is not known of groups of others", async () => {
    const [first] = await listings({ groupIds: [A] }, { roleId: "rol_2", groupIds: unknown() });
    expect(first).toEqual(complete([A]));
  });

  test("where another waits for what comes later: it is not waited for", async () => {
    const never = pulumi.output(new Promise<string[]>(() => undefined));
    const declared = new DeclaredAssignments();
    const declaration = (name: string, groupIds: unknown) =>
      ({
        resource: { getProvider: () => undefined },
        name,
        props: { roleId: ROLE, groupIds },
        opts: {},
      }) as unknown as Declaration;
    void declared.add(declaration("waits", never));

    const self = await declared.add(declaration("first", [A]));

    expect(parsed(await declared.listingInATurn(self))).toEqual(incomplete(A));
  });

  test.each(["groupIds", "groupIds[0]", "*"])("where an assignment ignores changes of %s", async (path) => {
    const both = await listings({ groupIds: [A] }, { groupIds: [B], ignoreChanges: [path] });
    // The engine substitutes the groups in state, and only tells the handlers.
    expect(both).toEqual([incomplete(A), incomplete(A)]);
  });

  test("but for changes of something else that are ignored", async () => {
    const both = await listings({ groupIds: [A] }, { groupIds: [B], ignoreChanges: ["exclusive"] });
    expect(both).toEqual([complete([A, B]), complete([A, B])]);
  });
});

test("a listing comes under fake timers", async () => {
  jest.useFakeTimers();
  try {
    expect(await listings({ groupIds: [A] }, { groupIds: [B] })).toEqual([
      complete([A, B]),
      complete([A, B]),
    ]);
  } finally {
    jest.useRealTimers();
  }
});
