import { Tenant } from "../host/tenant";
import { GROUP_BILLING, GROUP_CONTRACTORS } from "../../simulator/default-seed";
import { expectGolden } from "./review/golden";
import { review } from "./review/review";
import { Stack } from "./stack";

/* A real preview of 1,000 changes: irreversible ones must not get lost in a comment. */

jest.setTimeout(420_000);

const tenant = new Tenant();
let stack: Stack;

/** 900 assignments, 60 profiles and 40 removals. */
const PROGRAM = `
const { ConnectionProfile, DeviceCredentialRemoval, RoleGroupAssignment } = require("pulumi-identity");
const number = (index) => String(index).padStart(16, "0");
for (let i = 0; i < 900; i++)
  new RoleGroupAssignment("assignment-" + i, {
    roleId: "rol_" + number(i),
    groupIds: [i % 2 ? "${GROUP_BILLING}" : "${GROUP_CONTRACTORS}"],
  });
for (let i = 0; i < 60; i++) new ConnectionProfile("profile-" + i, { name: "profile-" + i });
for (let i = 0; i < 40; i++)
  new DeviceCredentialRemoval("removal-" + i, { deviceCredentialId: "dcr_" + number(i) });
`;

beforeAll(async () => {
  await tenant.open();
  tenant.seed();
  stack = await Stack.create({ seconds: 400, program: PROGRAM });
  await stack.config("identity:domain", tenant.url);
});

afterAll(async () => {
  stack.remove();
  await tenant.close();
});

test("1,000 creates: a comment of at most 60,000 characters, and all of them as text", async () => {
  const preview = await stack.preview({ json: true });
  expect(preview).toMatchObject({ code: 0 });
  const text = preview.stdout.replaceAll(tenant.url, "tenant.example.com");

  const { stdout, json } = await review([text]);
  expect(stdout.length).toBeLessThanOrEqual(60_000);
  expect(json).toMatchObject({ counts: { gains: 900, created: 60, removals: 40, unknown: 0 } });
  expectGolden("many.md", stdout);

  const all = (await review([text], "--format", "text")).stdout;
  expect([...all.matchAll(/ ➕ gains /g)]).toHaveLength(900);
});
