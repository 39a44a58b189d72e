import { failure } from '../failures/catalogue';
import { FailureError } from '../failures/failure';

/**
 * Reads the option Default Country Code, the one that can differ from item to item.
 * @returns null where it is not set
 * @throws FailureError if it is not one
 */
export function readCountryCode(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : 'neither';
  const digits = text.replace(/^\s*(?:\+|00)?|\s+$/g, '');
  if (digits === '') return null;
  if (/^[1-9]\d{0,3}$/.test(digits)) return digits;
  throw new FailureError(failure('countryCodeInvalid'));
}
