import { AwsError } from '../../../local/kernel/aws-error';
import { documentService, LAMBDA_MODEL, SQS_MODEL } from '../../../local/wire';
import { ADMIN, SqsFixture } from '../sqs/sqs-fixture';

/** `Code: text` of what a call is refused with. */
function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof AwsError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
}

describe('a service called with documents', () => {
  it('does what it is called for', () => {
    const aws = new SqsFixture();
    const url = aws.createQueue('Orders');
    const service = documentService(SQS_MODEL, aws.sqs);
    expect(service.implements('SendMessage')).toBe(true);
    service.call('SendMessage', ADMIN, { QueueUrl: url, MessageBody: 'hello', Unknown: 1 });
    expect(aws.bodies(url)).toEqual(['hello']);
  });

  it('lets nothing in that has not the shape of the action', () => {
    const service = documentService(SQS_MODEL, new SqsFixture().sqs);
    expect(refusal(() => service.call('SendMessage', ADMIN, { MessageBody: { a: 1 } }))).toBe(
      'SerializationException: MessageBody must be a string, got {"a":1}',
    );
    expect(refusal(() => service.call('SendMessage', ADMIN, 'text'))).toContain('SerializationException');
    expect(refusal(() => service.call('DoSomething', ADMIN, {}))).toContain('NotImplemented');
    expect(service.implements('DoSomething')).toBe(false);
  });

  it('takes bytes as the text they are', () => {
    const inputs: unknown[] = [];
    const lambda = { call: (_action: never, _caller: unknown, input: never) => void inputs.push(input) };
    documentService(LAMBDA_MODEL, lambda).call('Invoke', ADMIN, { FunctionName: 'f', Payload: '{"a":1}' });
    expect(inputs).toEqual([{ FunctionName: 'f', Payload: Buffer.from('{"a":1}') }]);
  });
});
