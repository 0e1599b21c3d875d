import { type BehaviourInput } from "../../simulator/index";
import { caller } from "../../testkit/test-client";
import { useSimulator } from "../../testkit/simulator";

const SCOPES = "read:sessions delete:sessions read:refresh_tokens delete:refresh_tokens";

const simulator = useSimulator();
const api = caller(simulator, "all");
beforeEach(() => seed());

function seed(behaviour: BehaviourInput = {}) {
  simulator.seed({
    tokens: [
      { access_token: "all", scope: SCOPES },
      { access_token: "reader", scope: "read:sessions read:refresh_tokens" },
    ],
    users: [{ user_id: "u1" }, { user_id: "u2" }],
    sessions: [
      { id: "s1", user_id: "u1" },
      { id: "s2", user_id: "u2" },
      { id: "s3", user_id: "u1" },
    ],
    refresh_tokens: [
      { id: "t1", user_id: "u1", client_id: "c1" },
      { id: "t2", user_id: "u1", client_id: "c2" },
      { id: "t3", user_id: "u2", client_id: "c1" },
    ],
    behaviour,
  });
}

const left = () => {
  const { sessions, refresh_tokens } = simulator.state();
  return [...sessions, ...refresh_tokens].map(({ id }) => id);
};

test("lists a user's own, page by page", async () => {
  expect((await api("GET", "/users/u1/sessions")).body).toEqual({
    sessions: [
      { id: "s1", user_id: "u1" },
      { id: "s3", user_id: "u1" },
    ],
  });
  const { body } = await api("GET", "/users/u1/refresh-tokens?take=1");
  expect(body).toMatchObject({ tokens: [{ id: "t1" }] });
  const next = encodeURIComponent((body as { next: string }).next);
  expect((await api("GET", `/users/u1/refresh-tokens?take=1&from=${next}`)).body).toEqual({
    tokens: [{ id: "t2", user_id: "u1", client_id: "c2" }],
  });
});

test("deletes a user's own, or those of one client", async () => {
  expect(await api("DELETE", "/users/u1/sessions")).toMatchObject({ status: 202 });
  expect(left()).toEqual(["s2", "t1", "t2", "t3"]);
  expect(await api("POST", "/refresh-tokens/revoke", { user_id: "u1", client_id: "c2" })).toMatchObject({
    status: 202,
  });
  expect(left()).toEqual(["s2", "t1", "t3"]);
  expect(await api("DELETE", "/users/u1/refresh-tokens")).toMatchObject({ status: 202 });
  expect(left()).toEqual(["s2", "t3"]);
});

test("refuses what it must", async () => {
  const reader = caller(simulator, "reader");
  expect(await reader("DELETE", "/users/u1/sessions")).toMatchObject({ status: 403 });
  expect(await reader("DELETE", "/users/u1/refresh-tokens")).toMatchObject({ status: 403 });
  expect(await api("DELETE", "/users/nobody/sessions")).toMatchObject({
    status: 404,
    body: { errorCode: "inexistent_user" },
  });
  expect(await api("POST", "/refresh-tokens/revoke", { client_id: "c2" })).toMatchObject({
    status: 400,
  });
});

test("a tenant without the calls, or without the plan for them", async () => {
  seed({ user_sessions: "not_served" });
  expect(await api("DELETE", "/users/u1/sessions")).toMatchObject({ status: 404 });
  seed({ user_sessions: "not_entitled" });
  expect(await api("GET", "/users/u1/refresh-tokens")).toMatchObject({
    status: 403,
    body: { errorCode: "insufficient_entitlement" },
  });
  expect(left()).toHaveLength(6);
});
