import { type DeviceCredentialType, getDeviceCredentials, UnexpectedAnswerError } from "../../provider";
import { type SeedInput, type Simulator } from "../../simulator";
import { failure, startTenant, stopTenants, USER_ID } from "./tenant";

afterEach(stopTenants);

const args = { userId: USER_ID };
type Credential = NonNullable<SeedInput["device_credentials"]>[number];

const start = (device_credentials: Credential[]) => startTenant({ device_credentials });

const id = (index: number) => `dcr_${String(index).padStart(16, "0")}`;
const credential = (index: number, fields: Partial<Credential> = {}): Credential => ({
  id: id(index),
  type: "refresh_token",
  user_id: USER_ID,
  ...fields,
});
const idsOf = ({ deviceCredentials }: { deviceCredentials: { id: string }[] }) =>
  deviceCredentials.map((each) => each.id);

const page = (type: DeviceCredentialType, index = 0) =>
  `GET /api/v2/device-credentials?user_id=${encodeURIComponent(USER_ID)}&type=${type}&page=${index}` +
  "&per_page=100&include_totals=true 200";
const log = (tenant: Simulator) => tenant.log().sort();

test("without a type, credentials of all three types are listed, the rotating ones too", async () => {
  const tenant = await start([
    credential(3, { type: "refresh_token" }),
    credential(1, { type: "rotating_refresh_token" }),
    credential(2, { type: "public_key" }),
    credential(4, { user_id: "auth0|somebody-else" }),
  ]);
  const found = await getDeviceCredentials(args);
  expect(found.deviceCredentials.map(({ id, type }) => [id, type])).toEqual([
    [id(1), "rotating_refresh_token"],
    [id(2), "public_key"],
    [id(3), "refresh_token"],
  ]);
  expect(log(tenant)).toEqual([page("public_key"), page("refresh_token"), page("rotating_refresh_token")]);
});

test("with a type, only that one is asked for, and calls for the same user share the request", async () => {
  const tenant = await start([
    credential(1, { type: "rotating_refresh_token" }),
    credential(2, { type: "public_key" }),
  ]);
  const [keys, all, rotating] = await Promise.all([
    getDeviceCredentials({ ...args, type: "public_key" }),
    getDeviceCredentials(args),
    getDeviceCredentials({ ...args, type: "rotating_refresh_token" }),
  ]);
  expect(idsOf(keys)).toEqual([id(2)]);
  expect(idsOf(all)).toEqual([id(1), id(2)]);
  expect(idsOf(rotating)).toEqual([id(1)]);
  expect(log(tenant)).toEqual([page("public_key"), page("refresh_token"), page("rotating_refresh_token")]);
});

test("a credential has every documented field, and nothing that could be a secret", async () => {
  await start([
    credential(1, {
      device_name: "lost phone",
      device_id: "550e8400-e29b-41d4-a716-446655440000",
      client_id: "mobileApp",
      last_used: "2025-06-02T14:05:11.000Z",
      value: "the-key-itself",
      refresh_token: "the-token-itself",
    }),
    credential(2, { last_used: { of: "another type" } }),
    credential(3, { device_name: null, device_id: null, last_used: null }),
  ]);
  expect((await getDeviceCredentials(args)).deviceCredentials).toEqual([
    {
      id: id(1),
      type: "refresh_token",
      userId: USER_ID,
      clientId: "mobileApp",
      deviceName: "lost phone",
      deviceId: "550e8400-e29b-41d4-a716-446655440000",
      lastUsed: "2025-06-02T14:05:11.000Z",
    },
    { id: id(2), type: "refresh_token", userId: USER_ID },
    { id: id(3), type: "refresh_token", userId: USER_ID },
  ]);
});

test.each([
  ["of another user", { user_id: "auth0|somebody-else" }, "user_id: not the user who was asked for"],
  ["of another type", { type: "public_key" }, "type: not the type that was asked for"],
  ["without an id", { id: null }, "id: "],
  [
    "with an id that is none of its kind",
    { id: "grp_7TqWc2nYx5RkHbVd9sPmZa" },
    "id: must be the id of a device",
  ],
])("a credential %s is not believed", async (_, fields, problem) => {
  const tenant = await start([]);
  const body = { device_credentials: [{ ...credential(1), ...fields }], total: 1 };
  tenant.fail({ action: { status: 200, body } });
  const error = await failure(getDeviceCredentials({ ...args, type: "refresh_token" }));
  expect(error).toBeInstanceOf(UnexpectedAnswerError);
  expect(error.message).toContain(problem);
  expect(error.message).not.toContain("somebody-else");
});

test("a user who does not exist has none", async () => {
  await start([]);
  expect(await getDeviceCredentials(args)).toEqual({ deviceCredentials: [] });
});
