import { testWorlds } from "./tier";

testWorlds({ fixed: [12, 188], fresh: [8, 52], changed: [5, 20] });
