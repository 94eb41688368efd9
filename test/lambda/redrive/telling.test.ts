import { endMetrics, runEndedNow, runReport } from '../../../lambda/redrive/telling';
import type { RedriveRun } from '../../../policy/redrive/redrive-decision';

const MINUTE = 60_000;
const OVER = Date.UTC(2026, 0, 5, 9, 10, 30);

const ENDED: RedriveRun = {
  startedAtMs: Date.UTC(2026, 0, 5, 9),
  moved: 118,
  returned: 2,
  ending: { reason: 'all letters that were there have been moved', overAtMs: OVER },
};

const tick = (dueAtMs: number) => ({ trigger: 'tick', dueAtMs }) as const;

test('Of a run that has ended one tick tells, the first after its end, and however late it comes', () => {
  const first = Date.UTC(2026, 0, 5, 9, 11);
  const reported = [first - MINUTE, first, first + MINUTE].map(
    at => runEndedNow(ENDED, tick(at), MINUTE) !== undefined,
  );
  expect(reported).toEqual([false, true, false]);
  expect([OVER - 1, OVER, OVER + MINUTE].map(at => runEndedNow(ENDED, tick(at), MINUTE) !== undefined)).toEqual([
    false,
    true,
    false,
  ]);
});

test('Nobody else tells of it', () => {
  const { ending: _, ...goingOn } = ENDED;
  expect(runEndedNow(goingOn, tick(OVER), MINUTE)).toBeUndefined();
  expect(runEndedNow(undefined, tick(OVER), MINUTE)).toBeUndefined();
  expect(runEndedNow(ENDED, { trigger: 'schedule', dueAtMs: OVER }, MINUTE)).toBeUndefined();
  expect(runEndedNow(ENDED, { trigger: 'tick' }, MINUTE)).toBeUndefined();
});

test('What is counted of it says how it ended', () => {
  const ended = runEndedNow(ENDED, tick(OVER), MINUTE);
  expect(ended && endMetrics(ended)).toEqual({ RunsFinished: 1, Moved: 118, Returned: 2 });
  const { returned: _, ...unknown } = ENDED;
  const stopped = { ...unknown, ending: { cause: 'came-back', reason: 'they came back', overAtMs: OVER } } as const;
  expect(endMetrics(stopped)).toEqual({ RunsStopped: 1, Moved: 118 });
});

test('People are told how many went home, in a subject SNS takes', () => {
  const ended = runEndedNow(ENDED, tick(OVER), MINUTE);
  const { subject, message } = ended ? runReport('Shop/Orders', ended) : { subject: '', message: '' };
  expect(subject).toBe('118 dead letters went home: Shop/Orders');
  expect(message).toContain('began at 2026-01-05T09:00:00.000Z: all letters that were there have been moved.');
  expect(message).toContain('Moved: 118\nCame back: 2\n');
  const long = runReport('x'.repeat(200), { ...ENDED, moved: 1, ending: { reason: '', overAtMs: OVER } });
  expect(long.subject).toMatch(/^1 dead letter went home: x{75}$/);
});

test('People are told what nobody can tell, and that letters may wait yet', () => {
  const ending = { reason: 'all have moved', overAtMs: OVER };
  const { message } = runReport('Shop/Orders', { ...ENDED, ending });
  expect(message).toMatch(/Came back: 2\n\nThere is nothing to do\.$/);
  const { returned: _, ...unknown } = ENDED;
  expect(runReport('Shop/Orders', { ...unknown, ending: { ...ending, waiting: 40 } }).message).toMatch(
    /Came back: nobody can tell\nMay wait in the destination yet: 40\n\nWhat fails of those that wait comes back later/,
  );
});
