import { serviceText } from '../../nodes/MessagingSend/api/serviceText';
import { ODD_VALUES } from './samples';

describe('what the service says is made fit to show', () => {
  test('markup is shown, not rendered', () => {
    expect(serviceText(`<img src=x onerror="alert('1')"> & <script>`)).toBe(
      '&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; &lt;script&gt;',
    );
  });

  test('markup stays harmless where the text is cut', () => {
    for (let before = 280; before < 310; before++) {
      expect(serviceText(`${'x'.repeat(before)}<script>"'&`)).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/);
    }
  });

  test.each([
    ['447700900123', '…23'],
    ['+447700900123', '…23'],
    ['to 447700900123, 447700900124', 'to …23, …24'],
    ['Number 447700900123456789 is wrong', 'Number …89 is wrong'],
    ['code 422 of 2024', 'code 422 of 2024'],
  ])('a phone number keeps its last two digits: %s', (text, shown) => expect(serviceText(text)).toBe(shown));

  test.each([
    '+44 7700 900123',
    '+44-7700-900123',
    '44.7700.900.123',
    '(44) 7700 900123',
    '+44 (0)7700 900123',
    '44\u00a07700\u00a0900123',
  ])('a phone number that is written in groups is masked as well: %s', (number) =>
    expect(serviceText(`Number ${number} is wrong`)).not.toMatch(/7700|9001/),
  );

  test('a phone number that is cut at the end of a long text is masked as well', () => {
    for (let before = 285; before <= 300; before++) {
      expect(serviceText(`${'x'.repeat(before - 1)} 447700900123`)).not.toMatch(/\d{3}/);
    }
  });

  test('a long text is cut', () => {
    expect(serviceText('x'.repeat(300))).toBe('x'.repeat(300));
    expect(serviceText('x'.repeat(301))).toBe(`${'x'.repeat(300)}…`);
    expect(serviceText('x'.repeat(10_000_000))).toBe(`${'x'.repeat(300)}…`);
  });

  test('an object is shown as JSON', () => {
    expect(serviceText({ reason: 'blocked' })).toBe('{&quot;reason&quot;:&quot;blocked&quot;}');
  });

  test.each([null, undefined, 5, true, ['a'], '', '  '])('%j is nothing to show', (value) =>
    expect(serviceText(value)).toBe(''),
  );

  test.each(ODD_VALUES.map((value, index) => [index, value]))('odd value %i never throws', (_index, value) => {
    expect(typeof serviceText(value)).toBe('string');
  });

  test('an object of any depth never throws', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`);
    expect(() => serviceText(deep)).not.toThrow();
  });
});
