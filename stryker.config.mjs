/** `npm run test:mutants -- <files>`: changes one thing after another in these files, and lists what no test notices. */
export default {
  testRunner: 'jest',
  coverageAnalysis: 'perTest',
  // What a module makes as it loads is covered by no test in particular.
  ignoreStatic: true,
  // The engine loads dist/: this makes it of the mutated sources.
  buildCommand: 'npm run build',
  // The build compares the tables of numbers and time zones with what they are made from, to the letter.
  disableTypeChecks: 'nodes/**/!(numberingPlan|zoneTable).ts',
  ignorePatterns: ['/dist', '/docs/*.{png,webp}'],
  jest: {
    enableFindRelatedTests: false,
    config: {
      ...(await import('./jest.config.js')).default,
      runner: '<rootDir>/test/mutants/jestRunner.cjs',
      testMatch: ['<rootDir>/test/{unit,engine}/**/*.test.ts'],
    },
  },
  concurrency: 2,
  reporters: ['clear-text', 'progress-append-only'],
  clearTextReporter: { logTests: false, allowColor: false },
};
