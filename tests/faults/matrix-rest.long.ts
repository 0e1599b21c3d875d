import { testPart } from "./part";

testPart("rest");
