import { testPart } from "./part";

testPart("exclusive-roles");
