/** Unit and engine tests; `npm test` builds first, because the engine loads the package as n8n does: from dist/. */
module.exports = {
  testEnvironment: 'node',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.tools.json' }] },
  testTimeout: 30_000,
};
