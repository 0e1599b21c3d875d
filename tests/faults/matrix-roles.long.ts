import { testPart } from "./part";

testPart("roles");
