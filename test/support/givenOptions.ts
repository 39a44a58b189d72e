import { isObject, type JsonObject } from '../../nodes/MessagingSend/api/objects';
import { GivenOptions } from '../../nodes/MessagingSend/n8n/input/readOptions';

/** The options in these collections as n8n stores them; unlike n8n, it evaluates no expressions. */
export function givenOptions(options: JsonObject, requestOptions: JsonObject = {}): GivenOptions {
  const valueAt = (path: string) =>
    path
      .split('.')
      .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), { options, requestOptions });
  return new GivenOptions((path, fallback) => valueAt(path) ?? fallback);
}
