import { serviceText } from '../../nodes/MessagingSend/api/serviceText';

describe('Text from the service', () => {
  test('has its markup escaped where it is cut', () => {
    for (let before = 280; before < 310; before++) {
      expect(serviceText(`${'x'.repeat(before)}<script>"'&`)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    }
  });

  test.each([
    ['with its markup escaped', `<img onerror="alert('1')"> & <b>`, `&lt;img onerror="alert('1')"&gt; &amp; &lt;b&gt;`],
    ['with the last two digits of a phone number', '447700900123', '…23'],
    ['with the last two digits of each', 'to +447700900123, 447700900124', 'to …23, …24'],
    ['without invisible characters', 'Number \u202e44\u200b7700\ufeff900123 is wrong', 'Number …23 is wrong'],
    ['with its short numbers', 'code 422 of 2024', 'code 422 of 2024'],
    ...[null, undefined, 5, true, ['a'], '', '  '].map((value) => ['empty if it is no text', value, '']),
  ])('is shown %s: %j', (_how, value, shown) => expect(serviceText(value)).toBe(shown));

  test.each(['+44 7700 900123', '44.7700-900.123', '+44 (0)7700 900123', '44\u00a07700\u00a0900123'])(
    'has a phone number masked that is written in groups: %s',
    (number) => expect(serviceText(`Number ${number} is wrong`)).not.toMatch(/7700|9001/),
  );

  test('has a phone number masked that is cut at its end', () => {
    for (let before = 285; before <= 300; before++) {
      expect(serviceText(`${'x'.repeat(before - 1)} 447700900123`)).not.toMatch(/\d{3}/);
    }
  });

  test('is cut after 300 characters', () => {
    expect(serviceText('x'.repeat(300))).toBe('x'.repeat(300));
    expect(serviceText('x'.repeat(301))).toBe(`${'x'.repeat(300)}…`);
    expect(serviceText('x'.repeat(10_000_000))).toBe(`${'x'.repeat(300)}…`);
  });
});
