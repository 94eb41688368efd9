import { dollarsFor, PRICES, PRICES_CHECKED_ON, pricePage } from '../../../diagnosis/cost/price-list';

test('every price is above zero, and has a page of AWS', () => {
  for (const { service, dollars, per } of Object.values(PRICES)) {
    expect(dollars).toBeGreaterThan(0);
    expect(per).toBeGreaterThanOrEqual(1);
    expect(pricePage(service)).toMatch(/^https:\/\/aws\.amazon\.com\/[\w-]+\/pricing\/$/);
  }
});

test('the prices have the day of their look-up', () => {
  expect(PRICES_CHECKED_ON).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(Number.isNaN(Date.parse(PRICES_CHECKED_ON))).toBe(false);
});

/** The examples of AWS's pages. */
test.each([
  ['alarmMetric', 4, 0.4],
  ['queueRequest', 648_000, 0.2592],
  ['keyRequest', 10_000, 0.03],
  ['emailDelivery', 1_000_000, 20],
  ['armGigabyteSecond', 75_000, 1.000005],
] as const)('%s: %d units', (price, units, dollars) => {
  expect(dollarsFor(price, units)).toBeCloseTo(dollars, 6);
});
