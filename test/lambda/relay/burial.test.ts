import { type MessageAttributeValue, SendMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { response } from '../../../local';
import { QUEUE_LIMITS } from '../../../policy/limits/queue-limits';
import { DeployedRelay } from './relay-fixture';

/** What the relay says of a message that the endpoint refused, in the order of its importance. */
const REASONS = [
  'DeadLetterCause',
  'DeadLetterReason',
  'AttemptsSpent',
  'LastStatusCode',
  'Destination',
  'SentAt',
  'FirstReceivedAt',
  'DeadLetteredAt',
];

const MAX_BYTES = QUEUE_LIMITS.messageBytes.max;

/** A notification of so many bytes, as somebody may send it by hand. */
function notificationOf(bytes: number): string {
  const written = (Message: string) =>
    JSON.stringify({ Type: 'Notification', MessageId: 'by-hand', TopicArn: 'arn:aws:sns:x', Message, Timestamp: '' });
  return written('x'.repeat(bytes - written('').length));
}

/** What becomes of a message that the endpoint refuses, with the line the relay prints of it. */
async function refused(MessageBody: string, MessageAttributes: Record<string, MessageAttributeValue> = {}) {
  const relay = await DeployedRelay.deploy();
  relay.host.behave({ reply: response(422) });
  const message = { QueueUrl: relay.deployed.ref('Queue'), MessageBody, MessageAttributes };
  await relay.deployed.sqs.send(new SendMessageCommand(message));
  await relay.settle();
  const relayMessages = await relay.deadLetters();
  expect(relayMessages.map(({ body }) => body)).toEqual([MessageBody]);
  expect(relay.queued).toBe(0);
  return { attributes: relayMessages[0]?.attributes, lines: relay.lines };
}

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html: at most ten, and in the message's size. */
describe('A dead letter of the relay', () => {
  test('that is as large as a message can be has no reason beside it, and the log has it', async () => {
    const { attributes, lines } = await refused(notificationOf(MAX_BYTES));
    expect(attributes).toEqual({});
    expect(lines).toMatchObject([
      { message: 'dead-lettered', cause: 'refused', lastStatusCode: 422, omitted: REASONS },
    ]);
  });

  test('that leaves room for some of the reason has what matters most of it', async () => {
    const room = 'DeadLetterCause'.length + 'String'.length + 'refused'.length;
    const { attributes, lines } = await refused(notificationOf(MAX_BYTES - room));
    expect(attributes).toEqual({ DeadLetterCause: 'refused' });
    expect(lines).toMatchObject([{ message: 'dead-lettered', omitted: REASONS.slice(1) }]);
  });

  test('that came with ten attributes keeps the two of them that fit beside the reason', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `own${index}`);
    const own = names.map(name => [name, { DataType: 'String', StringValue: name }]);
    const { attributes = {}, lines } = await refused(notificationOf(1_000), Object.fromEntries(own));
    expect(Object.keys(attributes).sort()).toEqual([...REASONS, 'own0', 'own1'].sort());
    expect(lines).toMatchObject([{ message: 'dead-lettered', omitted: names.slice(2) }]);
  });

  test('goes without its attributes into a dead-letter queue that finds them too large', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(410) });
    const { deployed } = relay;
    const Attributes = { MaximumMessageSize: '1024' };
    await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl: deployed.ref('Dead'), Attributes }));
    const body = notificationOf(1_000);
    await deployed.send('Queue', body);
    await relay.settle();
    expect(await relay.deadLetters()).toMatchObject([{ body, attributes: {} }]);
    expect(relay.lines).toMatchObject([{ message: 'dead-lettered', cause: 'gone' }]);
    expect(relay.queued).toBe(0);
  });

  test('stays in the queue while its dead-letter queue finds the body too large', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(410) });
    const { deployed } = relay;
    const Attributes = { MaximumMessageSize: '1024' };
    await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl: deployed.ref('Dead'), Attributes }));
    await deployed.send('Queue', notificationOf(1_025));
    await deployed.advance({ minutes: 4 });
    expect(await relay.deadLetters()).toEqual([]);
    expect(relay.queued).toBe(1);
    expect(relay.lines).toMatchObject([{ level: 'ERROR', message: expect.stringContaining('did not take') }]);
  });

  test('waits ever longer while its dead-letter queue takes nothing, counts each time, and is there once that is mended', async () => {
    const relay = await DeployedRelay.deploy();
    relay.host.behave({ reply: response(422) });
    const { deployed } = relay;
    const fault = deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: deployed.arn('Dead') });
    await relay.publish('x');
    await deployed.advance({ hours: 24 });
    const delays = relay.delays.map(Math.round);
    expect(delays.slice(0, 4)).toEqual([300, 300, 300, 300]);
    expect(delays).toEqual([...delays].sort((one, other) => one - other));
    expect(delays.at(-1)).toBe(3_600);
    const deadLetteringFailed = relay.requests.length;
    expect(await relay.metric('Unburied')).toBe(deadLetteringFailed);
    fault.end();
    await relay.settle();
    expect(await relay.deadLetters()).toMatchObject([{ attributes: { DeadLetterCause: 'refused' } }]);
    expect([relay.requests.length, await relay.metric('Unburied'), relay.queued]).toEqual([
      deadLetteringFailed + 1,
      deadLetteringFailed,
      0,
    ]);
  });
});
