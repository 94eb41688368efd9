import { byteLengthOf, firstBytes, isFifoName } from '../../../local/kernel/messaging';

describe('the length of a text', () => {
  test('counts the bytes of one that is made', () => {
    expect(byteLengthOf('für')).toBe(4);
  });

  test('is known of one that is not, without making it', () => {
    const make = jest.fn(() => 'made');
    expect(byteLengthOf({ byteLength: 7, toString: make })).toBe(7);
    expect(make).not.toHaveBeenCalled();
  });
});

test.each([
  ['abc', 3, 'abc'],
  ['abc', 2, 'ab'],
  ['aü', 3, 'aü'],
  ['aü', 2, 'a'],
  ['a東京', 6, 'a東'],
  ['😀', 3, ''],
  ['😀😀', 7, '😀'],
  ['', 0, ''],
  ['ab', 0, ''],
  ['a\ufffdb', 4, 'a\ufffd'],
])('the first bytes of a text of %j, %i at most, are %j: no character is cut in two', (text, most, expected) => {
  expect(firstBytes(text, most)).toBe(expected);
});

test('a FIFO name ends in .fifo, alone or in an ARN', () => {
  expect(['orders.fifo', 'arn:aws:sns:us-east-1:123456789012:orders.fifo'].every(isFifoName)).toBe(true);
  expect(['orders', 'fifo', 'orders.fifo.old'].some(isFifoName)).toBe(false);
});
