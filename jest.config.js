/** Unit and engine tests; `npm test` builds first, because the engine loads the package as n8n does: from dist/. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/{bench,test}/**/*.test.ts'],
  // These run in real n8n, by Node's own runner: npm run test:e2e.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
  transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.tools.json' }] },
  testTimeout: 30_000,
};
