import js from '@eslint/js';
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

const noSpreadLiteral = {
  selector: 'SpreadElement > ObjectExpression',
  message: 'Say the properties: to spread an object that is written on the spot only saves lines.',
};

export default tseslint.config(
  {
    ignores: [
      '**/node_modules/**',
      '.cache/**',
      'data/**',
      'console/dist/**',
      'artifacts/**',
      'engine/src/lists/data/**',
    ],
  },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  regexp.configs['flat/recommended'],
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      // There are no enums here (erasable syntax only), and looking for them takes a tenth of the time.
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      // Unions are exhaustive: a forgotten case must not compile, so `default` may not hide one.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { allowDefaultCaseForExhaustiveSwitch: false, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      // A feature adds its tables and settings to an interface of the core.
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 70, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 3],
      'no-console': 'error',
      'no-restricted-syntax': ['error', noSpreadLiteral],
      eqeqeq: 'error',
    },
  },
  {
    // A describe block is a list of promises, not a function with a job.
    files: ['**/*.test.ts'],
    rules: {
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            {
              from: 'package',
              package: 'node:test',
              name: ['test', 'describe', 'it', 'suite', 'before', 'after', 'beforeEach', 'afterEach'],
            },
          ],
        },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    ...tseslint.configs.disableTypeChecked,
  },
  {
    // The service may stand under a path of its host (MAILPROOF_BASE_PATH), and every link then begins with that path.
    files: ['console/src/**/*.tsx'],
    rules: {
      'no-restricted-syntax': [
        'error',
        noSpreadLiteral,
        {
          selector:
            'JSXAttribute[name.name="href"]:matches([value.value=/^\\//], [value.expression.quasis.0.value.raw=/^\\//])',
          message: 'Say pathTo(…): the service may stand under a base path.',
        },
      ],
    },
  },
  {
    // Served to browsers as it is.
    files: ['service/src/features/forms/form.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          ...['document', 'fetch', 'setTimeout', 'clearTimeout'],
          ...['AbortController', 'CustomEvent', 'Event', 'HTMLInputElement', 'URL'],
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
);
