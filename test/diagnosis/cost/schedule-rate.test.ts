import { invocationsAMonth } from '../../../diagnosis/cost/monthly-charges';

test.each<[string, number | undefined]>([
  ['rate(1 minute)', 43_200],
  ['rate(5 minutes)', 8_640],
  ['rate(1 hour)', 720],
  ['rate(2 days)', 15],
  ['at(2026-12-24T18:00:00)', 0],
  ['cron(0 9 * * ? *)', 30],
  ['cron(0/5 * * * ? *)', 8_640],
  ['cron(*/15 8-17 * * ? *)', 4 * 10 * 30],
  ['cron(0,30 6 1 * ? *)', 2],
  ['cron(0 6 1,15 JAN ? *)', 2 / 12],
  ['cron(0 6 L * ? *)', 1],
  ['cron(0 6 ? * 2#1 *)', 1],
  ['cron(0 6 ? 1-6 * *)', 15],
  ['rate(0 minutes)', undefined],
  ['rate(1 fortnight)', undefined],
  ['cron(0 9 * * ?)', undefined],
  ['cron(x 9 * * ? *)', undefined],
  ['cron(9-5 9 * * ? *)', undefined],
  ['cron(0/0 9 * * ? *)', undefined],
  ['cron(0 9 * * x *)', undefined],
  ['', undefined],
])('%s', (expression, count) => {
  const found = invocationsAMonth(expression);
  if (count === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(count, 9);
});

test('a day of the week comes about four times a month', () => {
  expect(invocationsAMonth('cron(0 9 ? * MON-FRI *)')).toBeCloseTo((5 * 30) / 7, 9);
});
