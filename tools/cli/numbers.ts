/* eslint-disable -- not in the package: eslint.project.mjs has this file's rules */
import { InvalidArgumentError } from 'commander';

/** Reads the value of an option. */
export function wholeNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return Number(text);
}
