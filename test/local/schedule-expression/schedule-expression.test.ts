import { Cron } from 'croner';
import fc from 'fast-check';
import {
  nextOccurrence,
  parseRuleSchedule,
  parseSchedule,
  type ScheduleExpression,
  TimeZone,
} from '../../../local/schedule-expression/schedule-expression';

describe('schedule expression', () => {
  function zone(name: string): TimeZone {
    const found = TimeZone.named(name);
    if (!found) throw new Error(`no time zone ${name}`);
    return found;
  }

  /** The first instants of a schedule after another. */
  function occurrences(text: string, after: string, count = 3, zoneName = 'UTC', start = after): string[] {
    const expression: ScheduleExpression | undefined = parseSchedule(text);
    if (!expression) throw new Error(`not valid: ${text}`);
    const when = { startMs: Date.parse(start), zone: zone(zoneName) };
    const found: string[] = [];
    for (let afterMs = Date.parse(after); found.length < count; afterMs = Date.parse(found.at(-1) ?? '')) {
      const next = nextOccurrence(expression, when, afterMs);
      if (next === undefined) break;
      found.push(new Date(next).toISOString().replace(':00.000Z', 'Z'));
    }
    return found;
  }

  /** 2026-01-01 is a Thursday. */
  const NEW_YEAR = '2026-01-01T00:00:00Z';

  describe('a cron expression', () => {
    // The examples of the EventBridge User Guide, "Cron expressions reference".
    test.each([
      ['0 10 * * ? *', ['2026-01-01T10:00Z', '2026-01-02T10:00Z', '2026-01-03T10:00Z']],
      ['15 12 * * ? *', ['2026-01-01T12:15Z', '2026-01-02T12:15Z', '2026-01-03T12:15Z']],
      ['0 18 ? * MON-FRI *', ['2026-01-01T18:00Z', '2026-01-02T18:00Z', '2026-01-05T18:00Z']],
      ['0 8 1 * ? *', ['2026-01-01T08:00Z', '2026-02-01T08:00Z', '2026-03-01T08:00Z']],
      ['0/15 * * * ? *', ['2026-01-01T00:15Z', '2026-01-01T00:30Z', '2026-01-01T00:45Z']],
      ['0/10 * ? * MON-FRI *', ['2026-01-01T00:10Z', '2026-01-01T00:20Z', '2026-01-01T00:30Z']],
      ['0/5 8-17 ? * MON-FRI *', ['2026-01-01T08:00Z', '2026-01-01T08:05Z', '2026-01-01T08:10Z']],
      ['0/30 20-2 ? * MON-FRI *', ['2026-01-01T00:30Z', '2026-01-01T01:00Z', '2026-01-01T01:30Z']],
      ['5,35 14 * * ? *', ['2026-01-01T14:05Z', '2026-01-01T14:35Z', '2026-01-02T14:05Z']],
      ['15 10 ? * 6L 2026-2027', ['2026-01-30T10:15Z', '2026-02-27T10:15Z', '2026-03-27T10:15Z']],
      // "1/10 … the 11th, 21st, and 31st minute"
      ['1/10 * * * ? *', ['2026-01-01T00:01Z', '2026-01-01T00:11Z', '2026-01-01T00:21Z']],
      // "3#2 would be the second Tuesday of the month"
      ['0 0 ? * 3#2 *', ['2026-01-13T00:00Z', '2026-02-10T00:00Z', '2026-03-10T00:00Z']],
      ['0 0 ? * 6#5 *', ['2026-01-30T00:00Z', '2026-05-29T00:00Z', '2026-07-31T00:00Z']],
      // "3W specifies the weekday closest to the third day of the month": 3 January 2026 is a Saturday
      ['0 0 3W * ? *', ['2026-01-02T00:00Z', '2026-02-03T00:00Z', '2026-03-03T00:00Z']],
      // 1 February and 1 March 2026 are Sundays, 1 August a Saturday.
      ['0 0 1W FEB,AUG ? *', ['2026-02-02T00:00Z', '2026-08-03T00:00Z', '2027-02-01T00:00Z']],
      ['0 0 31W * ? *', ['2026-01-30T00:00Z', '2026-03-31T00:00Z', '2026-05-29T00:00Z']],
      ['0 0 L * ? *', ['2026-01-31T00:00Z', '2026-02-28T00:00Z', '2026-03-31T00:00Z']],
      ['0 0 LW * ? *', ['2026-01-30T00:00Z', '2026-02-27T00:00Z', '2026-03-31T00:00Z']],
      ['0 0 L-3 * ? *', ['2026-01-28T00:00Z', '2026-02-25T00:00Z', '2026-03-28T00:00Z']],
      ['0 0 ? * L *', ['2026-01-03T00:00Z', '2026-01-10T00:00Z', '2026-01-17T00:00Z']],
      ['0 0 ? * 1 *', ['2026-01-04T00:00Z', '2026-01-11T00:00Z', '2026-01-18T00:00Z']],
      ['0 0 ? * FRI-MON *', ['2026-01-02T00:00Z', '2026-01-03T00:00Z', '2026-01-04T00:00Z']],
      ['0 0 29 2 ? *', ['2028-02-29T00:00Z', '2032-02-29T00:00Z', '2036-02-29T00:00Z']],
      ['0 0 30 2 ? *', []],
      ['0 0 1 1 ? 2199', ['2199-01-01T00:00Z']],
      ['0 0 1 1 ? 2020', []],
      // Without a year, as EventBridge Scheduler accepts it.
      ['0 10 * * ?', ['2026-01-01T10:00Z', '2026-01-02T10:00Z', '2026-01-03T10:00Z']],
    ])('cron(%s)', (fields, expected) => {
      expect(occurrences(`cron(${fields})`, NEW_YEAR)).toEqual(expected);
    });

    it('does not occur before the start', () => {
      const found = occurrences('cron(0 10 * * ? *)', NEW_YEAR, 1, 'UTC', '2026-03-01T10:00:00Z');
      expect(found).toEqual(['2026-03-01T10:00Z']);
    });
  });

  describe('daylight saving', () => {
    it('skips in spring what the clocks leave out', () => {
      // Clocks in New York change from 2:00 to 3:00 on 8 March 2026.
      const found = occurrences('cron(30 2 * * ? *)', '2026-03-07T00:00:00Z', 3, 'America/New_York');
      expect(found).toEqual(['2026-03-07T07:30Z', '2026-03-09T06:30Z', '2026-03-10T06:30Z']);
    });

    it('runs once in autumn at a time the clocks show twice', () => {
      const found = occurrences('cron(30 1 * * ? *)', '2026-10-31T00:00:00Z', 3, 'America/New_York');
      expect(found).toEqual(['2026-10-31T05:30Z', '2026-11-01T05:30Z', '2026-11-02T06:30Z']);
    });

    it('runs for the first time on the next day if it begins in the hour that clocks repeat', () => {
      const found = occurrences('cron(30 1 * * ? *)', '2026-11-01T06:10:00Z', 1, 'America/New_York');
      expect(found).toEqual(['2026-11-02T06:30Z']);
    });

    it('knows clocks that are put by half an hour', () => {
      // Clocks on Lord Howe Island change from 2:00 to 2:30 on 4 October 2026, and from UTC+10:30 to UTC+11.
      const found = occurrences('cron(15 2 * * ? *)', '2026-10-02T00:00:00Z', 3, 'Australia/Lord_Howe');
      expect(found).toEqual(['2026-10-02T15:45Z', '2026-10-04T15:15Z', '2026-10-05T15:15Z']);
    });

    it('moves a one-time schedule that does not exist behind the gap', () => {
      expect(occurrences('at(2026-03-08T02:30:00)', NEW_YEAR, 2, 'America/New_York')).toEqual(['2026-03-08T07:30Z']);
    });

    it('leaves a rate alone: a day has 24 hours', () => {
      const found = occurrences('rate(1 day)', '2026-03-07T07:00:00Z', 2, 'America/New_York');
      expect(found).toEqual(['2026-03-08T07:00Z', '2026-03-09T07:00Z']);
    });
  });

  describe('a rate', () => {
    it('counts from its start, from any instant on', () => {
      expect(occurrences('rate(5 minutes)', '2026-01-01T00:07:00Z', 2, 'UTC', NEW_YEAR)).toEqual([
        '2026-01-01T00:10Z',
        '2026-01-01T00:15Z',
      ]);
    });

    it('occurs first at a start that is yet to come', () => {
      expect(occurrences('rate(2 hours)', NEW_YEAR, 2, 'UTC', '2026-02-01T00:30:00Z')).toEqual([
        '2026-02-01T00:30Z',
        '2026-02-01T02:30Z',
      ]);
    });
  });

  describe('a schedule that happens once', () => {
    it('is read in its time zone', () => {
      expect(occurrences('at(2026-07-01T12:00:00)', NEW_YEAR, 2, 'Europe/Berlin')).toEqual(['2026-07-01T10:00Z']);
    });

    it('does not happen when it is past', () => {
      expect(occurrences('at(2025-07-01T12:00)', NEW_YEAR)).toEqual([]);
    });
  });

  describe('an expression that is not valid', () => {
    // Recorded on AWS: CreateSchedule and PutRule reject each of these.
    const BOTH = [
      'cron(0 1 * * * *)',
      'cron(7 20 * * NOT *)',
      'cron(INVALID)',
      'cron(0 dummy ? * MON-FRI *)',
      'cron(71 8 1 * ? *)',
      'cron()',
      'cron(0 1 ? * ? *)',
      'cron(0 0 1#2 * ? *)',
      'cron(0 0 ? * 3#6 *)',
      'cron(0 0 ? * 3#1,6#3 *)',
      'cron(0/0 * * * ? *)',
      'cron(0 24 * * ? *)',
      'cron(0 0 32 * ? *)',
      'cron(0 0 1 13 ? *)',
      'cron(0 0 ? * 8 *)',
      'rate(10 seconds)',
      'rate(10 years)',
      'rate()',
      'rate(10)',
      'rate(10 minutess)',
      'rate(foo minutes)',
      'rate(0 minutes)',
      'rate(-10 minutes)',
      'rate( 10 minutes )',
      ' rate(10 minutes)',
      'every(5 minutes)',
      '',
    ];
    test.each(BOTH)('%j is one neither for a rule nor for a schedule', text => {
      expect([parseRuleSchedule(text), parseSchedule(text)]).toEqual([undefined, undefined]);
    });

    test.each([
      'rate(1 minutes)',
      'rate(10 minute)',
      'rate(10 MINUTES)',
      'cron(0 10 * * ?)',
      'at(2026-01-01T00:00:00)',
    ])('%j is one for a rule alone', text => {
      expect(parseRuleSchedule(text)).toBeUndefined();
      expect(parseSchedule(text)).toBeDefined();
    });

    test.each(['at(2021-12-31T23:59:59Z)', 'at(2021-12-31)', 'at(2026-06-31T00:00:00)', 'at(2026-01-01 00:00:00)'])(
      '%j is one for a schedule that happens once',
      text => {
        expect(parseSchedule(text)).toBeUndefined();
      },
    );
  });

  it('refuses an unknown time zone', () => {
    expect(TimeZone.named('Mars/Olympus_Mons')).toBeUndefined();
  });
});

describe('against croner', () => {
  /** What both AWS and croner write alike. Croner counts weekdays as AWS does with the right option, and requires seconds first. */
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

  // Only zones without daylight saving time, because croner and AWS differ when clocks change.
  test.each(['UTC', 'Asia/Tokyo', 'Asia/Kolkata'])('in %s, cron expressions occur when croner says so', zone => {
    const from = fc.integer({ min: Date.UTC(2024, 0, 1), max: Date.UTC(2030, 0, 1) });
    fc.assert(
      fc.property(expressions, from, (fields, fromMs) => {
        expect(ours(fields, zone, fromMs)).toEqual(croners(fields, zone, fromMs));
      }),
      { numRuns: 300, seed: 7 },
    );
  });
});
