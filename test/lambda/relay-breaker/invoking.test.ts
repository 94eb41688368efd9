import { Duration } from 'aws-cdk-lib';
import { response, silence } from '../../../local';
import { DeployedBreaker } from './breaker-fixture';

/** How long Lambda takes to fail. */
const LAMBDA_MS = 10_000;

/** https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html: who calls a function waits for as long as it may take. */
describe('A breaker invokes the relay', () => {
  test('once for a probe, though Lambda fails at it: a second try would be a second attempt', async () => {
    const breaker = await DeployedBreaker.open(['order 7']);
    const { deployed } = breaker;
    const resource = deployed.arn('Relay/Function');
    const failure = { code: 'ServiceException', httpStatus: 500, latencyMs: LAMBDA_MS };
    const fault = deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', resource, ...failure });
    expect(await breaker.until('probe')).toMatchObject({
      to: 'open',
      reason: expect.stringContaining("Lambda did not invoke the relay's function"),
    });
    fault.end();
    const probes = deployed.happened('lambda.finished').filter(({ durationMs }) => durationMs >= LAMBDA_MS);
    expect(probes).toHaveLength(1);
    expect(probes[0]?.durationMs).toBeLessThan(2 * LAMBDA_MS);
    expect(breaker.host.requests).toEqual([]);
    expect(await breaker.until('half-open')).toMatchObject({ reason: 'the endpoint answers' });
    expect(breaker.host.requests).toHaveLength(1);
  });

  test('and waits for as long as it may take: an endpoint that is silent to two attempts has failed', async () => {
    const minute = Duration.minutes(1);
    const retryPolicy = { numRetries: 3, numNoDelayRetries: 1, minDelayTarget: minute, maxDelayTarget: minute };
    const breaker = await DeployedBreaker.open(['order 7'], { retryPolicy });
    breaker.host.behave({ reply: silence() });
    expect(await breaker.until('probe')).toMatchObject({ reason: 'the probe failed', from: 'open', to: 'open' });
    const [first = Number.NaN, second = Number.NaN, ...others] = breaker.host.requests.map(({ atMs }) => atMs);
    expect(second - first).toBeGreaterThanOrEqual(15_000);
    expect(others).toEqual([]);
    expect(await breaker.deployed.functionSum('Relay/Breaker/Function', 'Errors')).toBe(0);
    // Nothing of the probe goes on behind its back.
    breaker.host.behave({ reply: response(200) });
    await breaker.until('half-open');
    expect([breaker.host.requests.length, breaker.queued]).toEqual([3, [0, 0]]);
  });
});
