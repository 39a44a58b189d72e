import { plainPath, valueAt } from '../../nodes/MessagingSend/n8n/input/itemParameters';

test.each([
  ['A fixed text', '{{ $json.phone }}'],
  ['Text around it', '=+{{ $json.phone }}'],
  ['A space around it', '={{ $json.phone }} '],
  ['A call', '={{ $json.phone.trim() }}'],
  ['A calculation', '={{ $json.phone + 1 }}'],
  ['An optional step', '={{ $json?.phone }}'],
  ['An escape', '={{ $json["\\x70hone"] }}'],
  ['Another node', '={{ $("Form").item.json.phone }}'],
  ['The whole item', '={{ $json }}'],
  ['A computed step', '={{ $json[$json.field] }}'],
  ['Nothing', undefined],
])('%s is evaluated by n8n', (_what, parameter) => expect(plainPath(parameter)).toBeNull());

test.each([
  ['Null', { a: { b: null } }],
  ['An inherited name', { a: Object.create({ b: 'x' }) as object }],
  ['An object that n8n shows otherwise', { a: { b: 'x', toJSON: () => ({ b: 'y' }) } }],
])('%s is read from an item by n8n', (_what, json) => expect(valueAt(json, ['a', 'b'])).toBeUndefined());
