import { RESERVE_MS, SQS_CLIENT_CONFIG } from '../../../lambda/relay/sqs-calls';
import { RESERVE_SECONDS } from '../../../lib/relay/relay-run';

test('What an invocation keeps for SQS holds a burial, a hiding and one of both once more, at their slowest', () => {
  const { maxAttempts, requestHandler } = SQS_CLIENT_CONFIG;
  expect(RESERVE_MS).toBeGreaterThan(3 * maxAttempts * requestHandler.requestTimeout);
});

test('It fits into what the construct gives an invocation beside its requests, with seconds left for secrets', () => {
  expect(RESERVE_MS).toBeLessThanOrEqual((RESERVE_SECONDS - 3) * 1_000);
});
