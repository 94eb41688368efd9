import { formatProblem } from '../../../policy/problem';
import { paceMs, readRelaySettings } from '../../../policy/relay/relay-settings';
import { SETTINGS } from './fixtures';

describe('read relay settings', () => {
  const WHOLE = {
    ...SETTINGS,
    endpoint: { secretArn: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:url-AbCdEf', field: 'url' },
    headers: { 'X-Tenant': 'acme' },
    headersSecretArn: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:headers-AbCdEf',
    signingSecretArn: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:key-AbCdEf',
    authorization: {
      tokenUrl: 'https://auth.example.com/token',
      credentialsSecretArn: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:client-AbCdEf',
      scope: 'orders:write orders:read',
      audience: 'https://api.example.com',
      credentialsInBody: true,
    },
    allowedPrivateRanges: ['10.0.0.0/8'],
    deadStatuses: [300, 404, 599],
    retentionSeconds: 864_000,
    maxReceivesPerSecond: 12.5,
    maximumConcurrency: 5,
  };

  const CLIENT = (changes: object) => ({ ...WHOLE.authorization, ...changes });

  function problems(changes: Readonly<Record<string, unknown>>): string[] {
    const reading = readRelaySettings(JSON.stringify({ ...WHOLE, ...changes }));
    return reading.kind === 'problems' ? reading.problems.map(formatProblem) : [];
  }

  test('Settings are read as they were written, with and without the optional ones', () => {
    for (const settings of [SETTINGS, WHOLE]) {
      expect(readRelaySettings(JSON.stringify(settings))).toEqual({ kind: 'settings', settings });
    }
  });

  test.each([
    [undefined, 'RELAY_SETTINGS must be a JSON object, got nothing'],
    ['', 'RELAY_SETTINGS must be a JSON object, got "0 characters"'],
    ['{', 'RELAY_SETTINGS must be a JSON object, got "1 characters"'],
    ['[]', 'RELAY_SETTINGS must be a JSON object, got "2 characters"'],
    ['null', 'RELAY_SETTINGS must be a JSON object, got "4 characters"'],
  ])('The text %p is no settings', (text, problem) => {
    const reading = readRelaySettings(text);
    expect(reading.kind === 'problems' && reading.problems.map(formatProblem)).toEqual([problem]);
  });

  test.each([
    ['queueUrl', '', 'must be a string that is not empty, got ""'],
    ['queueUrl', 7, 'must be a string that is not empty, got 7'],
    ['deadLetterQueueUrl', undefined, 'must be a string that is not empty, got nothing'],
    ['fifo', 'yes', 'must be true or false, got "yes"'],
    ['rawMessageDelivery', 0, 'must be true or false, got 0'],
    ['contentType', '', 'must be a string that is not empty, got ""'],
    ['jitterPercent', -1, 'must be a whole number from 0 to 100, got -1'],
    ['jitterPercent', 101, 'must be a whole number from 0 to 100, got 101'],
    ['jitterPercent', 0.5, 'must be a whole number from 0 to 100, got 0.5'],
    ['jitterPercent', '10', 'must be a whole number from 0 to 100, got "10"'],
    ['retryAfterCapSeconds', -1, 'must be a number of at least 0, got -1'],
    ['retryAfterCapSeconds', '1', 'must be a number of at least 0, got "1"'],
    ['maxDelaySeconds', 0, 'must be a whole number from 1 to 43200, got 0'],
    ['maxDelaySeconds', 43_201, 'must be a whole number from 1 to 43200, got 43201'],
    ['retentionSeconds', 59, 'must be a whole number from 60 to 1209600, got 59'],
    ['connectTimeoutMs', 0, 'must be a number of at least 1, got 0'],
    ['totalTimeoutMs', 0.5, 'must be a number of at least 1, got 0.5'],
    ['maxReceivesPerSecond', 0, 'must be a number greater than 0, got 0'],
    ['maximumConcurrency', undefined, 'must be set when maxReceivesPerSecond is set, got nothing'],
    ['maximumConcurrency', 0, 'must be a number of at least 1, got 0'],
    ['headersSecretArn', '', 'must be a string that is not empty, got ""'],
    ['signingSecretArn', 7, 'must be a string that is not empty, got 7'],
    ['allowedPrivateRanges', '10.0.0.0/8', 'must be a list, got "10.0.0.0/8"'],
    ['allowedPrivateRanges[1]', ['10.0.0.0/8', ''], 'must be a string that is not empty, got ""'],
    ['deadStatuses[0]', [299], 'must be a whole number from 300 to 599, got 299'],
    ['deadStatuses[1]', [404, 600], 'must be a whole number from 300 to 599, got 600'],
    ['endpoint', 'https://x.example', 'must be an object with a url or a secretArn, got "https://x.example"'],
    ['endpoint.url', {}, 'must be an absolute http or https URL, got nothing'],
    ['endpoint.url', { url: 'ftp://x.example' }, 'must be an absolute http or https URL, got "ftp://x.example"'],
    [
      'endpoint.url',
      { url: 'x.example' },
      'must be an absolute http or https URL such as https://x.example, got "x.example"',
    ],
    ['endpoint.field', { url: 'http://x.example', field: 'url' }, 'is not known, got "url"'],
    ['endpoint.secretArn', { secretArn: '' }, 'must be a string that is not empty, got ""'],
    ['endpoint.field', { secretArn: 'arn', field: '' }, 'must be a string that is not empty, got ""'],
    ['headers', [], 'must be an object, got []'],
    ['headers.X-Key', { 'X-Tenant': 'acme', 'X-Key': 7 }, 'must be a string, got "number"'],
    ['headers.Host', { Host: 'x' }, 'must not replace a header of the relay, of SNS or of the connection, got "Host"'],
    ['authorization', 'Bearer', 'must be an object, got "Bearer"'],
    ['authorization.scope', CLIENT({ scope: 'a  b' }), 'must be scopes, separated by single blanks, got "a  b"'],
    ['authorization.audience', CLIENT({ audience: '' }), 'must be a string that is not empty, got ""'],
    ['authorization.credentialsInBody', CLIENT({ credentialsInBody: 1 }), 'must be true or false, got 1'],
    ['authorization.token', CLIENT({ token: 'x' }), 'is not known, got "x"'],
    ['retryPolicy', 'http-default', 'must be an object, got "http-default"'],
  ])('%s of %j %s', (property, value, rule) => {
    const [member = ''] = property.split(/[.[]/);
    expect(problems({ [member]: value })).toEqual([`${property} ${rule}`]);
  });

  describe('The retry policy', () => {
    const policy = (changes: Readonly<Record<string, unknown>>) =>
      problems({ retryPolicy: { ...SETTINGS.retryPolicy, ...changes } });

    test('must be complete, without defaults', () => {
      expect(policy({ numRetries: undefined, backoffFunction: undefined })).toEqual([
        'retryPolicy.numRetries must be set, got nothing',
        'retryPolicy.backoffFunction must be set, got nothing',
      ]);
    });

    test('has the limits of a relay, and none on its total time', () => {
      expect(policy({ numRetries: 832, numNoDelayRetries: 0, minDelayTarget: 43_200, maxDelayTarget: 43_200 })).toEqual(
        [],
      );
      expect(policy({ numRetries: 832, numNoDelayRetries: 832, numMinDelayRetries: 0, numMaxDelayRetries: 0 })).toEqual(
        [],
      );
      expect(policy({ numRetries: 833, maxDelayTarget: 43_201, tries: 1 })).toEqual([
        'retryPolicy.tries is not known: allowed here are minDelayTarget, maxDelayTarget, numRetries, numMaxDelayRetries, numNoDelayRetries, numMinDelayRetries, backoffFunction, got 1',
        'retryPolicy.maxDelayTarget must be less than or equal to 43200, got 43201',
        'retryPolicy.numRetries must be less than or equal to 832, got 833',
      ]);
    });
  });

  test('All problems are reported at once, and an unknown member is one', () => {
    expect(problems({ queueUrl: '', fifo: 1, jitter: 10 })).toEqual([
      'queueUrl must be a string that is not empty, got ""',
      'fifo must be true or false, got 1',
      'jitter is not known, got 10',
    ]);
  });
});

describe('The interval between two requests of an invocation', () => {
  test.each([
    ['is the share of each', 20, 5, 250],
    ['is a second where each has one request a second', 5, 5, 1_000],
    ['is of a whole number of requests a second: three of 2.5 would fall into some', 5, 2, 500],
    ['is of a whole number where it is more, too', 10, 3, 1_000 / 3],
    ['is longer than a second where there are fewer requests a second than invocations', 2, 5, 2_500],
  ])('%s', (_, maxReceivesPerSecond, maximumConcurrency, ms) => {
    expect(paceMs({ maxReceivesPerSecond, maximumConcurrency })).toBe(ms);
  });

  test('is zero without a ceiling', () => {
    expect(paceMs({ maximumConcurrency: 5 })).toBe(0);
    expect(paceMs({})).toBe(0);
  });
});
