import { byteLengthOf } from '../../../local/kernel/late-text';

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
