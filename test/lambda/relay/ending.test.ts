import { type DeliveryResult, isDone, visibilitySeconds } from '../../../lambda/relay/ending';

const NOW_MS = 1_000_000;

const dueIn = (milliseconds: number): DeliveryResult => ({ kind: 'retry', dueAtMs: NOW_MS + milliseconds });

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html: whole seconds. */
describe('A message is hidden', () => {
  test.each([
    { milliseconds: 1_000, seconds: 1 },
    { milliseconds: 1_001, seconds: 2 },
    { milliseconds: 1_500, seconds: 2 },
    { milliseconds: 1, seconds: 1 },
    { milliseconds: 0, seconds: 0 },
    { milliseconds: -1_500, seconds: 0 },
  ])('for $seconds seconds where it is due in $milliseconds ms: never for less', ({ milliseconds, seconds }) => {
    expect(visibilitySeconds(dueIn(milliseconds), NOW_MS)).toBe(seconds);
  });

  test('no longer where it is handed back, and as long as the queue does by itself where something broke', () => {
    expect(visibilitySeconds({ kind: 'handed-back', reason: 'x' }, NOW_MS)).toBe(0);
    expect(visibilitySeconds({ kind: 'left', reason: 'x' }, NOW_MS)).toBeUndefined();
  });

  test('not at all once it is delivered or dead, when the queue may forget it', () => {
    const endings: readonly DeliveryResult[] = [{ kind: 'delivered' }, { kind: 'dead', cause: 'gone' }];
    expect(endings.map(isDone)).toEqual([true, true]);
    expect(endings.map(ending => visibilitySeconds(ending, NOW_MS))).toEqual([undefined, undefined]);
    expect(isDone(dueIn(1_000))).toBe(false);
  });
});
