import { HELD } from "./role-group-assignment/held";
import { MAX_REVOCATIONS } from "./role-group-assignment/max-revocations";
import { table } from "./table";

table("held", HELD);
table("maxRevocations", MAX_REVOCATIONS);
