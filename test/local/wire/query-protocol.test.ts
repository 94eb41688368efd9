import { WireFixture } from './wire-fixture';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

describe('the query protocol', () => {
  it('reads flattened lists and maps of structures, and answers XML with the request id', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const form = new URLSearchParams({
      Action: 'SendMessage',
      QueueUrl: url,
      MessageBody: 'a & b',
      'MessageAttribute.1.Name': 'city',
      'MessageAttribute.1.Value.DataType': 'String',
      'MessageAttribute.1.Value.StringValue': 'Zürich',
      'MessageAttribute.2.Name': 'proof',
      'MessageAttribute.2.Value.DataType': 'Binary',
      'MessageAttribute.2.Value.BinaryValue': 'AAEC',
    });
    const answer = await wire.raw(form.toString(), FORM);
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/xml');
    expect(answer.text).toContain('<SendMessageResponse xmlns="http://queue.amazonaws.com/doc/2012-11-05/">');
    expect(answer.text).toContain(`<RequestId>${answer.headers['x-amzn-requestid']}</RequestId>`);
    const [message] = wire.aws.receive(url);
    expect(answer.text).toContain(`<MessageId>${message?.MessageId}</MessageId>`);
    expect(message).toMatchObject({
      Body: 'a & b',
      MessageAttributes: {
        city: { DataType: 'String', StringValue: 'Zürich' },
        proof: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 1, 2]) },
      },
    });
  });

  it('takes lists in the order of their numbers, whatever the order they came in', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const form = new URLSearchParams({ Action: 'SendMessageBatch', QueueUrl: url });
    for (const i of [10, 9, 2, 1]) {
      form.set(`SendMessageBatchRequestEntry.${i}.Id`, `e${i}`);
      form.set(`SendMessageBatchRequestEntry.${i}.MessageBody`, `body ${i}`);
    }
    expect((await wire.raw(form.toString(), FORM)).status).toBe(200);
    expect(wire.aws.bodies(url)).toEqual(['body 1', 'body 2', 'body 9', 'body 10']);
  });

  it('finds the queue in the path, as older clients send it', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const answer = await wire.raw('Action=SendMessage&MessageBody=hello', FORM, '/123456789012/orders');
    expect(answer.status).toBe(200);
    expect(wire.aws.bodies(url)).toEqual(['hello']);
  });

  it('writes flattened lists and escapes what XML would misread', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    wire.aws.send(url, '<one>');
    wire.aws.send(url, '&two');
    const form = new URLSearchParams({ Action: 'ReceiveMessage', QueueUrl: url, MaxNumberOfMessages: '10' });
    const { text } = await wire.raw(form.toString(), FORM);
    expect(text.match(/<Message>/g)).toHaveLength(2);
    expect(text).toContain('<Body>&lt;one&gt;</Body>');
    expect(text).toContain('<Body>&amp;two</Body>');
  });

  it('leaves the result out where the action has none', async () => {
    const wire = new WireFixture();
    const url = wire.aws.createQueue('orders');
    const { text } = await wire.raw(new URLSearchParams({ Action: 'PurgeQueue', QueueUrl: url }).toString(), FORM);
    expect(text).not.toContain('PurgeQueueResult');
    expect(text).toMatch(/^<PurgeQueueResponse .*<ResponseMetadata><RequestId>/);
  });

  it.each([
    ['no action', '', 400, 'MissingAction'],
    ['an action nobody knows', 'Action=Fly', 400, 'InvalidAction'],
    ['a queue that does not exist', 'Action=PurgeQueue&QueueUrl=x', 400, 'AWS.SimpleQueueService.NonExistentQueue'],
    ['a number that is none', 'Action=ReceiveMessage&QueueUrl=x&MaxNumberOfMessages=lots', 400, 'MalformedInput'],
    ['a structure for a text', 'Action=SendMessage&QueueUrl.x=1', 400, 'MalformedInput'],
    ['a map entry without a value', 'Action=CreateQueue&QueueName=q&Attribute.1.Name=Policy', 400, 'MalformedInput'],
  ])('answers %s with AWS’s error', async (_, body, status, code) => {
    const answer = await new WireFixture().raw(body, FORM);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(`<Code>${code}</Code>`);
    expect(answer.text).toContain('<Type>');
  });

  it('says 501, and which, to an action the embedded AWS has not', async () => {
    const { status, text } = await new WireFixture({ implements: () => false, call: () => ({}) }).raw(
      'Action=ListQueues',
      FORM,
    );
    expect(status).toBe(501);
    expect(text).toContain('<Code>NotImplemented</Code>');
    expect(text).toContain('sqs:ListQueues');
  });

  it('asks for a signature', async () => {
    const answer = await new WireFixture().raw('Action=ListQueues', { authorization: '' });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('<Code>MissingAuthenticationToken</Code>');
  });

  it('takes a signature in the URL', async () => {
    const wire = new WireFixture();
    const path = '/?Action=ListQueues&X-Amz-Credential=AKIA%2F20260101%2Fus-east-1%2Fsqs%2Faws4_request';
    expect((await wire.raw('', { authorization: '' }, path)).status).toBe(200);
  });
});
