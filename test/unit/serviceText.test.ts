import { serviceText } from '../../nodes/MessagingSend/api/serviceText';

describe('Text from the service', () => {
  test('has its markup escaped', () => {
    expect(serviceText(`<img src=x onerror="alert('1')"> & <script>`)).toBe(
      `&lt;img src=x onerror="alert('1')"&gt; &amp; &lt;script&gt;`,
    );
  });

  test('has its markup escaped where it is cut', () => {
    for (let before = 280; before < 310; before++) {
      expect(serviceText(`${'x'.repeat(before)}<script>"'&`)).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/);
    }
  });

  test.each([
    ['447700900123', '…23'],
    ['to +447700900123, 447700900124', 'to …23, …24'],
    ['Number \u202e44\u200b7700\ufeff900123 is wrong', 'Number …23 is wrong'],
    ['code 422 of 2024', 'code 422 of 2024'],
  ])('has only the last two digits of a phone number: %s', (text, shown) => expect(serviceText(text)).toBe(shown));

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

  test.each([null, undefined, 5, true, ['a'], '', '  '])('is empty if the service sent %j', (value) =>
    expect(serviceText(value)).toBe(''),
  );
});
