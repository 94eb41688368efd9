import { MAX_FUNCTION_TIMEOUT_SECONDS } from '../../../policy/aws-limits';
import { invocationMs, MAX_REPLAYED_TIMEOUT_SECONDS, replayProblem } from '../../../policy/redrive/replay-event';

describe('A function to which a redrive replays', () => {
  // https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html: "To configure a destination for
  // asynchronous invocation records …". A synchronous invocation has no such record.
  test('has no on-success destination, which a synchronous invocation skips', () => {
    const onSuccessArn = 'arn:aws:sqs:us-east-1:123456789012:billed';
    expect(replayProblem({ timeoutSeconds: 3, onSuccessArn }, MAX_FUNCTION_TIMEOUT_SECONDS)).toBe(
      `has an on-success destination, ${onSuccessArn}, to which Lambda sends nothing after a replay: a replay waits for the result, so it is a synchronous invocation`,
    );
    expect(replayProblem({ timeoutSeconds: 3 }, MAX_FUNCTION_TIMEOUT_SECONDS)).toBeUndefined();
  });

  test('may run no longer than its caller can wait', () => {
    const ofSeconds = (timeoutSeconds: number) => replayProblem({ timeoutSeconds }, MAX_REPLAYED_TIMEOUT_SECONDS);
    expect(ofSeconds(780)).toBeUndefined();
    expect(ofSeconds(781)).toBe(
      'has a timeout of 781 seconds, and a replay can wait at most 780 seconds for the result',
    );
  });

  test('counts as failed after its timeout, and 20 seconds for the start of an execution environment', () => {
    expect(invocationMs({ timeoutSeconds: 3 })).toBe(23_000);
  });

  test('can answer within the 15 minutes of the redrive’s function, even at the highest timeout', () => {
    const reserveMs = 30_000;
    const leftMs = 900_000 - invocationMs({ timeoutSeconds: MAX_REPLAYED_TIMEOUT_SECONDS }) - reserveMs;
    expect(leftMs).toBeGreaterThanOrEqual(60_000);
  });
});
