import { isRecord, type JsonRecord } from '../../nodes/MessagingSend/api/records';
import { GivenOptions } from '../../nodes/MessagingSend/n8n/input/readOptions';

/** The options in these collections as n8n stores them; unlike n8n, it evaluates no expressions. */
export function givenOptions(options: JsonRecord, requestOptions: JsonRecord = {}): GivenOptions {
  const valueAt = (path: string) =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), { options, requestOptions });
  return new GivenOptions((path, fallback) => valueAt(path) ?? fallback);
}
