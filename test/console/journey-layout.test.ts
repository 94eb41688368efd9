import type { Journey, JourneyStep } from '../../console/api/journey';
import { AXIS_HEIGHT, journeyLayout, LANE_HEIGHT, movePath } from '../../console/browser/journey/journey-layout';
import { MINUTE_MS } from '../../policy/time-units';

const START_MS = Date.UTC(2026, 0, 5, 23, 50);

function step(minutes: number, place: string): JourneyStep {
  return { seq: 1, atMs: START_MS + minutes * MINUTE_MS, place, kind: 'ok', says: '', rule: null, log: null };
}

const JOURNEY: Journey = {
  id: 'm',
  ids: ['m'],
  body: null,
  nowMs: START_MS + 6_000 * MINUTE_MS,
  places: ['orders', 'work', 'work-dlq'].map(id => ({ id, kind: 'queue', name: id })),
  steps: [
    step(0, 'orders'),
    step(0, 'work'),
    step(0, 'work'),
    step(1, 'work'),
    step(20, 'work'),
    step(5_000, 'work-dlq'),
  ],
  spans: [],
  moves: [],
  ends: [],
  leftOut: 0,
};

/** Between neighbors. */
function gaps(xs: readonly number[]): readonly number[] {
  return xs.slice(1).map((x, at) => x - (xs[at] ?? 0));
}

describe('the layout of a journey', () => {
  test.each([300, 1_150])('lets no two steps overlap, in a page %i wide', room => {
    const { xs, nowX, width } = journeyLayout(JOURNEY, 'steps', room);
    expect(Math.min(...gaps([...xs, nowX]))).toBeGreaterThanOrEqual(20);
    expect(width).toBeGreaterThanOrEqual(room);
    expect(nowX).toBeLessThan(width);
  });

  test('makes a long wait longer than a short one, but not as long as it was', () => {
    const [, , minute = 0, minutes = 0, days = 0] = gaps(journeyLayout(JOURNEY, 'steps', 300).xs);
    expect(minute < minutes && minutes < days).toBe(true);
    expect(days / minute).toBeLessThan(4);
  });

  test('is to scale when asked', () => {
    const { xs, nowX } = journeyLayout(JOURNEY, 'time', 1_000);
    const [first = 0] = xs;
    expect(((xs[5] ?? 0) - first) / (nowX - first)).toBeCloseTo(5_000 / 6_000);
    expect(xs[1]).toBe(first);
  });

  test('gives each place a lane, in order', () => {
    const { ys, height } = journeyLayout(JOURNEY, 'steps', 1_000);
    const lanes = [...ys.values()].map(y => Math.floor((y - AXIS_HEIGHT) / LANE_HEIGHT));
    expect([...ys.keys(), ...lanes]).toEqual(['orders', 'work', 'work-dlq', 0, 1, 2]);
    expect(height).toBeGreaterThanOrEqual(AXIS_HEIGHT + 3 * LANE_HEIGHT);
  });

  test.each(['steps', 'time'] as const)('labels the axis (%s) where there is room, and each new day', scale => {
    const { ticks, gaps: waits } = journeyLayout(JOURNEY, scale, 300);
    expect(Math.min(...gaps(ticks.map(it => it.x)))).toBeGreaterThanOrEqual(64);
    expect(ticks[0]).toMatchObject({ atMs: START_MS, isNewDay: true });
    expect(ticks.filter(it => it.isNewDay).length).toBeGreaterThan(1);
    expect(waits.reduce((sum, it) => sum + it.ms, 0)).toBe((ticks.at(-1)?.atMs ?? 0) - START_MS);
  });

  test('draws a move as a curve that bends away from a straight line', () => {
    expect(movePath(10, 100, 10, 200)).toBe('M10,100 C-4,150 -4,150 10,200');
    expect(movePath(10, 100, 110, 200)).toBe('M10,100 C60,100 60,200 110,200');
  });

  test('takes a journey without steps', () => {
    expect(journeyLayout({ ...JOURNEY, steps: [] }, 'steps', 300)).toMatchObject({ xs: [], width: 300 });
  });
});
