import js from '@eslint/js';
import tseslint from 'typescript-eslint';

// Only database/transactions.ts may begin transactions. Only exceptionCode of adapters/failures reads codes of errors.
const transactions = {
  selector: "CallExpression[callee.property.name='transaction']",
  message: 'Use inTransaction of database/transactions.ts.',
};
const errorCodes = {
  selector: "MemberExpression[property.name='code']",
  message: 'Use errorKindOf of database/errors.ts.',
};

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'test/bench/', '.scratch/'] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: './test/tsconfig.json' },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/array-type': ['error', { default: 'generic' }],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/explicit-module-boundary-types': 'off',
      // The contract has getPet until 5 December 2030. Embedders get a warning, but this code still uses it.
      '@typescript-eslint/no-deprecated': ['error', { allow: ['getPet', 'handleGetPet', 'GetPet'] }],
      // Allows an empty interface that extends a type. An editor shows its name, but shows the definition of an alias.
      '@typescript-eslint/no-empty-object-type': ['error', { allowInterfaces: 'with-single-extends' }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      'no-console': 'error',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    extends: [tseslint.configs.disableTypeChecked],
    languageOptions: {
      globals: {
        exports: 'writable',
        module: 'writable',
        ...Object.fromEntries(
          ['AbortSignal', 'URL', 'console', 'fetch', 'performance', 'process'].map((name) => [
            name,
            'readonly',
          ]),
        ),
      },
    },
  },
  {
    files: ['core/**'],
    rules: {
      // The core gets the time, randomness and everything outside of it only through arguments and ports.
      'no-restricted-globals': [
        'error',
        ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Date', 'performance'],
        ...['crypto', 'process', 'console', 'fetch', 'AbortController'],
      ],
      'no-restricted-properties': ['error', { object: 'Math', property: 'random' }],
    },
  },
  {
    files: ['adapters/knex/**', 'app/store/**'],
    ignores: ['adapters/knex/database/transactions.ts'],
    rules: {
      'no-restricted-globals': ['error', 'setTimeout', 'setInterval'],
      'no-restricted-imports': ['error', { name: 'node:timers/promises', importNames: ['setTimeout'] }],
      'no-restricted-syntax': ['error', transactions, errorCodes],
    },
  },
  {
    files: ['adapters/knex/database/transactions.ts'],
    rules: { 'no-restricted-syntax': ['error', errorCodes] },
  },
  {
    files: ['adapters/knex/database/errors.ts'],
    rules: { 'no-restricted-syntax': ['error', transactions] },
  },
  {
    files: ['test/**/*.{ts,mts,cts}'],
    rules: {
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.property.name='restoreAll'], CallExpression[callee.object.property.name='timers'][callee.property.name='reset']",
          message:
            'Use mock.reset(): mocks that are only restored come back at the next restoreAll, also in another file.',
        },
      ],
    },
  },
  {
    // A promise that a test leaves pending may fail during a test of another file, or end mocha's worker between files.
    files: ['test/**/*.test.ts'],
    rules: { '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: false }] },
  },
  {
    files: ['test/examples/**'],
    rules: {
      'no-console': 'off',
      // A TaskEither must return a promise, even if it waits for nothing.
      '@typescript-eslint/require-await': 'off',
    },
  },
);
