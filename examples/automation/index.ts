import { onboard } from "./onboard";

/*
 * Onboards one customer, and tells the progress. A service of your own calls `onboard` in the same way.
 * IDENTITY_DOMAIN, IDENTITY_CLIENT_ID, IDENTITY_CLIENT_SECRET and PULUMI_CONFIG_PASSPHRASE are in the
 * environment:
 *
 *   npx tsx index.ts example rol_4hNkVx8QmTz2bRcW grp_5BmRd9aSj2WqTgFx7cUkEn
 */
const [name = "", roleId = "", ...groupIds] = process.argv.slice(2);

onboard({ name, roleId, groupIds }, (line) => console.log(line)).then(
  (profileId) => console.log(`done: profile ${profileId}`),
  (error: unknown) => {
    console.error(`failed: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  },
);
