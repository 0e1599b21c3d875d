import { testWorlds } from "./tier";

testWorlds({ fixed: [12, 48], fresh: [6, 34], changed: [5, 20] });
