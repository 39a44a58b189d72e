/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { appendFileSync } from 'node:fs';

/** Prints the result of a command; if it runs in a job on GitHub, also on the job's page. */
export function summarize(result: string): void {
  console.log(result);
  const { GITHUB_STEP_SUMMARY: page } = process.env;
  if (page !== undefined) appendFileSync(page, `${result}\n\n`);
}
