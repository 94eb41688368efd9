import { AwsError } from '../../../local/kernel/aws-error';
import type { Latency } from '../../../local/kernel/caller';
import { callService, isThrottling, isTransient } from '../../../local/kernel/service-call';
import { Timeline, WorkFailed } from '../../../local/kernel/timeline';

const OUTAGE = new AwsError('ServiceUnavailable', 'out of order', 503);

/** What becomes of a call, and when. */
async function end(call: (latency: Latency) => unknown): Promise<readonly (readonly [number, unknown])[]> {
  const timeline = new Timeline(0);
  const ends: (readonly [number, unknown])[] = [];
  callService(timeline, call, {
    answered: value => ends.push([timeline.nowMs, value]),
    refused: error => ends.push([timeline.nowMs, error]),
  });
  await timeline.runUntilIdle();
  return ends;
}

const late =
  (ms: number, then: () => unknown) =>
  (latency: Latency): unknown => {
    latency.ms = ms;
    return then();
  };

describe('a call of another service', () => {
  it.each([
    ['a value', () => 'taken', 'taken'],
    ['a promise', async () => 'taken', 'taken'],
    ['an error', () => refuse(), OUTAGE],
    ['a promise of an error', async () => refuse(), OUTAGE],
  ])('ends when %s is there, however late', async (_, answer, ended) => {
    expect(await end(answer)).toEqual([[0, ended]]);
    expect(await end(late(3000, answer))).toEqual([[3000, ended]]);
  });

  it('hides no error that is not AWS’s', async () => {
    const bug = (): never => {
      throw new TypeError('a bug');
    };
    await expect(end(bug)).rejects.toThrow(new TypeError('a bug'));
    await expect(end(async () => bug())).rejects.toBeInstanceOf(WorkFailed);
  });
});

function refuse(): never {
  throw OUTAGE;
}

it.each([
  ['ServiceUnavailable', 503, true, false],
  ['Throttling', 400, true, true],
  ['RequestThrottled', 403, true, true],
  ['TooManyRequestsException', 429, true, true],
  ['NotImplemented', 501, false, false],
  ['AccessDenied', 403, false, false],
  ['NotFound', 404, false, false],
])('%s (%s) may go well later: %s', (code, httpStatus, transient, throttling) => {
  const error = new AwsError(code, 'text', httpStatus);
  expect(isTransient(error)).toBe(transient);
  expect(isThrottling(error)).toBe(throttling);
});
