import { failuresAtStart, messagesHeldAt } from '../../../lambda/redrive/figures';
import type { MetricPoint, ReadMetrics } from '../../../lambda/redrive/metric-reader';
import { MINUTE, NOW, QUARANTINE } from '../../policy/redrive/fixtures';

/** A CloudWatch that has these figures, minute by minute. */
function cloudWatch(figures: Readonly<Record<string, readonly MetricPoint[]>>): ReadMetrics {
  return async (asked, fromMs, toMs) =>
    asked.map(({ name }) => (figures[name] ?? []).filter(({ atMs }) => atMs >= fromMs && atMs < toMs));
}

const at = (minute: number, value: number): MetricPoint => ({ atMs: NOW + minute * MINUTE, value });

const VISIBLE = 'ApproximateNumberOfMessagesVisible';
const IN_FLIGHT = 'ApproximateNumberOfMessagesNotVisible';

describe('What a queue held', () => {
  const held = (figures: Readonly<Record<string, readonly MetricPoint[]>>) =>
    messagesHeldAt(cloudWatch(figures), QUARANTINE, NOW + 30_000);

  test('is what its newest figures before that minute say', async () => {
    expect(await held({ [VISIBLE]: [at(-3, 7), at(-2, 5), at(0, 90)], [IN_FLIGHT]: [at(-2, 2)] })).toBe(7);
    expect(await held({ [VISIBLE]: [at(-2, 0)], [IN_FLIGHT]: [at(-2, 0)] })).toBe(0);
  });

  /** CloudWatch begins to tell of a queue that was idle up to 15 minutes late: no figure is not the same as none. */
  test('nobody knows where CloudWatch has no figure of it', async () => {
    expect(await held({})).toBeUndefined();
    expect(await held({ [VISIBLE]: [at(-11, 40), at(0, 40)] })).toBeUndefined();
  });
});

describe('What lay where failures end when a step began', () => {
  const atStart = (figures: Readonly<Record<string, readonly MetricPoint[]>>) =>
    failuresAtStart(cloudWatch(figures), 'Redrive', QUARANTINE, NOW + 30_000);

  test('is what this function said as it began the step, in that minute or the one before', async () => {
    for (const minute of [-1, 0]) {
      expect(await atStart({ FailuresAtStart: [at(minute, 40)], [VISIBLE]: [at(-1, 12)] })).toBe(40);
    }
    expect(await atStart({ FailuresAtStart: [at(-1, 3), at(0, 0)] })).toBe(0);
  });

  test('is what CloudWatch has where somebody else began it', async () => {
    const figures = { FailuresAtStart: [at(-2, 40), at(1, 50)], [VISIBLE]: [at(-1, 12)] };
    expect(await atStart(figures)).toBe(12);
  });

  test('nobody knows without either', async () => {
    expect(await atStart({})).toBeUndefined();
  });
});
