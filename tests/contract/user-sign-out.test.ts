import { LAPTOP, PHONE, TABLET, USER_ID } from "../../simulator/default-seed";
import { later, secret, signOut, UNKNOWN } from "../../testkit/engine";
import { damagedRows, failedUp, type Row, table, WITHOUT_LISTING } from "./table";
import { notReviewed } from "./words";

/* A sign-out does all of it in `create`; only a part that failed is done by a later update. */

const rowsOf = (operation: string, rows: readonly Row[]) => table(operation, rows, WITHOUT_LISTING);

const ID = encodeURIComponent(USER_ID);
const a = signOut(USER_ID);
const ofMobile = signOut(USER_ID, { clientId: "mobileApp" });
const sessions = (status = 202) => `DELETE /users/${ID}/sessions ${status}`;
const tokens = (status = 202) => `DELETE /users/${ID}/refresh-tokens ${status}`;
const revoke = (status = 202) =>
  `POST /refresh-tokens/revoke ${JSON.stringify({ client_id: "mobileApp", user_id: USER_ID })} ${status}`;
const user = (status = 200) => `GET /users/${ID}?fields=user_id ${status}`;
const lists = (status = 200) =>
  ["public_key", "refresh_token", "rotating_refresh_token"].map(
    (type) => new RegExp(`^GET /device-credentials\\?user_id=.*&type=${type}.* ${status}$`),
  );
const credential = (id: string, status = 204) => `DELETE /device-credentials/${id} ${status}`;
const credentials = [TABLET, PHONE, LAPTOP].map((id) => credential(id));
const ALL = [LAPTOP, PHONE, TABLET];

const FORESEEN = `a: permanently signs out user ${USER_ID}: ends all sessions, refresh tokens and device credentials`;
const FORESEEN_MOBILE = `a: permanently signs out user ${USER_ID}: ends refresh tokens of client mobileApp and device credentials`;
const DONE = `User ${USER_ID}: ended all sessions and refresh tokens, deleted 3 device credentials.`;
const STAYS = `A sign-out can't be undone, so nothing was sent for user ${USER_ID}.`;
const AGAIN = (what: string) =>
  `The ${what} of user ${USER_ID} were not ended. The next pulumi up tries again.`;
const NOT_KNOWN = "a: signs out a user for good, but it is not known yet whom or where";
const notServed = (what: string, why: string) =>
  `The ${what} of user ${USER_ID} were not ended: ${why}. End them on the tenant by hand.`;

rowsOf("check", [
  {
    title: "a user who isn't known yet is planned, without a request",
    when: { preview: { a: signOut(UNKNOWN) } },
    then: { steps: ["create a"], lines: [NOT_KNOWN] },
  },
  {
    title: "an empty id, and a client's name, are refused",
    when: { preview: { a: signOut(" ", { clientId: "Mobile App" }) } },
    then: {
      errors: [
        /userId: must be an id of 1 to 512 characters/,
        /clientId: must be the id of a client, not its name/,
      ],
    },
  },
  {
    title: "two that sign out one user are refused, with both names",
    when: { preview: { first: a, second: a } },
    then: {
      errors: ['second: UserSignOut "first" and "second" both sign out one user: keep one of them.'],
      lines: [FORESEEN.replace("a:", "first:"), FORESEEN.replace("a:", "second:")],
    },
  },
  {
    title: "one client beside all of them is fine",
    when: { preview: { a, b: ofMobile } },
    then: { lines: [FORESEEN, FORESEEN_MOBILE.replace("a:", "b:")] },
  },
  {
    title: "more than identity:maxRevocations allows are refused; a sign-out counts once",
    given: { config: { "identity:maxRevocations": "1" } },
    when: { preview: { a, b: signOut("oidc|partner-directory|2001") } },
    then: {
      errors: [/^b: This run would sign out at least 2 users, and identity:maxRevocations .*allows 1/],
      lines: [FORESEEN, FORESEEN.replace("a:", "b:").replace(USER_ID, "oidc|partner-directory|2001")],
    },
  },
]);

rowsOf("diff", [
  {
    title: "the same user is no change",
    given: { made: { a } },
    when: { up: { a } },
    then: { steps: [] },
  },
  {
    title: "a user who isn't known yet may be another one: replaced, without a request",
    given: { made: { a } },
    when: { preview: { a: signOut(later(USER_ID) as string) } },
    then: { steps: ["replace a: userId", "delete replaced a"], lines: [NOT_KNOWN] },
  },
]);

rowsOf("create", [
  {
    title:
      "ends sessions and refresh tokens, and removes each credential; the preview says that it is permanent",
    when: { up: { a } },
    then: {
      steps: ["create a"],
      preview: [FORESEEN],
      requests: [sessions(), tokens(), ...lists(), ...credentials],
      lines: [FORESEEN, DONE],
      outputs: { a: ["__name", "__provider", "tenant", "userId"] },
      removed: ALL,
    },
  },
  {
    title: "of one client, ends its refresh tokens and removes its credentials alone",
    when: { up: { a: ofMobile } },
    then: {
      requests: [revoke(), ...lists(), credential(TABLET), credential(PHONE)],
      lines: [
        FORESEEN_MOBILE,
        `User ${USER_ID}, client mobileApp: ended all refresh tokens, deleted 2 device credentials.`,
      ],
      removed: [PHONE, TABLET],
    },
  },
  ...(
    [
      ["not_served", 404, "the tenant has no call for it"],
      ["not_entitled", 403, "the tenant's plan doesn't allow it"],
    ] as const
  ).map(([behaviour, status, why]): Row => ({
    title: `where the newer calls are ${behaviour}, the credentials are still removed, and the lines say the rest`,
    given: { tenant: { behaviour: { user_sessions: behaviour } } },
    when: { up: { a } },
    then: {
      requests: [
        sessions(status),
        ...(status === 404 ? [user()] : []),
        tokens(status),
        ...lists(),
        ...credentials,
      ],
      lines: [
        FORESEEN,
        `User ${USER_ID}: deleted 3 device credentials.`,
        notServed("sessions", why),
        notServed("refresh tokens", why),
      ],
      removed: ALL,
    },
  })),
  {
    title: "of one client, a user who is gone is done, and said",
    when: { up: { a: signOut("auth0|gone", { clientId: "mobileApp" }) } },
    then: {
      requests: [
        revoke(404).replace(USER_ID, "auth0|gone"),
        user(404).replace(ID, "auth0%7Cgone"),
        ...lists(),
      ],
      lines: [
        FORESEEN_MOBILE.replace(USER_ID, "auth0|gone"),
        /^User auth0\|gone is not on [\d.:]+, so there are no sessions to end/,
      ],
    },
  },
  {
    title: "a user who is gone is done, and said",
    when: { up: { a: signOut("auth0|gone") } },
    then: {
      requests: [
        "DELETE /users/auth0%7Cgone/sessions 404",
        "DELETE /users/auth0%7Cgone/refresh-tokens 404",
        ...lists(),
      ],
      lines: [
        FORESEEN.replace(USER_ID, "auth0|gone"),
        /^User auth0\|gone is not on [\d.:]+, so there are no sessions to end\. Check the id: if it has a typo/,
      ],
    },
  },
  {
    title: "a part that fails keeps no other from ending; the next up does the rest",
    given: { faults: [{ method: "DELETE", path: "*/sessions", times: 10, action: { status: 400 } }] },
    when: { up: { a } },
    then: {
      errors: [/^a: DELETE \/users\/auth0%7C\w+\/sessions answered 400/],
      requests: [sessions(400), tokens(), ...lists(), ...credentials],
      lines: [FORESEEN, DONE.replace("sessions and ", ""), AGAIN("sessions")],
      state: { a: { userId: USER_ID, unfinished: ["sessions"] } },
      removed: ALL,
    },
    next: {
      then: {
        steps: ["update a: "],
        requests: [sessions()],
        lines: [
          `a: permanently ends what an earlier run could not: sessions of user ${USER_ID}`,
          `User ${USER_ID}: ended all sessions.`,
        ],
        state: { a: { userId: USER_ID, unfinished: undefined } },
      },
    },
    sample: true,
  },
  {
    title: "what the tenant has no call for by the next up isn't tried again, and the line says so",
    given: {
      since: [
        failedUp({ a }, { method: "DELETE", path: "*/sessions", times: 10, action: { status: 400 } }),
        ({ tenant }) => tenant.reseed({ behaviour: { user_sessions: "not_served" } }),
      ],
    },
    when: { up: { a } },
    then: {
      requests: [sessions(404), user()],
      lines: [
        `a: permanently ends what an earlier run could not: sessions of user ${USER_ID}`,
        notServed("sessions", "the tenant has no call for it"),
      ],
      state: { a: { unfinished: undefined } },
      removed: ALL,
    },
  },
  {
    title: "an update of state alone counts as no revocation",
    given: { made: { a }, config: { "identity:maxRevocations": "0" } },
    when: { up: { a: signOut(secret(USER_ID) as string) } },
    then: { steps: [/^update a: /], state: { a: { userId: USER_ID } }, removed: ALL },
  },
  {
    title: "a list that the tenant cuts off: what it shows is deleted, the rest by the next up",
    given: {
      tenant: {
        behaviour: { max_page_size: 1, max_numbered_entries: 1 },
        device_credentials: [PHONE, LAPTOP].map((id) => ({ id, type: "refresh_token", user_id: USER_ID })),
      },
    },
    when: { up: { a } },
    then: {
      errors: [/can't be read whole/],
      requests: { writes: 3 },
      lines: [FORESEEN, DONE.replace(", deleted 3 device credentials", ""), AGAIN("device credentials")],
      state: { a: { unfinished: ["deviceCredentials"] } },
      removed: [PHONE, TABLET],
    },
    next: {
      then: {
        requests: { writes: 1 },
        lines: [
          `a: permanently ends what an earlier run could not: device credentials of user ${USER_ID}`,
          `User ${USER_ID}: deleted 1 device credential.`,
        ],
        state: { a: { unfinished: undefined } },
        removed: ALL,
      },
    },
  },
  {
    title: "a credential that fails is left to the next up, the others are removed",
    given: {
      faults: [
        { method: "DELETE", path: `*/device-credentials/${PHONE}`, times: 10, action: { status: 400 } },
      ],
    },
    when: { up: { a } },
    then: {
      errors: [/^a: DELETE \/device-credentials\/dcr_\w+ answered 400/],
      requests: [
        sessions(),
        tokens(),
        ...lists(),
        credential(TABLET),
        credential(PHONE, 400),
        credential(LAPTOP),
      ],
      lines: [FORESEEN, DONE.replace(", deleted 3 device credentials", ""), AGAIN("device credentials")],
      state: { a: { userId: USER_ID, unfinished: ["deviceCredentials"] } },
      removed: [LAPTOP, TABLET],
    },
  },
  {
    title: "a client without the scopes ends nothing, names all of them, and is not in state",
    given: {
      since: ({ tenant }) =>
        tenant.withoutScopes("delete:sessions", "delete:refresh_tokens", "read:device_credentials"),
    },
    when: { up: { a } },
    then: {
      errors: [/^a: .*Grant delete:sessions .*Grant delete:refresh_tokens .*Grant read:device_credentials /],
      requests: [sessions(403), tokens(403), ...lists(403)],
      lines: [FORESEEN],
    },
  },
  {
    title: "a lost answer is asked for again, since ending twice is ending once",
    given: { faults: [{ method: "DELETE", path: "*/sessions", action: { drop: "after" } }] },
    when: { up: { a } },
    then: {
      requests: [sessions(0), sessions(), tokens(), ...lists(), ...credentials],
      lines: [FORESEEN, DONE],
      removed: ALL,
    },
  },
  {
    title: "a lost answer of one client's is done by the next up",
    given: { faults: [{ method: "POST", path: "*/revoke", times: 9, action: { drop: "after" } }] },
    when: { up: { a: ofMobile } },
    then: {
      errors: [/^a: POST \/api\/v2\/refresh-tokens\/revoke .* failed: the connection broke/],
      requests: { writes: 3 },
      lines: [
        FORESEEN_MOBILE,
        `User ${USER_ID}, client mobileApp: deleted 2 device credentials.`,
        AGAIN("refresh tokens"),
      ],
      state: { a: { unfinished: ["refreshTokens"] } },
      removed: [PHONE, TABLET],
    },
    next: {
      then: {
        requests: [revoke()],
        lines: [
          `a: permanently ends what an earlier run could not: refresh tokens of user ${USER_ID}`,
          `User ${USER_ID}, client mobileApp: ended all refresh tokens.`,
        ],
        state: { a: { unfinished: undefined } },
      },
    },
  },
]);

rowsOf("replace", [
  {
    title: "signs the same user out again",
    given: { made: { a }, since: ({ engine }) => engine.taint("a") },
    when: { up: { a } },
    then: {
      steps: ["replace a: id", "delete replaced a"],
      requests: [sessions(), tokens(), ...lists()],
      lines: [FORESEEN, DONE.replace("3 device credentials", "0 device credentials"), STAYS],
      removed: ALL,
    },
  },
]);

rowsOf("read", [
  {
    title: "sends nothing: who has signed in again since is no drift",
    given: { made: { a } },
    when: { refresh: {} },
    then: { steps: [] },
  },
]);

rowsOf("import", [
  {
    title: "refused: a sign-out is an act",
    when: { up: { a: { kind: "UserSignOut", inputs: {}, get: USER_ID } } },
    then: {
      errors: [
        `a: UserSignOut "${USER_ID}" can't be read: the service has no call for it. Declare it in the program.`,
      ],
    },
    notFor: { "the classes": "the class has no get" },
  },
]);

rowsOf("delete", [
  ...damagedRows(
    "a",
    { made: { a }, change: { a } },
    { "UserSignOut is damaged at userId": { userId: {} } },
    { removed: ALL },
  ),
  {
    title: "of what an earlier run could not end, it says so",
    given: {
      since: failedUp({ a }, { method: "DELETE", path: "*/sessions", times: 10, action: { status: 400 } }),
    },
    when: { destroy: {} },
    then: {
      lines: [`${STAYS} An earlier run failed to end the sessions: nothing ends them now.`],
      removed: ALL,
    },
  },
  {
    title: "sends nothing, and says that it can't be undone",
    given: { made: { a } },
    when: { destroy: {} },
    then: { steps: ["delete a"], lines: [STAYS] },
  },
]);

rowsOf("held", [
  {
    title: "as reviewed",
    given: { reviewed: { a } },
    when: { up: { a } },
    then: {
      requests: [sessions(), tokens(), ...lists(), ...credentials],
      lines: [FORESEEN, DONE],
      removed: ALL,
    },
  },
  {
    title: "another user than the reviewed one is refused",
    given: { reviewed: { a: signOut("oidc|partner-directory|2001") } },
    when: { up: { a } },
    then: { errors: [notReviewed(`user ${USER_ID} would be signed out, but`)], lines: [FORESEEN] },
  },
  {
    title: "everything is refused where one client was reviewed",
    given: { reviewed: { a: ofMobile } },
    when: { up: { a } },
    then: { errors: [notReviewed(`user ${USER_ID} would be signed out, but`)], lines: [FORESEEN] },
  },
  {
    title: "the rest of one that failed needs a review of its own, and is done by it",
    given: {
      made: { a },
      since: ({ engine }) => {
        engine.resource("a").outputs["unfinished"] = ["sessions"];
      },
      reviewed: { a },
    },
    when: { up: { a } },
    then: {
      requests: [sessions()],
      lines: [
        `a: permanently ends what an earlier run could not: sessions of user ${USER_ID}`,
        `User ${USER_ID}: ended all sessions.`,
      ],
      state: { a: { unfinished: undefined } },
    },
  },
]);
