// Checks the rules of this repository that no linter knows: workflows, versions, examples, pages, sources.
// Each broken one is printed. A step of `npm run check`.
// node --import tsx scripts/rules/index.ts
import "./contributing";
import "./examples";
import "./pages";
import "./pipelines";
import "./readme";
import "./schema";
import "./sdks";
import "./sources";
import "./upstream";
import "./versions";
import "./workflows";
import { problems } from "./rule";

for (const problem of problems) console.error(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;
else console.log("All rules hold.");
