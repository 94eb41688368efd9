import { Timeline } from '../../../../local/kernel/timeline';
import { type Speed, TimeDriver } from '../../../../local/wire';
import { HOUR_MS } from '../../../../policy/time-units';

const START = Date.UTC(2026, 0, 1);

/** A driven timeline under a wall clock of its own; node's timers still wake it. */
function driven(speed: Speed) {
  const wall = { ms: 0 };
  const timeline = new Timeline(START);
  const errors: unknown[] = [];
  const driver = new TimeDriver(timeline, { speed, onError: error => errors.push(error), wallMs: () => wall.ms });
  return { wall, timeline, driver, errors };
}

/** Under the wall clock of this machine. */
function really(speed: Speed) {
  const timeline = new Timeline(START);
  const errors: unknown[] = [];
  return { timeline, driver: new TimeDriver(timeline, { speed, onError: error => errors.push(error) }), errors };
}

/** Comes when the work runs, and says at which instant. */
function happening(timeline: Timeline, delayMs: number): Promise<number> {
  return new Promise(resolve => timeline.after(delayMs, () => resolve(timeline.nowMs - START)));
}

describe('the time driver', () => {
  it('wakes when work is due, without a tick', async () => {
    const { timeline, driver } = really(HOUR_MS);
    expect(await happening(timeline, 10 * HOUR_MS)).toBe(10 * HOUR_MS);
    await driver.stop();
  });

  it('wakes earlier for work that is scheduled later and due before', async () => {
    const { timeline, driver } = really(HOUR_MS);
    const seen: string[] = [];
    const late = happening(timeline, 50 * HOUR_MS).then(() => seen.push('late'));
    const early = happening(timeline, HOUR_MS).then(() => seen.push('early'));
    await Promise.all([late, early]);
    expect(seen).toEqual(['early', 'late']);
    await driver.stop();
  });

  it('brings a request to the instant it is now, and does what was due on the way', async () => {
    const { wall, timeline, driver } = driven(60);
    const seen: number[] = [];
    wall.ms = 500;
    expect(driver.catchUp()).toBeUndefined();
    expect(timeline.nowMs).toBe(START + 30_000);
    timeline.after(10_000, () => void seen.push(timeline.nowMs - START));
    wall.ms = 1_000;
    await driver.catchUp();
    expect(seen).toEqual([40_000]);
    expect(timeline.nowMs).toBe(START + 60_000);
    await driver.stop();
  });

  it('stands still at speed 0, and does what is due at the instant', async () => {
    const { wall, timeline, driver } = driven(0);
    const now = happening(timeline, 0);
    const later = jest.fn();
    timeline.after(1, later);
    expect(await now).toBe(0);
    wall.ms = 1_000_000;
    await driver.catchUp();
    expect([timeline.nowMs, later.mock.calls.length]).toEqual([START, 0]);
    expect(await driver.advanceTo(START + 5)).toBe(1);
    expect([timeline.nowMs, later.mock.calls.length]).toEqual([START + 5, 1]);
    await driver.stop();
  });

  it('jumps from one piece of work to the next at max, and leaves housekeeping alone when nothing else is due', async () => {
    const { timeline, driver } = driven('max');
    const sampled = jest.fn();
    timeline.inBackground(START + HOUR_MS, sampled);
    timeline.inBackground(START + 24 * HOUR_MS, sampled);
    expect(await happening(timeline, 2 * HOUR_MS)).toBe(2 * HOUR_MS);
    expect(sampled).toHaveBeenCalledTimes(1);
    await driver.stop();
    expect(timeline.nowMs).toBe(START + 2 * HOUR_MS);
  });

  it('counts on from where a jump has led', async () => {
    const { wall, timeline, driver } = driven(1);
    await driver.advanceTo(START + HOUR_MS);
    wall.ms = 2_000;
    driver.catchUp();
    expect(timeline.nowMs).toBe(START + HOUR_MS + 2_000);
    await driver.stop();
  });

  it('changes its speed from the instant it is now', async () => {
    const { wall, timeline, driver } = driven(60);
    wall.ms = 1_000;
    await driver.setSpeed(1);
    wall.ms = 3_000;
    driver.catchUp();
    expect(timeline.nowMs).toBe(START + 62_000);
    await driver.setSpeed(0);
    wall.ms = 1_000_000;
    driver.catchUp();
    expect([driver.speed, timeline.nowMs]).toEqual([0, START + 62_000]);
    await driver.stop();
  });

  it('stops a run at max that would never end', async () => {
    const { timeline, driver } = driven('max');
    const goOn = (): void => void timeline.after(1_000, goOn);
    timeline.after(1_000, goOn);
    await happening(timeline, 60_000);
    await driver.setSpeed(0);
    await driver.stop();
    const stoppedMs = timeline.nowMs;
    await new Promise(resolve => setImmediate(resolve));
    expect(timeline.nowMs).toBe(stoppedMs);
    expect(driver.speed).toBe(0);
  });

  it('lets one thing move time at once', async () => {
    const { timeline, driver } = driven(0);
    const order: string[] = [];
    timeline.after(10, async () => {
      await Promise.resolve();
      order.push('work');
    });
    await Promise.all([
      driver.advanceTo(START + 20).then(() => order.push('first')),
      driver.advanceTo(START + 40).then(() => order.push('second')),
    ]);
    expect(order).toEqual(['work', 'first', 'second']);
    expect(timeline.nowMs).toBe(START + 40);
    await driver.stop();
  });

  it('reckons where a stretch ends once it is its turn, so that stretches at once add up', async () => {
    const { timeline, driver } = driven(0);
    const arrived: number[] = [];
    const hour = () =>
      driver.advance({
        untilMs: () => timeline.nowMs + HOUR_MS,
        arrived: () => void arrived.push(timeline.nowMs - START),
      });
    timeline.after(HOUR_MS / 2, () => Promise.resolve());
    await Promise.all([hour(), hour(), hour()]);
    expect(arrived).toEqual([HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS]);
    await driver.stop();
  });

  it('goes no further when nobody wants it to', async () => {
    const { timeline, driver } = driven(0);
    let rounds = 0;
    const goOn = (): void => {
      rounds += 1;
      timeline.after(1_000, goOn);
    };
    timeline.after(1_000, goOn);
    await driver.advanceTo(START + 1_000 * HOUR_MS, () => rounds < 5);
    expect(timeline.nowMs).toBe(START + 5_000);
    await driver.stop();
  });

  it('serves requests while work is long, without waiting for it', async () => {
    const { timeline, driver } = driven(0);
    let release = (): void => {};
    const working = new Promise<void>(begun => {
      timeline.after(10, () => {
        begun();
        return new Promise<void>(resolve => {
          release = resolve;
        });
      });
    });
    const advanced = driver.advanceTo(START + 20);
    await working;
    expect(driver.catchUp()).toBeUndefined();
    expect(timeline.nowMs).toBe(START + 10);
    release();
    await advanced;
    await driver.stop();
  });

  it('reports work that breaks, and goes on', async () => {
    const { timeline, driver, errors } = really('max');
    timeline.after(5, () => {
      throw new Error('broken');
    });
    expect(await happening(timeline, 10)).toBe(10);
    expect(errors).toMatchObject([{ name: 'WorkFailed', cause: { message: 'broken' } }]);
    await driver.stop();
  });

  it('tells whoever advances time of work that breaks', async () => {
    const { timeline, driver, errors } = driven(0);
    timeline.after(5, () => {
      throw new Error('broken');
    });
    await expect(driver.advanceTo(START + 10)).rejects.toThrow('broken');
    expect(errors).toEqual([]);
    await driver.stop();
  });

  it('does nothing any more once it was stopped', async () => {
    const { timeline, driver } = really('max');
    await driver.stop();
    const never = jest.fn();
    timeline.after(1, never);
    await new Promise(resolve => setImmediate(resolve));
    expect(never).not.toHaveBeenCalled();
  });
});
