export * from "../sentence";
