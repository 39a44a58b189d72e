import js from '@eslint/js';
import prettier from 'eslint-config-prettier';
import jest from 'eslint-plugin-jest';
import simpleImportSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

const TYPESCRIPT = ['**/*.ts'];
const JAVASCRIPT = ['**/*.{cjs,js,mjs}'];

/** Tests that Jest runs; those in test/e2e are for Node's own runner. */
const JEST_TESTS = ['test/**/*.test.ts'];
const NODE_TESTS = ['test/e2e/**'];

/** The package's folders from top to bottom. An import leads down, or stays in its folder; never up, never sideways. */
const LAYERS = [
  ['resources', 'trigger'],
  ['n8n'],
  ['delivery', 'questions'],
  ['journal', 'requests'],
  ['messages'],
  ['api', 'phone'],
  ['failures'],
];

/** These work on plain data: what they need of n8n, of the clock or of the network is given to them. */
const WITHOUT_N8N = ['delivery', 'questions', 'journal', 'phone', 'messages', 'api', 'failures'];
const WITHOUT_CLOCK = ['delivery', 'questions', 'journal', 'phone', 'messages', 'failures'];

/** Folders that a folder does not import from: what several need is in tools/, and for tests in test/support/. */
const APART = {
  sandbox: ['nodes', 'dev', 'demo', 'pictures', 'release', 'bench', 'test'],
  tools: ['nodes', 'sandbox', 'dev', 'demo', 'pictures', 'release', 'bench', 'test'],
  // It makes a table of numbers with the package's own reading of patterns.
  'tools/numbering': ['sandbox', 'dev', 'demo', 'pictures', 'release', 'bench', 'test'],
  dev: ['demo', 'pictures', 'release', 'bench', 'test'],
  demo: ['dev', 'pictures', 'release', 'bench', 'test'],
  pictures: ['dev', 'demo', 'release', 'bench', 'test'],
  release: ['dev', 'demo', 'pictures', 'bench', 'test'],
  bench: ['dev', 'demo', 'pictures', 'release', 'test'],
  test: ['dev', 'pictures', 'bench'],
};

/** Files are named without an ending: what runs them (tsc, tsx, ts-jest) finds them all the same. */
const ONE_STYLE = { regex: '^\\.{1,2}/.*\\.(js|mjs|ts|mts)$', message: 'Name files without their ending.' };

export default tseslint.config(
  {
    ignores: ['dist/**', '.stryker-tmp/**', 'docs/**', 'examples/**', 'package-lock.json', 'tsconfig*.json'],
  },
  {
    files: [...TYPESCRIPT, ...JAVASCRIPT],
    extends: [js.configs.recommended],
    plugins: { 'simple-import-sort': simpleImportSort },
    rules: {
      eqeqeq: 'error',
      'simple-import-sort/imports': 'error',
      'simple-import-sort/exports': 'error',
      'no-restricted-imports': ['error', { patterns: [ONE_STYLE] }],
    },
  },
  {
    files: TYPESCRIPT,
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: 'tsconfig.tools.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/array-type': ['error', { default: 'array-simple' }],
      // Only an alias can be assigned to a type with an index signature, such as JSON.
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // `() => list.push(x)` is this code's way of saying that nobody looks at the result.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-floating-promises': [
        'error',
        // Node's test runner waits for them itself. `describe` is another name of `suite` there.
        {
          allowForKnownSafeCalls: [
            { from: 'file', path: 'node_modules/@types/node/test.d.ts', name: ['suite', 'test'] },
          ],
        },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // A field that is left out of a copy is named beside the rest.
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    files: JAVASCRIPT,
    languageOptions: {
      globals: {
        console: 'readonly',
        module: 'readonly',
        exports: 'readonly',
        process: 'readonly',
        require: 'readonly',
        Buffer: 'readonly',
      },
    },
  },

  // Runs in the browser.
  {
    files: ['sandbox/inbox/inbox.js'],
    languageOptions: {
      sourceType: 'script',
      globals: {
        document: 'readonly',
        location: 'readonly',
        fetch: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        URLSearchParams: 'readonly',
      },
    },
  },

  ...LAYERS.flat().map(layerRules),

  {
    files: JEST_TESTS,
    ignores: NODE_TESTS,
    extends: [jest.configs['flat/recommended']],
    rules: {
      'jest/consistent-test-it': ['error', { fn: 'test', withinDescribe: 'test' }],
      // A property fails its test through fast-check's assert.
      'jest/expect-expect': ['error', { assertFunctionNames: ['expect', 'fc.assert'] }],
    },
  },

  ...Object.entries(APART).map(([folder, others]) => ({
    files: [`${folder}/**`],
    rules: { 'no-restricted-imports': ['error', { patterns: [ONE_STYLE, ...others.map(apart)] }] },
  })),
  prettier,
);

function apart(folder) {
  return {
    regex: `^(\\.\\./)+${folder}(/|$)`,
    message: 'What several folders need is in tools/, and for tests in test/support/.',
  };
}

/** What a folder of the package may import. */
function layerRules(folder) {
  const own = LAYERS.findIndex((layer) => layer.includes(folder));
  const others = LAYERS.flatMap((layer, index) => (index > own ? [] : layer.filter((name) => name !== folder)));
  const patterns = [
    ONE_STYLE,
    {
      regex: `^(\\.\\./)+(?:(?:${others.join('|')})(?:/|$)|MessagingSend)`,
      message: `Dependencies point down: ${folder}/ does not know what is above or beside it.`,
    },
    ...(WITHOUT_N8N.includes(folder) ? [{ regex: '^n8n-', message: `${folder}/ works without n8n.` }] : []),
  ];
  const clock = { message: `${folder}/ works without a clock.` };
  return {
    files: [`nodes/MessagingSend/${folder}/**`],
    rules: {
      'no-restricted-imports': ['error', { patterns }],
      ...(WITHOUT_CLOCK.includes(folder) && {
        'no-restricted-globals': ['error', { name: 'performance', ...clock }],
        'no-restricted-properties': ['error', { object: 'Date', property: 'now', ...clock }],
      }),
    },
  };
}
