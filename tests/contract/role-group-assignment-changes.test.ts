import { DELETE } from "./role-group-assignment/delete";
import { UPDATE } from "./role-group-assignment/update";
import { table } from "./table";

table("update", UPDATE);
table("delete", DELETE);
