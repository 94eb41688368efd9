import fc from 'fast-check';
import { EventList } from '../../../local/logs/event-list';
import { fill, only } from '../../../local/logs/event-page';
import type { LogEvent } from '../../../local/logs/log-event';

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

  // One at a time, each would move all that are later: three calls of PutLogEvents took 17 seconds.
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
    // 100 pages: each looks at the first event of the next.
    expect(pages(() => true)).toEqual({ found: 1000, seen: 1000 + 99 });
    expect(pages(({ sequence }) => sequence % 10 === 9)).toEqual({ found: 100, seen: 1000 + 9 * 10 });
    expect(pages(() => false)).toEqual({ found: 0, seen: 1000 });
  });
});
