import { wrap } from '../../bin/wording';

test('a paragraph is wrapped at spaces only', () => {
  expect(wrap('one two three', 9)).toEqual(['one two', '  three']);
  expect(wrap('unbreakable', 3)).toEqual(['unbreakable']);
});
