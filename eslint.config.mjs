import js from "@eslint/js";
import tseslint from "typescript-eslint";

/** Imports go one way: resources, data-sources → pulumi, service → http. */
const mayNotImport = (...folders) => ({
  "no-restricted-imports": [
    "error",
    {
      patterns: [
        {
          group: folders,
          message:
            "Imports go one way: resources, data-sources → pulumi, service → http (see CONTRIBUTING.md).",
        },
      ],
    },
  ],
});

export default tseslint.config(
  { ignores: ["**/dist/", "**/node_modules/"] },
  js.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    },
  },
  {
    files: ["**/*.mjs", "**/*.cjs"],
    languageOptions: {
      globals: {
        process: "readonly",
        console: "readonly",
        URL: "readonly",
        module: "writable",
        require: "readonly",
      },
    },
  },
  {
    files: ["provider/http/**", "provider/service/**"],
    rules: mayNotImport(
      "@pulumi/*",
      "**/pulumi/**",
      "**/resources/**",
      "**/data-sources/**",
      "../index",
      "../runtime",
    ),
  },
  {
    files: ["provider/pulumi/**"],
    rules: mayNotImport("**/resources/**", "**/data-sources/**", "../index", "../runtime"),
  },
  {
    files: ["provider/resources/**", "provider/data-sources/**"],
    rules: mayNotImport("undici", "**/transport*", "../index", "../runtime"),
  },
);
