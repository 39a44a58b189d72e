import { plainPath, valueAt } from '../../nodes/MessagingSend/n8n/plainExpression';

test.each([
  ['={{ $json.phone }}', ['phone']],
  ['={{$json.phone}}', ['phone']],
  ['={{\n  $json.body.contact_1 \n}}', ['body', 'contact_1']],
  ['={{ $json["phone number"] }}', ['phone number']],
  ["={{ $json['phone number'] }}", ['phone number']],
  ['={{ $json.list[0].phone }}', ['list', 0, 'phone']],
  ['={{ $json[""] }}', ['']],
])('%s only names a field', (parameter, path) => expect(plainPath(parameter)).toEqual(path));

test.each([
  ['a fixed text', '{{ $json.phone }}'],
  ['text around it', '=+{{ $json.phone }}'],
  ['a space around it', '={{ $json.phone }} '],
  ['two expressions', '={{ $json.phone }}{{ $json.name }}'],
  ['a call', '={{ $json.phone.trim() }}'],
  ['a calculation', '={{ $json.phone + 1 }}'],
  ['an optional step', '={{ $json?.phone }}'],
  ['an escape', '={{ $json["\\x70hone"] }}'],
  ['another node', '={{ $("Form").item.json.phone }}'],
  ['the whole item', '={{ $json }}'],
  ['a template', '={{ $json[`phone`] }}'],
  ['a computed step', '={{ $json[$json.field] }}'],
  ['a number', 447700900123],
  ['nothing', undefined],
])('%s is left to n8n', (_what, parameter) => expect(plainPath(parameter)).toBeNull());

test.each([
  ['a text', { a: { b: 'x' } }, 'x'],
  ['an empty text', { a: { b: '' } }, ''],
  ['a number', { a: { b: 0 } }, 0],
  ['no', { a: { b: false } }, false],
])('finds %s', (_what, json, value) => expect(valueAt(json, ['a', 'b'])).toBe(value));

test.each([
  ['null', { a: { b: null } }],
  ['a missing field', { a: {} }],
  ['a missing object', {}],
  ['an inherited name', { a: Object.create({ b: 'x' }) as object }],
  ['a list', { a: { b: ['x'] } }],
  ['a field of a text', { a: 'text' }],
  ['a date', { a: new Date(0) }],
  ['an object that n8n shows otherwise', { a: { b: 'x', toJSON: () => ({ b: 'y' }) } }],
])('%s is left to n8n', (_what, json) => expect(valueAt(json, ['a', 'b'])).toBeUndefined());
