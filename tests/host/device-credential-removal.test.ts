import {
  LAPTOP_CREDENTIAL_ID as LAPTOP,
  LOST_PHONE_CREDENTIAL_ID as PHONE,
} from "../../simulator/default-seed";
import { Engine, failed, removal, UNKNOWN } from "../../testkit/engine";
import { TOKEN, useTenant } from "../../testkit/tenant";

const tenant = useTenant();
const url = (id: string) => `/device-credentials/${id}`;

test("create: the preview says that it is permanent, the up deletes the credential", async () => {
  const engine = new Engine(tenant);

  const { steps, messages } = await engine.preview({ lost: removal(PHONE) });
  expect(steps).toEqual(["create lost"]);
  expect(messages).toEqual([`lost: permanently removes device credential ${PHONE}`]);
  expect(tenant.sent()).toEqual([]);

  await engine.up({ lost: removal(PHONE) });
  expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url(PHONE)} 204`]);
  expect(tenant.credentials()).not.toContain(PHONE);
  expect(engine.resource("lost")).toMatchObject({
    id: PHONE,
    outputs: { deviceCredentialId: PHONE, tenant: tenant.host },
  });
});

test.each([404, 204] as const)(
  "a credential that is not there counts as removed, and its id is to be checked, where the service answers %i",
  async (status) => {
    tenant.behave({ delete_unknown_device_credential: status });
    await tenant.outside("DELETE", url(PHONE));
    const engine = new Engine(tenant);

    const { messages } = await engine.up({ lost: removal(PHONE) });

    expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url(PHONE)} ${status}`]);
    expect(engine.resource("lost").id).toBe(PHONE);
    if (status === 404)
      expect(messages).toContainEqual(
        expect.stringMatching(/is not on .*, so nothing was removed\. Check the id/),
      );
  },
);

test("refresh, an unchanged up and destroy send nothing", async () => {
  const engine = new Engine(tenant);
  await engine.up({ lost: removal(PHONE) });
  tenant.sent();

  expect((await engine.refresh()).steps).toEqual([]);
  expect((await engine.up({ lost: removal(PHONE) })).steps).toEqual([]);
  const { steps, messages } = await engine.destroy();

  expect(steps).toEqual(["delete lost"]);
  expect(messages).toEqual([expect.stringMatching(/stays deleted.*nothing was sent/)]);
  expect(tenant.sent()).toEqual([]);
  expect(engine.state.size).toBe(0);
});

test("another id removes that credential too, and sends nothing for the first", async () => {
  const engine = new Engine(tenant);
  await engine.up({ lost: removal(PHONE) });
  tenant.sent();

  const { steps, messages } = await engine.preview({ lost: removal(LAPTOP) });
  expect(steps).toEqual(["replace lost: deviceCredentialId", "delete replaced lost"]);
  expect(messages).toContain(`lost: permanently removes device credential ${LAPTOP}`);
  await engine.up({ lost: removal(LAPTOP) });

  expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url(LAPTOP)} 204`]);
  expect(engine.resource("lost").id).toBe(LAPTOP);
});

test("a refused removal names the scope and is tried again by the next up", async () => {
  const engine = new Engine(tenant);
  tenant.withoutScopes("delete:device_credentials");

  const { errors } = await failed(engine.up({ lost: removal(PHONE) }));

  expect(errors).toEqual([expect.stringContaining("Grant delete:device_credentials")]);
  expect(engine.state.size).toBe(0);
  tenant.seed();
  await engine.up({ lost: removal(PHONE) });
  expect(tenant.credentials()).not.toContain(PHONE);
});

test("a lost answer is asked for again, since deleting twice is deleting once", async () => {
  const engine = new Engine(tenant);
  tenant.fail({ method: "DELETE", path: "*", action: { drop: "after" } });

  await engine.up({ lost: removal(PHONE) });

  expect(tenant.sent()).toEqual([TOKEN, `DELETE ${url(PHONE)} 0`, `DELETE ${url(PHONE)} 404`]);
  expect(tenant.credentials()).not.toContain(PHONE);
});

test("an unknown id is planned, without a request", async () => {
  const engine = new Engine(tenant);

  expect((await engine.preview({ lost: removal(UNKNOWN) })).steps).toEqual(["create lost"]);
  await engine.up({ lost: removal(PHONE) });
  tenant.sent();
  expect((await engine.preview({ lost: removal(UNKNOWN) })).steps).toEqual([
    "replace lost: deviceCredentialId",
    "delete replaced lost",
  ]);
  expect(tenant.sent()).toEqual([]);
});
