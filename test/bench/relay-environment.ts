import { isIP } from 'node:net';
import { RELAY_SETTINGS_VARIABLE, type RelaySettings } from '../../policy/relay/relay-settings';
import { rangeOf } from './own-address';

function settingsOf(url: string): RelaySettings {
  const address = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return {
    queueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/relay',
    deadLetterQueueUrl: 'https://sqs.us-east-1.amazonaws.com/123456789012/dead',
    fifo: false,
    endpoint: { url },
    retryPolicy: {
      minDelayTarget: 20,
      maxDelayTarget: 3_600,
      numRetries: 100,
      numMaxDelayRetries: 80,
      numNoDelayRetries: 3,
      numMinDelayRetries: 2,
      backoffFunction: 'exponential',
    },
    jitterPercent: 20,
    retryAfterCapSeconds: 3_600,
    maxDelaySeconds: 40_000,
    connectTimeoutMs: 5_000,
    totalTimeoutMs: 15_000,
    contentType: 'text/plain; charset=UTF-8',
    rawMessageDelivery: false,
    headers: {},
    allowedPrivateRanges: isIP(address) ? [rangeOf(address)] : [],
    deadStatuses: [400, 410, 413, 415, 422],
  };
}

/** The environment of a relay that posts to the URL. */
export function relayEnvironment(url: string): Readonly<Record<string, string>> {
  return {
    AWS_REGION: 'us-east-1',
    AWS_LAMBDA_FUNCTION_NAME: 'relay',
    [RELAY_SETTINGS_VARIABLE]: JSON.stringify(settingsOf(url)),
  };
}
