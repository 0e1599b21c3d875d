import { testWorlds } from "./tier";

testWorlds({ fixed: [75, 325], fresh: [25, 75], changed: [12, 36] }, 10 * 60_000);
