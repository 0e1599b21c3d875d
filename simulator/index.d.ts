// For TypeScript with "moduleResolution": "node", which does not know the "exports" of package.json. There is
// no "main" or "types" there: the tests of this repository import this folder, and mean its sources.
export * from "./dist/index";
