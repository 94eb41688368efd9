import fc from 'fast-check';
import { fill, only } from '../../../local/logs/actions/read-log-events';
import { EventList, type LogEvent } from '../../../local/logs/log-events';
import { DAY_MS, HOUR_MS } from '../../../policy/time-units';
import { errorOf, LogsFixture, START_MS } from './fixture';

const GROUP = '/rental';

function world(...streams: readonly string[]) {
  const it = new LogsFixture();
  it.createGroup(GROUP, ...(streams.length > 0 ? streams : ['one']));
  return it;
}

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html */
describe('PutLogEvents', () => {
  const at = (it: LogsFixture) => it.logs.events(GROUP, { fromMs: 0 }).map(({ message }) => message);

  it('puts events at their own times, among those that are there', () => {
    const it = world();
    it.put(GROUP, 'one', [-1000, 'b'], [0, 'd']);
    it.put(GROUP, 'one', [-2000, 'a'], [-1000, 'c']);
    expect(at(it)).toEqual(['a', 'b', 'c', 'd']);
    expect(it.call('FilterLogEvents', { logGroupName: GROUP }).events).toMatchObject([
      { message: 'a', timestamp: START_MS - 2000, ingestionTime: START_MS },
      { message: 'b' },
      { message: 'c' },
      { message: 'd' },
    ]);
  });

  it('leaves out what is too old, expired or too new, and says from where to where', () => {
    const it = world();
    const answer = it.put(GROUP, 'one', [-14 * DAY_MS - 1, 'too old'], [-14 * DAY_MS, 'just old enough']);
    expect(answer.rejectedLogEventsInfo).toEqual({ tooOldLogEventEndIndex: 1 });
    const later = it.put(GROUP, 'one', [0, 'now'], [2 * HOUR_MS, 'just not too new'], [2 * HOUR_MS + 1, 'too new']);
    expect(later.rejectedLogEventsInfo).toEqual({ tooNewLogEventStartIndex: 2 });
    it.call('PutRetentionPolicy', { logGroupName: GROUP, retentionInDays: 1 });
    const expired = it.put(GROUP, 'one', [-DAY_MS - 2, 'x'], [-DAY_MS - 1, 'y'], [-DAY_MS, 'kept']);
    expect(expired.rejectedLogEventsInfo).toEqual({ expiredLogEventEndIndex: 2 });
    expect(at(it)).toEqual(['kept', 'now', 'just not too new']);
  });

  it('returns no rejections when there are none, and a token without meaning', () => {
    const answer = world().put(GROUP, 'one', [0, 'x']);
    expect(answer).not.toHaveProperty('rejectedLogEventsInfo');
    expect(answer.nextSequenceToken).toMatch(/^\d{56}$/);
  });

  const many = (count: number, message: string) => Array.from({ length: count }, () => [0, message] as const);

  test.each<[what: string, events: readonly (readonly [number, string])[], message: string]>([
    [
      'an empty batch',
      [],
      "at 'logEvents' failed to satisfy constraint: Member must have length greater than or equal to 1",
    ],
    ['10,001 events', many(10_001, 'x'), 'Member must have length less than or equal to 10000'],
    [
      'events out of order',
      [
        [0, 'a'],
        [-1, 'b'],
      ],
      'Log events in a single PutLogEvents request must be in chronological order.',
    ],
    [
      'more than a day',
      [
        [-DAY_MS, 'a'],
        [1, 'b'],
      ],
      'The batch of log events in a single PutLogEvents request cannot span more than 24 hours.',
    ],
    ['an empty message', [[0, '']], "at 'logEvents.1.member.message'"],
    [
      'a message of more than 1 MiB with its 26 bytes',
      [[0, 'x'.repeat(1_048_551)]],
      'Log event too large: 1048577 bytes exceeds limit of 1048576',
    ],
    [
      'more than 1 MiB in all',
      many(4, 'ü'.repeat(131_072)),
      'Upload too large: 1048680 bytes exceeds limit of 1048576',
    ],
    ['a time before time', [[-START_MS - 1, 'x']], 'Member must have value greater than or equal to 0'],
  ])('refuses %s', (_, events, message) => {
    const it = world();
    const error = errorOf(() => it.put(GROUP, 'one', ...events));
    expect(error.code).toBe('InvalidParameterException');
    expect(error.message).toContain(message);
    expect(at(it)).toEqual([]);
  });

  it('takes 10,000 events, and 1 MiB to the byte', () => {
    const it = world();
    expect(it.put(GROUP, 'one', ...many(10_000, 'x'))).not.toHaveProperty('rejectedLogEventsInfo');
    expect(it.put(GROUP, 'one', [0, 'x'.repeat(1_048_550)])).not.toHaveProperty('rejectedLogEventsInfo');
    expect(at(it)).toHaveLength(10_001);
  });

  test.each([
    ['/none', 'one', 'The specified log group does not exist.'],
    [GROUP, 'none', 'The specified log stream does not exist.'],
  ])('into %s, %s is refused', (group, stream, message) => {
    expect(errorOf(() => world().put(group, stream, [0, 'x']))).toEqual({
      code: 'ResourceNotFoundException',
      message,
    });
  });
});

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogEvents.html */
describe('GetLogEvents', () => {
  const get = (it: LogsFixture, input: object) =>
    it.call('GetLogEvents', { logGroupName: GROUP, logStreamName: 'one', ...input });
  const messages = ({ events = [] }: ReturnType<typeof get>) => events.map(({ message }) => message);

  function five() {
    const it = world('one', 'other');
    it.put(GROUP, 'other', [0, 'not of this stream']);
    it.put(GROUP, 'one', [0, 'a'], [1, 'b'], [1, 'c'], [2, 'd'], [3, 'e']);
    return it;
  }

  it('answers the latest events in their order, unless it is to start at the head', () => {
    const it = five();
    expect(messages(get(it, {}))).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(messages(get(it, { limit: 2 }))).toEqual(['d', 'e']);
    expect(messages(get(it, { limit: 2, startFromHead: true }))).toEqual(['a', 'b']);
  });

  it('goes both ways by its tokens, also between events of one millisecond, and stays at the ends', () => {
    const it = five();
    const first = get(it, { limit: 2, startFromHead: true });
    const second = get(it, { limit: 2, nextToken: first.nextForwardToken });
    expect(messages(second)).toEqual(['c', 'd']);
    expect(messages(get(it, { limit: 2, nextToken: second.nextBackwardToken }))).toEqual(['a', 'b']);
    const third = get(it, { limit: 2, nextToken: second.nextForwardToken });
    expect(messages(third)).toEqual(['e']);
    const end = get(it, { limit: 2, nextToken: third.nextForwardToken });
    expect(messages(end)).toEqual([]);
    expect(end.nextForwardToken).toBe(third.nextForwardToken);
    expect(messages(get(it, { nextToken: first.nextBackwardToken }))).toEqual([]);
    expect(get(it, { nextToken: first.nextBackwardToken }).nextBackwardToken).toBe(first.nextBackwardToken);
  });

  it('finds what has come since by the token of an empty page', () => {
    const it = world();
    const empty = get(it, {});
    expect(messages(empty)).toEqual([]);
    it.put(GROUP, 'one', [0, 'new']);
    expect(messages(get(it, { nextToken: empty.nextForwardToken }))).toEqual(['new']);
  });

  it('begins at startTime and ends before endTime', () => {
    const it = five();
    expect(messages(get(it, { startTime: START_MS + 1, endTime: START_MS + 3 }))).toEqual(['b', 'c', 'd']);
    expect(messages(get(it, { startTime: START_MS + 3, endTime: START_MS }))).toEqual([]);
  });

  it('answers a megabyte at most', () => {
    const it = world();
    for (let i = 0; i < 3; i += 1) it.put(GROUP, 'one', [0, String(i).repeat(400_000)]);
    const first = get(it, { startFromHead: true });
    expect(first.events).toHaveLength(2);
    expect(get(it, { nextToken: first.nextForwardToken }).events).toHaveLength(1);
  });

  it('names its group by ARN, too, and only once', () => {
    const it = five();
    const arn = `arn:aws:logs:us-east-1:123456789012:log-group:${GROUP}`;
    const by = (input: object) => it.call('GetLogEvents', { logStreamName: 'one', ...input }).events;
    expect(by({ logGroupIdentifier: arn })).toHaveLength(5);
    expect(by({ logGroupIdentifier: GROUP })).toHaveLength(5);
    for (const input of [{}, { logGroupName: GROUP, logGroupIdentifier: arn }]) {
      expect(errorOf(() => by(input)).code).toBe('InvalidParameterException');
    }
  });

  test.each([{ limit: 0 }, { limit: 10_001 }, { nextToken: 'garbage' }, { nextToken: 'f/1/s' }])(
    'refuses %j',
    input => {
      expect(errorOf(() => get(five(), input)).code).toBe('InvalidParameterException');
    },
  );

  it('gives every event once, whatever the page and whichever way', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 6 }), { maxLength: 6 }),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        (batches, limit, startFromHead) => {
          const it = world();
          for (const [i, times] of batches.entries()) {
            const sorted = [...times].sort((a, b) => a - b);
            it.put(GROUP, 'one', ...sorted.map((ms, j) => [ms, `event ${i}.${j}`] as const));
          }
          const found: (string | undefined)[] = [];
          let page = get(it, { limit, startFromHead });
          while (page.events?.length) {
            const inOrder = messages(page);
            if (startFromHead) found.push(...inOrder);
            else found.unshift(...inOrder);
            page = get(it, { limit, nextToken: startFromHead ? page.nextForwardToken : page.nextBackwardToken });
          }
          expect(found).toEqual(it.logs.events(GROUP).map(({ message }) => message));
          expect(found).toHaveLength(batches.flat().length);
        },
      ),
    );
  });
});

/** @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html */
describe('FilterLogEvents', () => {
  const filter = (it: LogsFixture, input: object = {}) => it.call('FilterLogEvents', { logGroupName: GROUP, ...input });
  const messages = ({ events = [] }: ReturnType<typeof filter>) => events.map(({ message }) => message);

  function three() {
    const it = world('web-1', 'web-2', 'worker');
    it.put(GROUP, 'web-1', [0, 'a ERROR'], [20, 'd']);
    it.put(GROUP, 'web-2', [10, 'b'], [30, 'e ERROR']);
    it.put(GROUP, 'worker', [15, 'c ERROR']);
    return it;
  }

  it('answers the events of all streams in the order of their times', () => {
    const it = three();
    expect(messages(filter(it))).toEqual(['a ERROR', 'b', 'c ERROR', 'd', 'e ERROR']);
    expect(filter(it, { limit: 1 }).events).toEqual([
      {
        eventId: expect.stringMatching(/^\d{56}$/),
        timestamp: START_MS,
        ingestionTime: START_MS,
        logStreamName: 'web-1',
        message: 'a ERROR',
      },
    ]);
  });

  it('takes streams by name or by prefix, a span of time with both its ends, and a pattern', () => {
    const it = three();
    expect(messages(filter(it, { logStreamNames: ['web-1', 'worker'] }))).toEqual(['a ERROR', 'c ERROR', 'd']);
    expect(messages(filter(it, { logStreamNamePrefix: 'web' }))).toEqual(['a ERROR', 'b', 'd', 'e ERROR']);
    expect(messages(filter(it, { startTime: START_MS + 10, endTime: START_MS + 20 }))).toEqual(['b', 'c ERROR', 'd']);
    expect(messages(filter(it, { filterPattern: 'ERROR' }))).toEqual(['a ERROR', 'c ERROR', 'e ERROR']);
    expect(filter(it, { filterPattern: 'NOTHING' })).toEqual({ events: [], searchedLogStreams: [] });
  });

  it('pages both ways, and gives no token on the last page', () => {
    const it = three();
    const first = filter(it, { filterPattern: 'ERROR', limit: 2 });
    expect(messages(first)).toEqual(['a ERROR', 'c ERROR']);
    it.put(GROUP, 'worker', [1, 'between ERROR'], [40, 'late ERROR']);
    const second = filter(it, { filterPattern: 'ERROR', limit: 2, nextToken: first.nextToken });
    expect(messages(second)).toEqual(['e ERROR', 'late ERROR']);
    expect(second).not.toHaveProperty('nextToken');
    const newest = filter(it, { startFromHead: false, startTime: START_MS, limit: 2 });
    expect(messages(newest)).toEqual(['late ERROR', 'e ERROR']);
    const older = filter(it, { startTime: START_MS, limit: 9, nextToken: newest.nextToken });
    expect(messages(older)).toEqual(['d', 'c ERROR', 'b', 'between ERROR', 'a ERROR']);
    expect(older).not.toHaveProperty('nextToken');
  });

  test.each<[input: object, code: string]>([
    [{ logStreamNames: ['web-1'], logStreamNamePrefix: 'web' }, 'InvalidParameterException'],
    [{ logStreamNames: ['nobody'] }, 'ResourceNotFoundException'],
    [{ filterPattern: '{ $.a }' }, 'InvalidParameterException'],
    [{ limit: 0 }, 'InvalidParameterException'],
    [{ nextToken: 'x' }, 'InvalidParameterException'],
    [{ startFromHead: false }, 'InvalidParameterException'],
  ])('refuses %j', (input, code) => {
    expect(errorOf(() => filter(three(), input)).code).toBe(code);
  });
});

describe('the streams of a group', () => {
  it('are created once, listed by name or by their last event, and deleted with their events', async () => {
    const it = world('b', 'a', 'c');
    it.put(GROUP, 'a', [0, 'x'], [10, 'y']);
    await it.advance(5);
    it.put(GROUP, 'c', [0, 'z']);
    const list = (input: object = {}) => it.call('DescribeLogStreams', { logGroupName: GROUP, ...input });
    const names = (input: object) => list(input).logStreams?.map(({ logStreamName }) => logStreamName);
    expect(names({})).toEqual(['a', 'b', 'c']);
    expect(names({ descending: true })).toEqual(['c', 'b', 'a']);
    expect(names({ orderBy: 'LastEventTime', descending: true })).toEqual(['a', 'c', 'b']);
    expect(names({ logStreamNamePrefix: 'b' })).toEqual(['b']);
    const first = list({ limit: 2 });
    expect(names({ limit: 2, nextToken: first.nextToken })).toEqual(['c']);
    expect(first.logStreams).toEqual([
      {
        logStreamName: 'a',
        creationTime: START_MS,
        firstEventTimestamp: START_MS,
        lastEventTimestamp: START_MS + 10,
        lastIngestionTime: START_MS,
        arn: `arn:aws:logs:us-east-1:123456789012:log-group:${GROUP}:log-stream:a`,
        storedBytes: 0,
      },
      {
        logStreamName: 'b',
        creationTime: START_MS,
        arn: `arn:aws:logs:us-east-1:123456789012:log-group:${GROUP}:log-stream:b`,
        storedBytes: 0,
      },
    ]);
    it.call('DeleteLogStream', { logGroupName: GROUP, logStreamName: 'a' });
    expect(names({})).toEqual(['b', 'c']);
    expect(it.logs.events(GROUP).map(({ message }) => message)).toEqual(['z']);
    expect(it.call('DescribeLogGroups', {}).logGroups).toMatchObject([{ storedBytes: 1 }]);
  });

  test.each<[input: object, code: string, message: string]>([
    [{ logStreamName: 'one' }, 'ResourceAlreadyExistsException', 'The specified log stream already exists'],
    [{ logStreamName: 'a:b' }, 'InvalidParameterException', 'Member must satisfy regular expression pattern: [^:*]*'],
    [{ logStreamName: '' }, 'InvalidParameterException', 'Member must have length greater than or equal to 1'],
    [
      { logStreamName: 'x'.repeat(513) },
      'InvalidParameterException',
      'Member must have length less than or equal to 512',
    ],
    [
      { logGroupName: '/none', logStreamName: 'x' },
      'ResourceNotFoundException',
      'The specified log group does not exist.',
    ],
  ])('%j is refused', (input, code, message) => {
    const error = errorOf(() => world().call('CreateLogStream', { logGroupName: GROUP, logStreamName: '', ...input }));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  it('cannot be listed by their last event and by prefix at once', () => {
    const list = () =>
      world().call('DescribeLogStreams', { logGroupName: GROUP, orderBy: 'LastEventTime', logStreamNamePrefix: 'a' });
    expect(errorOf(list).message).toBe('Cannot order by LastEventTime with a logStreamNamePrefix.');
  });

  it('forget what is older than the group’s retention', async () => {
    const it = world('one', 'two');
    it.call('PutRetentionPolicy', { logGroupName: GROUP, retentionInDays: 1 });
    it.put(GROUP, 'one', [0, 'old']);
    await it.advance(DAY_MS + 1);
    it.put(GROUP, 'two', [0, 'young']);
    expect(it.call('GetLogEvents', { logGroupName: GROUP, logStreamName: 'one' }).events).toEqual([]);
    expect(it.call('DescribeLogGroups', {}).logGroups).toMatchObject([{ retentionInDays: 1, storedBytes: 5 }]);
    it.call('DeleteRetentionPolicy', { logGroupName: GROUP });
    await it.advance(100 * DAY_MS);
    expect(it.logs.events(GROUP).map(({ message }) => message)).toEqual(['young']);
  });
});

const event = (atMs: number, sequence: number): LogEvent => ({
  atMs,
  sequence,
  ingestedAtMs: 0,
  streamName: 's',
  message: String(sequence),
});

const messages = (events: Iterable<LogEvent>): readonly string[] => [...events].map(({ message }) => message);

const inOrder = (a: LogEvent, b: LogEvent): number => a.atMs - b.atMs || a.sequence - b.sequence;

describe('a list of events', () => {
  it('is in the order of time, whatever batches come in whatever order', () => {
    const times = fc.array(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 8 }), { maxLength: 12 });
    fc.assert(
      fc.property(times, batches => {
        const list = new EventList();
        let sequence = 0;
        const all: LogEvent[] = [];
        for (const batch of batches) {
          const events = [...batch].sort((a, b) => a - b).map(atMs => event(atMs, ++sequence));
          all.push(...events);
          list.add(events);
        }
        const sorted = messages(all.sort(inOrder));
        expect(messages(list.forward(0, list.size))).toEqual(sorted);
        expect(messages(list.backward(0, list.size))).toEqual([...sorted].reverse());
      }),
    );
  });

  // Inserted one at a time, each event moves all later ones. Three calls of PutLogEvents took 17 seconds.
  it('moves what is later once for a batch that comes late', () => {
    const list = new EventList();
    list.add(Array.from({ length: 300_000 }, (_, i) => event(3_600_000, i + 1)));
    const splice = jest.spyOn(Array.prototype, 'splice');
    list.add(Array.from({ length: 10_000 }, (_, i) => event(i, 300_001 + i)));
    const moves = splice.mock.calls.length;
    splice.mockRestore();
    expect(moves).toBe(1);
    expect(list.size).toBe(310_000);
    expect(list.first?.sequence).toBe(300_001);
    expect(list.last?.sequence).toBe(300_000);
  });
});

describe('a page of events', () => {
  const list = new EventList();
  list.add(Array.from({ length: 1000 }, (_, i) => event(i, i)));

  /** The pages of 10 until the last, and how many events were looked at. */
  function pages(isWanted: (event: LogEvent) => boolean) {
    let seen = 0;
    let found = 0;
    for (let from = 0; ; ) {
      const source = only(list.forward(from, list.size), it => {
        seen += 1;
        return isWanted(it);
      });
      const { events, isLast } = fill(source, 10);
      found += events.length;
      from = list.indexOf(event(0, 0)) + (events.at(-1)?.sequence ?? 0) + 1;
      if (isLast) return { seen, found };
    }
  }

  it('looks no further than to the event after it', () => {
    // 100 pages: each also reads the first event of the next page.
    expect(pages(() => true)).toEqual({ found: 1000, seen: 1000 + 99 });
    expect(pages(({ sequence }) => sequence % 10 === 9)).toEqual({ found: 100, seen: 1000 + 9 * 10 });
    expect(pages(() => false)).toEqual({ found: 0, seen: 1000 });
  });
});
