import { isRecord, type JsonRecord } from '../../nodes/MessagingSend/api/records';
import { GivenOptions } from '../../nodes/MessagingSend/n8n/input/options';

/** The options of a collection as n8n stores it; unlike n8n, it evaluates no expressions. */
export function givenOptions(collection: JsonRecord): GivenOptions {
  const valueAt = (path: string) =>
    path.split('.').reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), { collection });
  return new GivenOptions('collection', (path, fallback) => valueAt(path) ?? fallback);
}
