/**
 * Jest's runner for `npm run test:mutants`. Stryker names the tests that a mutant may fail, and Jest would load every file
 * to look for them. This one runs only the files that have them, and stops at the first that fails: those that have
 * killed most mutants come first, then the fastest.
 */
const { readFileSync, writeFileSync } = require('node:fs');

const { default: TestRunner } = require('jest-runner');

/** What the run without a mutant has found in each file; in Stryker's copy of the project. */
const KNOWN = 'tests-by-file.json';

/** By file. */
const kills = new Map();

module.exports = class extends TestRunner {
  async runTests(tests, watcher, options) {
    if (process.env.__STRYKER_ACTIVE_MUTANT__ === undefined) await this.learn(tests, watcher, options);
    else await this.kill(tests, watcher, options);
  }

  async learn(tests, watcher, options) {
    const known = {};
    this.on('test-file-success', ([{ path }, { testResults, perfStats }]) => {
      known[path] = { names: testResults.map(({ fullName }) => fullName), ms: perfStats.runtime };
    });
    await super.runTests(tests, watcher, options);
    writeFileSync(KNOWN, JSON.stringify(known));
  }

  async kill(tests, watcher, options) {
    const known = JSON.parse(readFileSync(KNOWN, 'utf8'));
    const pattern = new RegExp(this._globalConfig.testNamePattern ?? '', 'i');
    const killsOf = ({ path }) => kills.get(path) ?? 0;
    const chosen = tests
      .filter(({ path }) => known[path]?.names.some((name) => pattern.test(name)))
      .sort((one, other) => killsOf(other) - killsOf(one) || known[one.path].ms - known[other.path].ms);
    let isKilled = false;
    this.on('test-file-success', ([test, { numFailingTests }]) => {
      if (numFailingTests === 0) return;
      isKilled = true;
      kills.set(test.path, killsOf(test) + 1);
    });
    for (const test of chosen) {
      if (!isKilled) await super.runTests([test], watcher, options);
    }
  }
};
