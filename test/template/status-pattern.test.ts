import { matchesStatus } from '../../template/status-pattern';

test.each<[string, string, boolean | undefined]>([
  [String.raw`4(?!00|29)\d{2}`, '404', true],
  [String.raw`4(?!00|29)\d{2}`, '400', false],
  ['4|5', '500', false],
  ['(4|5)..', '503', true],
  ['(a+)+$', '503', false],
  // These would take minutes.
  ['(((.?){50}){50}){50}x', '503', undefined],
  [`${'.?'.repeat(5_000)}x`, '503', undefined],
  ['(?i)x', '503', undefined],
])('the pattern %.30s of a status, for %s: %s', (pattern, status, isMatch) => {
  expect(matchesStatus(pattern, status)).toBe(isMatch);
});
