import { testPart } from "./part";

testPart("profiles");
