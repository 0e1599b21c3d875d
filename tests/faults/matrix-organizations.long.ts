import { testPart } from "./part";

testPart("organizations");
