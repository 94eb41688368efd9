import { hasColor, isDrawn, widthOf } from '../../../bin/shared/terminal-settings';

test.each([
  ['auto', true, {}, true],
  ['auto', false, {}, false],
  ['auto', true, { NO_COLOR: '1' }, false],
  ['auto', true, { NO_COLOR: '' }, true],
  ['auto', true, { TERM: 'dumb' }, false],
  ['auto', false, { FORCE_COLOR: '1' }, true],
  ['auto', false, { FORCE_COLOR: '1', TERM: 'dumb' }, true],
  ['auto', true, { FORCE_COLOR: '0' }, false],
  ['auto', true, { FORCE_COLOR: 'false' }, false],
  ['auto', true, { FORCE_COLOR: '' }, true],
  ['auto', false, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ['always', false, { NO_COLOR: '1', TERM: 'dumb' }, true],
  ['never', true, { FORCE_COLOR: '1' }, false],
] as const)('--color %s, on a terminal %s, with %j: %s', (choice, isTTY, environment, expected) => {
  expect(hasColor(choice, isTTY, environment)).toBe(expected);
});

test.each([
  [80, {}, 80],
  [80, { COLUMNS: '120' }, 120],
  [undefined, { COLUMNS: '40' }, 40],
  [undefined, {}, undefined],
  [0, {}, undefined],
  [80, { COLUMNS: '3' }, 20],
  [80, { COLUMNS: '-3' }, 80],
  [undefined, { COLUMNS: 'wide' }, undefined],
])('a terminal of %s columns with %j is %s wide', (columns, environment, expected) => {
  expect(widthOf(columns, environment)).toBe(expected);
});

test('a dumb terminal is not drawn on', () => {
  expect([isDrawn(true, { TERM: 'xterm' }), isDrawn(true, { TERM: 'dumb' }), isDrawn(false, {})]).toEqual([
    true,
    false,
    false,
  ]);
});
