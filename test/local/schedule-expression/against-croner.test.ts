import { Cron } from 'croner';
import fc from 'fast-check';
import { nextOccurrence, parseRuleSchedule, TimeZone } from '../../../local/schedule-expression';

/** What both AWS and croner write alike. Croner counts weekdays as AWS does when told to, and wants seconds in front. */
const CRONER = { paused: true, alternativeWeekdays: true } as const;

const within = (min: number, max: number) => fc.integer({ min, max }).map(String);

/** A field of one number, a list, a range, a stepped range or everything. */
function field(min: number, max: number) {
  const range = fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(pair => {
    const [from = min, to = max] = [...pair].sort((a, b) => a - b);
    return `${from}-${to}`;
  });
  const step = fc.integer({ min: 2, max: 6 });
  return fc.oneof(
    fc.constant('*'),
    within(min, max),
    range,
    fc.tuple(within(min, max), within(min, max)).map(pair => pair.join(',')),
    step.map(every => `*/${every}`),
    fc.tuple(range, step).map(([all, every]) => `${all}/${every}`),
  );
}

const dayOfMonth = fc.oneof(field(1, 31), fc.constantFrom('L', 'LW', '1W', '15W', '28W'));
const dayOfWeek = fc.oneof(field(1, 7), fc.constantFrom('MON-FRI', 'SUN', '6L', '2L', '3#2', '7#5', '1#1'));
const days = fc.oneof(
  dayOfMonth.map(day => [day, '?'] as const),
  dayOfWeek.map(day => ['?', day] as const),
);
const expressions = fc
  .tuple(field(0, 59), field(0, 23), days, field(1, 12))
  .map(([minute, hour, [monthDay, weekday], month]) => [minute, hour, monthDay, month, weekday] as const);

function ours(fields: readonly string[], zoneName: string, fromMs: number): number[] {
  const [expression, zone] = [parseRuleSchedule(`cron(${fields.join(' ')} *)`), TimeZone.named(zoneName)];
  if (!expression || !zone) throw new Error(`not valid: ${fields.join(' ')} in ${zoneName}`);
  const found: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const next = nextOccurrence(expression, { startMs: fromMs, zone }, found.at(-1) ?? fromMs);
    if (next === undefined) break;
    found.push(next);
  }
  return found;
}

function croners(fields: readonly string[], timezone: string, fromMs: number): number[] {
  const cron = new Cron(`0 ${fields.join(' ')}`, { ...CRONER, timezone });
  return cron.nextRuns(4, new Date(fromMs)).map(run => run.getTime());
}

// Where clocks are never put, for there croner and AWS differ.
test.each(['UTC', 'Asia/Tokyo', 'Asia/Kolkata'])('in %s, cron expressions occur when croner says so', zone => {
  const from = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) });
  fc.assert(
    fc.property(expressions, from, (fields, fromMs) => {
      expect(ours(fields, zone, fromMs)).toEqual(croners(fields, zone, fromMs));
    }),
    { numRuns: 300, seed: 7 },
  );
});
