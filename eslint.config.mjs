import js from "@eslint/js";
import tseslint from "typescript-eslint";

/** Each is a program of its own. */
export const PROJECTS = [
  "tsconfig.json",
  "page/tsconfig.json",
  "template/tsconfig.json",
  "examples/tsconfig.json",
];

export default tseslint.config(
  {
    ignores: [
      "**/dist/",
      "**/dist.new/",
      "site/",
      "**/node_modules/",
      "examples/*/bin/",
      // The package that it is about is not installed here: its test checks the types.
      "examples/auth0-roles/",
      "simulator/index.d.ts",
      // VitePress writes them while it builds the site, which may be at the same time.
      "**/*.timestamp-*.mjs",
    ],
  },
  js.configs.recommended,
  {
    // Prettier keeps code to this width, and leaves comments alone. Indented lines of a comment are tables
    // and samples.
    rules: {
      "max-len": ["error", { code: 1000, comments: 110, ignoreUrls: true, ignorePattern: "^ *\\* {3}" }],
    },
  },
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        project: PROJECTS,
        tsconfigRootDir: import.meta.dirname,
      },
    },
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
    files: ["provider/**/*.ts", "cli/**/*.ts", "page/**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked],
    rules: {
      "@typescript-eslint/no-shadow": ["error", { ignoreOnInitialization: true }],
      complexity: ["error", { max: 12, variant: "modified" }],
      "@typescript-eslint/max-params": ["error", { max: 4 }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Programs in JavaScript give what the types exclude.
      "@typescript-eslint/no-unnecessary-condition": "off",
    },
  },
  {
    files: ["testkit/**/*.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: "/tests/",
              message: "Move what both need here: tests stand on testkit/, and not the other way round.",
            },
          ],
        },
      ],
    },
  },
  {
    // Every text leaves the process through the border.
    files: ["provider/**"],
    ignores: ["provider/border.ts"],
    rules: { "no-console": "error" },
  },
);
