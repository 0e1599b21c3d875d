import { testWorlds } from "./tier";

testWorlds({ fixed: [0, 150], fresh: [0, 50], changed: [0, 24] }, 90_000);
