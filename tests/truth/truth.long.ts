import { testWorlds } from "./tier";

testWorlds({ fixed: [150, 250], fresh: [50, 50], changed: [24, 24] }, 10 * 60_000);
