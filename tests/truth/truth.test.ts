import { testWorlds } from "./tier";

testWorlds({ fixed: [0, 40], fresh: [0, 15], changed: [0, 12] });
