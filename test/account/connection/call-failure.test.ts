import { callFailureText } from '../../../account/connection/call-failure';

const CALL = { action: 'sqs:GetQueueAttributes', region: 'eu-west-9' };

const failure = (name: string, message: string, more = {}) => Object.assign(new Error(message), { name, ...more });

describe('What a failed call of AWS says', () => {
  test('is the permission AWS names, which need not be that of the call', () => {
    const message =
      'User: arn:aws:iam::123456789012:user/eve is not authorized to perform: kms:Decrypt on resource: ' +
      'arn:aws:kms:eu-west-9:123456789012:key/1 because no identity-based policy allows the kms:Decrypt action';
    expect(callFailureText(failure('KMS.AccessDeniedException', message), CALL)).toBe(
      `sqs:GetQueueAttributes is denied: ${message}. Whoever runs this needs ` +
        '{"Effect":"Allow","Action":"kms:Decrypt","Resource":"arn:aws:kms:eu-west-9:123456789012:key/1"}.',
    );
  });

  test.each([
    ['sqs:ReceiveMessage', '"kms:Decrypt"'],
    ['sqs:SendMessage', '["kms:GenerateDataKey","kms:Decrypt"]'],
  ])('is that on the key where KMS refuses %s, and names none', (action, granted) => {
    const message = 'null (Service: AWSKMS; Status Code: 400; Error Code: AccessDeniedException)';
    const text = callFailureText(failure('KMS.AccessDeniedException', message), { ...CALL, action });
    expect(text).toContain(`Whoever runs this needs {"Effect":"Allow","Action":${granted},"Resource":"*"}.`);
  });

  test('is no grant where a policy denies by name', () => {
    const message =
      'User: eve is not authorized to perform: sqs:getqueueattributes with an explicit deny in a service control policy';
    expect(callFailureText(failure('AccessDenied', message), CALL)).toBe(
      `sqs:GetQueueAttributes is denied: ${message}. A policy denies it by name: that statement must go.`,
    );
  });

  test('asks whether the Region is one, where its host is not there', () => {
    const error = failure('Error', 'getaddrinfo ENOTFOUND sqs.eu-west-9.amazonaws.com', { code: 'ENOTFOUND' });
    expect(callFailureText(error, CALL)).toBe(
      'sqs:GetQueueAttributes does not reach AWS: getaddrinfo ENOTFOUND sqs.eu-west-9.amazonaws.com. ' +
        'Is eu-west-9 a Region, and this machine online?',
    );
  });

  test('has a cause where all addresses of a host refused, of which node says no word', () => {
    const error = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
    expect(callFailureText(error, { ...CALL, endpointUrl: 'http://localhost:1' })).toBe(
      'sqs:GetQueueAttributes does not reach AWS: ECONNREFUSED. Is anybody at http://localhost:1?',
    );
  });

  test('is why a profile has no credentials', () => {
    const error = failure('CredentialsProviderError', 'The SSO session associated with this profile has expired.');
    expect(callFailureText(error, CALL)).toBe(
      'no AWS credentials can be had: The SSO session associated with this profile has expired.',
    );
  });

  test('is all there is of what is no error', () => {
    expect(callFailureText('odd', CALL)).toBe('sqs:GetQueueAttributes: odd');
    expect(callFailureText(failure('QueueDoesNotExist', ''), CALL)).toBe('sqs:GetQueueAttributes: QueueDoesNotExist');
  });
});
