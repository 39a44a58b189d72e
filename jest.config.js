const { availableParallelism } = require('node:os');

/** Unit and engine tests; `npm test` builds first, because the engine loads the package as n8n does: from dist/. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // These run in real n8n, by Node's own runner: npm run test:e2e.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
  // Stryker's copy of the project, while it runs.
  modulePathIgnorePatterns: ['<rootDir>/.stryker-tmp/'],
  // Types are checked by lint: with `isolatedModules`, as there, a file is only translated.
  transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.tools.json' }] },
  testTimeout: 30_000,
  // More than processors: some files mostly wait, for a limit, a timeout or n8n's database.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // Of the random numbers in test/exhaustive: --seed repeats them.
  showSeed: true,
};
