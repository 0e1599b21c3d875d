import { testWorlds } from "./tier";

testWorlds({ fixed: [0, 75], fresh: [0, 25], changed: [0, 12] }, 90_000);
