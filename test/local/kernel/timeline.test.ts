import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { isoInstantMs } from '../../../local/kernel/clock';
import { Timeline, WorkFailed } from '../../../local/kernel/timeline';

const START = Date.UTC(2026, 0, 1);

describe('Timeline', () => {
  test('jumps to each piece of due work and stands still while it runs', async () => {
    const timeline = new Timeline(START);
    const seen: number[] = [];
    timeline.after(23 * 86_400_000, () => void seen.push(timeline.nowMs - START));
    timeline.after(5, async () => {
      await Promise.resolve();
      seen.push(timeline.nowMs - START);
    });

    expect(await timeline.runUntilIdle()).toBe(2);
    expect(seen).toEqual([5, 23 * 86_400_000]);
    expect(timeline.nowMs).toBe(START + 23 * 86_400_000);
  });

  test('work due at one instant runs in the order in which it was scheduled, even when scheduled by such work', async () => {
    const timeline = new Timeline(START);
    const seen: string[] = [];
    timeline.after(10, () => {
      seen.push('first');
      timeline.after(0, () => void seen.push('third'));
    });
    timeline.after(10, () => void seen.push('second'));
    await timeline.advanceTo(START + 10);
    expect(seen).toEqual(['first', 'second', 'third']);
  });

  test('runs any work in order of (due, scheduled)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 20 })), async delays => {
        const timeline = new Timeline(START);
        const seen: [number, number][] = [];
        delays.forEach((delay, i) => {
          timeline.after(delay, () => void seen.push([delay, i]));
        });
        await timeline.runUntilIdle();
        expect(seen).toEqual(delays.map((delay, i): [number, number] => [delay, i]).sort((a, b) => a[0] - b[0]));
      }),
    );
  });

  test('work that is past due runs now: the clock never goes back', async () => {
    const timeline = new Timeline(START);
    timeline.at(START - 1_000, () => {});
    await timeline.runUntilIdle();
    expect(timeline.nowMs).toBe(START);
  });

  test('however much work is cancelled, the rest runs in its order', async () => {
    const timeline = new Timeline(START);
    const seen: number[] = [];
    for (let i = 0; i < 5_000; i += 1) {
      const work = timeline.after((i * 7_919) % 5_000, () => void seen.push(timeline.nowMs - START));
      if (i % 10 !== 0) work.cancel();
    }
    expect(await timeline.runUntilIdle()).toBe(500);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  test('cancelled work never runs, and does not keep the world busy', async () => {
    const timeline = new Timeline(START);
    const work = timeline.after(1_000, () => {
      throw new Error('cancelled work ran');
    });
    work.cancel();
    work.cancel();
    expect(await timeline.runUntilIdle()).toBe(0);
    expect(timeline.nowMs).toBe(START);
  });

  test('background work happens as time passes, but nobody waits for it', async () => {
    const timeline = new Timeline(START);
    let samples = 0;
    const sample = (): void => {
      samples += 1;
      timeline.inBackground(timeline.nowMs + 60_000, sample);
    };
    timeline.inBackground(START + 60_000, sample);
    expect(await timeline.runUntilIdle()).toBe(0);

    timeline.after(150_000, () => {});
    await timeline.runUntilIdle();
    expect(samples).toBe(2);

    await timeline.advanceTo(START + 600_000);
    expect(samples).toBe(10);
  });

  test('refuses to move time twice at once', async () => {
    const timeline = new Timeline(START);
    const moving = timeline.advanceTo(START + 1);
    await expect(timeline.advanceTo(START + 2)).rejects.toThrow('time is already moving');
    await moving;
  });

  test('an error in due work reaches whoever moves time, and time can move on afterwards', async () => {
    const timeline = new Timeline(START);
    timeline.after(1, () => {
      throw new Error('broken');
    });
    await expect(timeline.runUntilIdle()).rejects.toThrow('broken');
    await expect(timeline.runUntilIdle()).resolves.toBe(0);
  });

  test.each([
    ['thrown', () => new URIError('URI malformed'), 'URI malformed'],
    ['thrown, though it is no error', () => 'oops', 'oops'],
  ])('an error in due work says at which instant it was %s, and keeps what it was', async (_, thrown, text) => {
    for (const fails of [
      () => {
        throw thrown();
      },
      () => Promise.reject(thrown()),
    ]) {
      const timeline = new Timeline(START);
      timeline.after(1_500, fails);
      const failure: unknown = await timeline.advanceTo(START + 10_000).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(WorkFailed);
      expect(failure).toMatchObject({
        message: `work due at 2026-01-01T00:00:01.500Z failed: ${text}`,
        atMs: START + 1_500,
        cause: thrown(),
      });
    }
  });

  test('work that feeds itself without taking time ends in an error that says so', async () => {
    const timeline = new Timeline(START, { maxWorkAtOneInstant: 50 });
    let rounds = 0;
    const again = (): void => {
      rounds += 1;
      timeline.after(0, again);
    };
    timeline.after(1_000, again);
    const standstill =
      /^50 pieces of work have run at 2026-01-01T00:00:01\.000Z and more is due at that instant\. This is an endless loop/;
    await expect(timeline.advanceTo(START + 5_000)).rejects.toThrow(standstill);
    expect(rounds).toBe(50);
    await expect(timeline.advanceTo(START + 5_000)).rejects.toThrow(standstill);
    expect(rounds).toBe(100);
  });

  test('a promise that is settled again and again at one instant is such work too', async () => {
    const timeline = new Timeline(START, { maxWorkAtOneInstant: 50 });
    const again = (): void => timeline.whenSettled(Promise.resolve(), again);
    again();
    await expect(timeline.runUntilIdle()).rejects.toThrow('an endless loop that takes no time');
  });

  test('there may be as much work as is allowed at every instant', async () => {
    const timeline = new Timeline(START, { maxWorkAtOneInstant: 50 });
    for (let i = 0; i < 150; i += 1) timeline.after(Math.floor(i / 50), () => {});
    expect(await timeline.runUntilIdle()).toBe(150);
    expect(() => new Timeline(START, { maxWorkAtOneInstant: 0 })).toThrow(
      'maxWorkAtOneInstant must be 1 or more, got 0',
    );
  });

  test('a million pieces of work at one instant is where it stops unless it is told otherwise', async () => {
    const timeline = new Timeline(START);
    let rounds = 0;
    const again = (): void => {
      rounds += 1;
      timeline.after(0, again);
    };
    again();
    await expect(timeline.runUntilIdle()).rejects.toThrow('1,000,000 pieces of work');
    expect(rounds).toBe(1_000_001);
  });

  test('carries on with a promise at the instant at which due work settled it', async () => {
    const timeline = new Timeline(START);
    const seen: unknown[] = [];
    let answer = (_text: string): void => {};
    const poll = new Promise<string>(resolve => {
      answer = resolve;
    });
    const passedOn = (async () => `${await poll}!`)().then(text => text.toUpperCase());
    timeline.whenSettled(passedOn, result => {
      seen.push(timeline.nowMs - START, result);
    });
    timeline.after(5, () => answer('found'));
    timeline.after(20_000, () => {});
    await timeline.runUntilIdle();
    expect(seen).toEqual([5, { status: 'fulfilled', value: 'FOUND!' }]);
  });

  test('a rejected promise is carried on with too', async () => {
    const timeline = new Timeline(START);
    const seen: unknown[] = [];
    timeline.whenSettled(Promise.reject(new Error('gone')), result => {
      seen.push(result);
    });
    await timeline.runUntilIdle();
    expect(seen).toMatchObject([{ status: 'rejected', reason: { message: 'gone' } }]);
  });

  test('refuses work that is due at no instant', () => {
    expect(() => new Timeline(START).at(Number.NaN, () => {})).toThrow('NaN');
  });
});

describe('whoever moves time', () => {
  test('sees what is due next, whatever was cancelled before', () => {
    const timeline = new Timeline(START);
    expect([timeline.nextDueMs, timeline.isIdle]).toEqual([undefined, true]);
    const first = timeline.after(5, () => {});
    timeline.inBackground(START + 9, () => {});
    expect([timeline.nextDueMs, timeline.isIdle]).toEqual([START + 5, false]);
    first.cancel();
    expect([timeline.nextDueMs, timeline.isIdle]).toEqual([START + 9, true]);
  });

  test('passes idle time without doing anything, and no further than to what is due', () => {
    const timeline = new Timeline(START);
    timeline.after(5, () => {});
    expect([timeline.pass(START + 4), timeline.nowMs]).toEqual([true, START + 4]);
    expect([timeline.pass(START + 5), timeline.nowMs]).toEqual([false, START + 4]);
    expect([timeline.pass(START), timeline.nowMs]).toEqual([true, START + 4]);
  });

  test('is told of work that is due before all other, and of the first that is no housekeeping', () => {
    const timeline = new Timeline(START);
    const reported: string[] = [];
    let last = '';
    timeline.watch(() => reported.push(last));
    const schedule = (name: string, delayMs: number, background = false): void => {
      last = name;
      if (background) timeline.inBackground(START + delayMs, () => {});
      else timeline.after(delayMs, () => {});
    };
    schedule('housekeeping', 10, true);
    schedule('later housekeeping', 20, true);
    schedule('the first work', 30);
    schedule('later work', 40);
    schedule('earlier work', 5);
    expect(reported).toEqual(['housekeeping', 'the first work', 'earlier work']);
  });

  test('is stopped when a timer of this process closes the timeline, and for good', async () => {
    const timeline = new Timeline(START);
    const again = (): void => void timeline.after(1, again);
    again();
    setImmediate(() => timeline.close());
    await expect(timeline.advanceTo(START + 100_000)).rejects.toThrow(
      /^virtual time stopped at .*Z, because this run of LocalAws was closed$/,
    );
    const stoppedMs = timeline.nowMs;
    await expect(timeline.runUntilIdle()).rejects.toThrow('this run of LocalAws was closed');
    expect(timeline.nowMs).toBe(stoppedMs);
  });

  describe('until a promise settles', () => {
    test('does what is due so far, and leaves the clock there', async () => {
      const timeline = new Timeline(START);
      const seen: number[] = [];
      const answer = new Promise<string>(resolve => {
        timeline.after(10, () => resolve('done'));
      }).then(text => `${text} twice`);
      for (const delay of [5, 10, 15]) timeline.after(delay, () => void seen.push(delay));
      expect(await timeline.runUntilSettled(answer)).toBe('done twice');
      expect([seen, timeline.nowMs - START]).toEqual([[5], 10]);
    });

    test('does nothing for one that settles by itself', async () => {
      const timeline = new Timeline(START);
      timeline.after(0, () => {
        throw new Error('this was not to happen');
      });
      expect(await timeline.runUntilSettled(Promise.resolve().then(() => 1))).toBe(1);
      expect(timeline.nowMs).toBe(START);
    });

    test('hands on what it rejects with, and says when nothing can settle it', async () => {
      const timeline = new Timeline(START);
      const rejecting = new Promise((_, reject) => {
        timeline.after(5, () => reject(new RangeError('no')));
      });
      await expect(timeline.runUntilSettled(rejecting)).rejects.toThrow(RangeError);
      timeline.inBackground(START + 60_000, () => {});
      await expect(timeline.runUntilSettled(new Promise(() => {}))).rejects.toThrow(
        'no work is due any more that could end the wait',
      );
      expect(timeline.nowMs).toBe(START + 5);
    });
  });
});

describe('clock', () => {
  describe('an ISO 8601 instant', () => {
    test.each([
      ['2026-03-02', Date.UTC(2026, 2, 2)],
      ['2026-03-02T09:00Z', Date.UTC(2026, 2, 2, 9)],
      ['2026-03-02T09:00:01.5Z', Date.UTC(2026, 2, 2, 9, 0, 1, 500)],
      ['2026-03-02T09:00:00+02:00', Date.UTC(2026, 2, 2, 7)],
      ['2024-02-29', Date.UTC(2024, 1, 29)],
      ['+010000-01-01T00:00:00Z', Date.UTC(10_000, 0, 1)],
    ])('is %s', (text, ms) => {
      expect(isoInstantMs(text)).toBe(ms);
    });

    test.each([
      ['is another one on another machine', '2026-03-02T09:00:00'],
      ['is a year', '2027'],
      ['is a month', '2027-03'],
      ['is in words', '2 March 2026'],
      ['is no day of the calendar', '2026-02-30'],
      ['is no hour', '2026-02-03T25:00Z'],
      ['is beyond what a Date can be', '+999999-01-01'],
      ['is empty', ''],
    ])('is none that %s: %s', (_, text) => {
      expect(isoInstantMs(text)).toBeUndefined();
    });
  });

  test('stands still while something real is under way, whatever else is due', async () => {
    const timeline = new Timeline(0);
    const seen: string[] = [];
    timeline.at(10, () => {
      const release = timeline.hold();
      void readFile(__filename).then(() => {
        seen.push(`read at ${timeline.nowMs}`);
        timeline.after(0, () => void seen.push(`answered at ${timeline.nowMs}`));
        expect([timeline.isHeld, timeline.pass(1_000)]).toEqual([true, false]);
        release();
        release();
      });
    });
    timeline.at(11, () => void seen.push('next'));
    await timeline.advanceTo(100);
    expect(seen).toEqual(['read at 10', 'answered at 10', 'next']);
    expect(timeline.isHeld).toBe(false);
  });
});
