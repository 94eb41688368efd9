import { retryDelaySeconds, retryPolicyOf, targetErrorOf } from '../../../local/event-delivery';
import { AwsError } from '../../../local/kernel/aws-error';

describe('a retry policy', () => {
  // "By default, EventBridge retries sending the event for 24 hours and up to 185 times."
  it('is 185 retries in 24 hours by default', () => {
    expect(retryPolicyOf()).toEqual({ maximumRetryAttempts: 185, maximumEventAgeSeconds: 86_400 });
    expect(retryPolicyOf({ MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 })).toEqual({
      maximumRetryAttempts: 0,
      maximumEventAgeSeconds: 60,
    });
  });

  it('waits twice as long each time, so that 185 retries almost fill 24 hours', () => {
    const delays = Array.from({ length: 185 }, (_, i) => retryDelaySeconds(i + 1));
    expect(delays.slice(0, 11)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 480, 480]);
    const hours = delays.reduce((sum, delay) => sum + delay, 0) / 3600;
    expect(hours).toBeGreaterThan(23);
    expect(hours).toBeLessThan(24);
  });
});

describe('an error of a target', () => {
  it.each([
    [new AwsError('RequestThrottled', 'Request is throttled.', 403), 'THROTTLING', true],
    [new AwsError('Throttling', 'Rate exceeded', 400), 'THROTTLING', true],
    [new AwsError('KMS.ThrottlingException', 'Rate exceeded', 400), 'THROTTLING', true],
    [new AwsError('ServiceUnavailable', 'out', 503), 'ERROR_FROM_TARGET', true],
    [new AwsError('InternalError', 'out', 500), 'ERROR_FROM_TARGET', true],
    [new AwsError('AccessDenied', 'no', 403), 'NO_PERMISSIONS', false],
    [new AwsError('NotFound', 'gone', 404), 'NO_RESOURCE', false],
    [new AwsError('NotImplemented', 'not here', 501), 'SDK_CLIENT_ERROR', false],
  ])('%# is named and tried again, or not', (error, code, isRetried) => {
    expect(targetErrorOf(error)).toEqual({ code, isRetried });
  });
});
