import { testWorlds } from "./tier";

testWorlds({ fixed: [0, 12], fresh: [0, 6], changed: [0, 5] });
