import { split, truncate } from '../../nodes/MessagingSend/delivery/longText';

describe.each([
  ['a family', '👨‍👩‍👧'],
  ['a flag', '🇬🇧'],
  ['a letter with an accent of its own', 'e\u0301'],
  ['a Thai syllable', 'กำ'],
  ['an emoji with a skin tone', '👍🏽'],
])('A cut through %s', (_what, character) => {
  const inside = Array.from(character)
    .slice(1)
    .map((_, index) => index + 1);

  test.each(inside)('after %i of its code points comes before it', (codePoints) => {
    const letters = 'x'.repeat(100 - codePoints);
    expect(truncate(letters + character, 100)).toBe(letters);
    expect(split(`${letters}${character}y`, 100)).toEqual([letters, `${character}y`]);
  });
});

test('A character of more code points than a part can have is cut', () => {
  const marks = 'e\u0301\u0302\u0303\u0304\u0305';
  expect(truncate(marks, 3)).toBe(marks.slice(0, 3));
  expect(split(marks, 3)).toEqual([marks.slice(0, 3), marks.slice(3)]);
});

test('A cut between characters stays where it is', () => {
  const flags = '🇬🇧'.repeat(30);
  expect(truncate('🇬🇧'.repeat(600), 1000)).toBe('🇬🇧'.repeat(500));
  expect(truncate(flags, 20)).toBe('🇬🇧'.repeat(10));
  expect(split(flags, 20)).toEqual(Array(3).fill('🇬🇧'.repeat(10)));
  expect(truncate('x'.repeat(200), 100)).toBe('x'.repeat(100));
});
