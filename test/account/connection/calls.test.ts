import { callFailureText, mapAtMost } from '../../../account/connection/calls';

const CALL = { action: 'sqs:GetQueueAttributes', region: 'eu-west-9' };

const failure = (name: string, message: string, more = {}) => Object.assign(new Error(message), { name, ...more });

describe('What a failed call of AWS says', () => {
  test('is the permission AWS names, which need not be that of the call', () => {
    const message =
      'User: arn:aws:iam::123456789012:user/eve is not authorized to perform: kms:Decrypt on resource: ' +
      'arn:aws:kms:eu-west-9:123456789012:key/1 because no identity-based policy allows the kms:Decrypt action';
    expect(callFailureText(failure('KMS.AccessDeniedException', message), CALL)).toBe(
      `sqs:GetQueueAttributes is denied: ${message}. Grant the caller ` +
        '{"Effect":"Allow","Action":"kms:Decrypt","Resource":"arn:aws:kms:eu-west-9:123456789012:key/1"}.',
    );
  });

  test.each([
    ['sqs:ReceiveMessage', '"kms:Decrypt"'],
    ['sqs:SendMessage', '["kms:GenerateDataKey","kms:Decrypt"]'],
  ])('is that on the key where KMS refuses %s, and names none', (action, granted) => {
    const message = 'null (Service: AWSKMS; Status Code: 400; Error Code: AccessDeniedException)';
    const text = callFailureText(failure('KMS.AccessDeniedException', message), { ...CALL, action });
    expect(text).toContain(`Grant the caller {"Effect":"Allow","Action":${granted},"Resource":"*"}.`);
  });

  test('is no grant where a policy denies by name', () => {
    const message =
      'User: eve is not authorized to perform: sqs:getqueueattributes with an explicit deny in a service control policy';
    expect(callFailureText(failure('AccessDenied', message), CALL)).toBe(
      `sqs:GetQueueAttributes is denied: ${message}. A policy denies it explicitly: remove that statement.`,
    );
  });

  test('asks whether the Region is one, where its host is not there', () => {
    const error = failure('Error', 'getaddrinfo ENOTFOUND sqs.eu-west-9.amazonaws.com', { code: 'ENOTFOUND' });
    expect(callFailureText(error, CALL)).toBe(
      'sqs:GetQueueAttributes could not reach AWS: getaddrinfo ENOTFOUND sqs.eu-west-9.amazonaws.com. ' +
        'Is eu-west-9 a Region, and is this machine online?',
    );
  });

  test('has a cause where all addresses of a host refused, of which node says no word', () => {
    const error = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    expect(callFailureText(error, { ...CALL, endpointUrl: 'http://localhost:1' })).toBe(
      'sqs:GetQueueAttributes could not reach AWS: ECONNREFUSED. Is the service at http://localhost:1 running?',
    );
  });

  test('is why a profile has no credentials', () => {
    const error = failure('CredentialsProviderError', 'The SSO session associated with this profile has expired.');
    expect(callFailureText(error, CALL)).toBe(
      'no AWS credentials are available: The SSO session associated with this profile has expired.',
    );
  });

  test('is all there is of what is no error', () => {
    expect(callFailureText('odd', CALL)).toBe('sqs:GetQueueAttributes: odd');
    const wrapped = failure('Error', 'AWS SDK error wrapper for TimeoutError: socket hang up');
    expect(callFailureText(wrapped, CALL)).toBe('sqs:GetQueueAttributes: TimeoutError: socket hang up');
    expect(callFailureText(failure('InvalidAttributeName', ''), CALL)).toBe(
      'sqs:GetQueueAttributes: InvalidAttributeName',
    );
  });
});

describe('map at most', () => {
  /** Tasks that end when the test ends them. */
  class Work {
    readonly begun: string[] = [];
    private readonly ends = new Map<string, { done(result: string): void; fail(error: Error): void }>();

    readonly start = (item: string): Promise<string> => {
      this.begun.push(item);
      return new Promise((done, fail) => this.ends.set(item, { done, fail }));
    };

    /** Ends a task, and lets the code that awaits it continue. */
    async end(item: string, error?: Error): Promise<void> {
      const { done, fail } = this.ends.get(item) ?? {};
      if (error) fail?.(error);
      else done?.(item.toUpperCase());
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    }
  }

  test('does no more than so many at once, and answers in the order of the items', async () => {
    const work = new Work();
    const all = mapAtMost(2, ['a', 'b', 'c'], work.start);
    expect(work.begun).toEqual(['a', 'b']);
    await work.end('b');
    expect(work.begun).toEqual(['a', 'b', 'c']);
    await work.end('c');
    await work.end('a');
    expect(await all).toEqual(['A', 'B', 'C']);
  });

  test('begins nothing more once something failed, and says what', async () => {
    const work = new Work();
    const all = mapAtMost(2, ['a', 'b', 'c', 'd'], work.start);
    const failed = expect(all).rejects.toThrow('a is bad');
    await work.end('a', new Error('a is bad'));
    await work.end('b');
    await failed;
    expect(work.begun).toEqual(['a', 'b']);
  });

  test('has nothing to do with nothing', async () => {
    expect(await mapAtMost(3, [], () => Promise.reject(new Error('never')))).toEqual([]);
  });
});
