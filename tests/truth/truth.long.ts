import { testWorlds } from "./tier";

testWorlds({ fixed: [12, 188], fresh: [6, 54], changed: [5, 20] });
