import { CHECK } from "./role-group-assignment/check";
import { CREATE } from "./role-group-assignment/create";
import { DELETE } from "./role-group-assignment/delete";
import { DIFF } from "./role-group-assignment/diff";
import { HELD } from "./role-group-assignment/held";
import { IMPORT } from "./role-group-assignment/import";
import { MAX_REVOCATIONS } from "./role-group-assignment/max-revocations";
import { READ } from "./role-group-assignment/read";
import { UPDATE } from "./role-group-assignment/update";
import { table } from "./table";

// One file, because loading takes longer than most tables.
table("check", CHECK);
table("diff", DIFF);
table("create", CREATE);
table("update", UPDATE);
table("read", READ);
table("import", IMPORT);
table("delete", DELETE);
table("held", HELD);
table("maxRevocations", MAX_REVOCATIONS);
