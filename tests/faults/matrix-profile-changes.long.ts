import { testPart } from "./part";

testPart("profile-changes");
