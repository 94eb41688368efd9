import fc from 'fast-check';
import { messagesACall, Pace } from '../../mover/pace';
import { VirtualTime } from './virtual-time';

interface Call {
  readonly messages: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Calls by several workers, each of which takes so long. */
async function paced(rate: number, latenciesMs: readonly number[], workers: number): Promise<readonly Call[]> {
  const time = new VirtualTime();
  const pace = new Pace(rate, time.nowMs, time.wait);
  const [todo, calls]: [number[], Call[]] = [[...latenciesMs], []];
  const messages = messagesACall(rate);
  const work = async () => {
    for (let latencyMs = todo.shift(); latencyMs !== undefined; latencyMs = todo.shift()) {
      const answered = await pace.turn(messages);
      const fromMs = time.nowMs();
      await time.wait(latencyMs);
      calls.push({ messages, fromMs, untilMs: time.nowMs() });
      answered();
    }
  };
  await time.run(Promise.all(Array.from({ length: workers }, work)));
  return calls;
}

describe('The pace of a stint', () => {
  test('lets no second see more than the rate, whenever within a call its messages arrive', async () => {
    const latencies = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 1, maxLength: 60 });
    const rates = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 500 }));
    await fc.assert(
      fc.asyncProperty(
        rates,
        latencies,
        fc.integer({ min: 1, max: 20 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (rate, ms, workers, when) => {
          const calls = await paced(rate, ms, workers);
          // The worst for a second: the first calls arrive late, and the others early.
          const arrivals = calls.map(({ fromMs, untilMs, messages }, index) => ({
            atMs: index % 2 === 0 ? untilMs : fromMs + when * (untilMs - fromMs),
            messages,
          }));
          for (const { atMs: fromMs } of arrivals) {
            const inSecond = arrivals.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 1_000);
            expect(inSecond.reduce((sum, { messages }) => sum + messages, 0)).toBeLessThanOrEqual(rate);
          }
        },
      ),
      { numRuns: 200, seed: 6 },
    );
  });

  test('spreads messages over the second', async () => {
    const calls = await paced(10, Array(10).fill(0), 3);
    expect(calls.map(({ fromMs }) => fromMs)).toEqual([0, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800]);
  });

  test('makes up for turns that come late, as timers do on a busy machine', async () => {
    const time = new VirtualTime();
    const late = (milliseconds: number) => time.wait(milliseconds + 12);
    const pace = new Pace(500, time.nowMs, late);
    const act = async () => {
      for (let call = 0; call < 250; call += 1) (await pace.turn(10))();
    };
    await time.run(act());
    // 2,500 messages, of which no second sees more than 500.
    expect(time.nowMs()).toBeLessThan(5_100);
  });

  test('holds everybody back for a while where it is told to rest', async () => {
    const time = new VirtualTime();
    const pace = new Pace(100, time.nowMs, time.wait);
    pace.rest(2_000);
    pace.rest(500);
    await time.run(pace.turn(1));
    expect(time.nowMs()).toBe(2_000);
  });

  test('is quiet when a second has passed since the last answer', async () => {
    const time = new VirtualTime();
    const pace = new Pace(100, time.nowMs, time.wait);
    const act = async () => {
      const answered = await pace.turn(10);
      await time.wait(300);
      answered();
      await pace.quiet();
    };
    await time.run(act());
    expect(time.nowMs()).toBe(1_300);
  });

  test.each([
    [1, 1],
    [5, 1],
    [10, 2],
    [25, 5],
    [47, 1],
    [50, 10],
    [99, 9],
    [499, 10],
    [500, 10],
  ])('of %i messages a second makes calls of %i', (rate, messages) => {
    expect(messagesACall(rate)).toBe(messages);
  });

  test('fills the seconds of every rate up to 500, but for two in a hundred', () => {
    const rates = Array.from({ length: 500 }, (_, index) => index + 1);
    const reached = rates.map(rate => Math.floor(rate / messagesACall(rate)) * messagesACall(rate));
    expect(rates.filter((rate, index) => (reached[index] ?? 0) < rate * 0.98)).toEqual([]);
  });
});
