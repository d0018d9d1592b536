import js from "@eslint/js";

const ERRORS = [
  ...["array-callback-return", "eqeqeq", "no-duplicate-imports", "no-else-return", "no-eval", "no-implied-eval", "no-lonely-if"],
  ...["no-new-func", "no-param-reassign", "no-return-assign", "no-self-compare", "no-shadow", "no-template-curly-in-string"],
  ...["no-unneeded-ternary", "no-unused-expressions", "no-useless-concat", "no-useless-rename", "no-useless-return", "no-var"],
  ...["object-shorthand", "prefer-arrow-callback", "prefer-const", "prefer-object-spread", "prefer-template", "require-await"],
];

export default [
  { ignores: ["**/.venv*/", "build/", "site/"] },
  js.configs.recommended,
  { rules: { ...Object.fromEntries(ERRORS.map((rule) => [rule, "error"])), "no-undef": "off" } }, // tsc knows all names
];
