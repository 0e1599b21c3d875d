import { testWorlds } from "./tier";

testWorlds({ fixed: [40, 360], fresh: [15, 75], changed: [12, 36] });
