import { WireFixture } from './wire-fixture';

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };

// https://docs.aws.amazon.com/apigateway/latest/developerguide/integrating-api-with-aws-services-sns.html
describe('a query request that accepts JSON, as those of API Gateway do', () => {
  test('is answered in JSON, in the envelope of the query protocol, with null for what has no value', async () => {
    const fixture = new WireFixture();
    const created = await fixture.raw('Action=CreateQueue&QueueName=orders', FORM);
    const { QueueUrl } = JSON.parse(created.text).CreateQueueResponse.CreateQueueResult;
    const form = new URLSearchParams({ Action: 'SendMessage', QueueUrl, MessageBody: 'a&b "c" é' });
    const { status, headers, text } = await fixture.raw(form.toString(), FORM);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json');
    const { SendMessageResponse: response } = JSON.parse(text);
    expect(response).toEqual({
      SendMessageResult: {
        MD5OfMessageBody: expect.stringMatching(/^[0-9a-f]{32}$/),
        MD5OfMessageAttributes: null,
        MD5OfMessageSystemAttributes: null,
        MessageId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        SequenceNumber: null,
      },
      ResponseMetadata: { RequestId: headers['x-amzn-requestid'] },
    });
  });

  test('is refused in JSON too', async () => {
    const { status, headers, text } = await new WireFixture().raw('Action=GetQueueUrl&QueueName=none', FORM);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      Error: {
        Code: 'AWS.SimpleQueueService.NonExistentQueue',
        Message: 'The specified queue does not exist.',
        Type: 'Sender',
      },
      RequestId: headers['x-amzn-requestid'],
    });
  });

  test.each(['text/xml', '*/*', undefined])('and one that accepts %s is answered in XML', async accept => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    const { text } = await new WireFixture().raw('Action=ListQueues', headers);
    expect(text).toContain('<ListQueuesResponse');
  });
});
