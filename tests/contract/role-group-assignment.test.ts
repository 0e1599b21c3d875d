import { CHECK } from "./role-group-assignment/check";
import { CREATE } from "./role-group-assignment/create";
import { DIFF } from "./role-group-assignment/diff";
import { IMPORT } from "./role-group-assignment/import";
import { READ } from "./role-group-assignment/read";
import { table } from "./table";

// Few files, because loading takes longer than most tables; three, so that no core waits for one.
table("check", CHECK);
table("diff", DIFF);
table("create", CREATE);
table("read", READ);
table("import", IMPORT);
