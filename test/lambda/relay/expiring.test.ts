import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { sqsEvent } from '../../../lambda/relay-breaker/sqs-event';
import { DeployedRelay } from './relay-fixture';

const RETENTION_SECONDS = 864_000;

/** A relay that is stopped, with messages its queue is about to drop. */
async function stoppedRelay(fifo: boolean, bodies: readonly string[]): Promise<DeployedRelay> {
  const relay = await DeployedRelay.deploy({ disabled: true, retentionSeconds: RETENTION_SECONDS, fifo });
  for (const body of bodies) await relay.publish(body);
  await relay.settle();
  return relay;
}

/** Has the relay give up what it has, as its breaker does. */
async function giveUp({ deployed }: DeployedRelay) {
  const messages = await deployed.receive('Queue');
  const Payload = JSON.stringify({ ...sqsEvent(messages, deployed.arn('Queue')), expiring: true });
  const client = new LambdaClient(deployed.aws.clientConfig());
  const invoked = client.send(new InvokeCommand({ FunctionName: deployed.ref('Function'), Payload }));
  await deployed.advance({ minutes: 1 });
  const { Payload: answer = [] } = await invoked;
  return { messages, answer: JSON.parse(Buffer.from(answer).toString('utf8')) };
}

describe.each([false, true])('A relay that is asked to give messages up (fifo: %p)', fifo => {
  test('buries them without an attempt, and says why and until when they would have lasted', async () => {
    const relay = await stoppedRelay(fifo, ['order-1', 'order-2']);
    const { messages, answer } = await giveUp(relay);
    expect(messages).toHaveLength(2);
    expect(answer).toMatchObject({ batchItemFailures: [], attempts: 0, dead: 2, failedAttempts: 0 });
    expect(relay.requests).toEqual([]);
    const relayMessages = await relay.deadLetters();
    expect(relayMessages.map(({ body }) => JSON.parse(body).Message)).toEqual(['order-1', 'order-2']);
    const sentAtMs = Number(messages[0]?.Attributes?.['SentTimestamp']);
    const until = new Date(sentAtMs + 1_000 * RETENTION_SECONDS).toISOString().slice(0, 16);
    const reason = `^the relay was stopped, as its endpoint failed, and the queue would drop the message at ${until}`;
    for (const { attributes } of relayMessages) {
      expect(attributes).toMatchObject({
        DeadLetterCause: 'retention-spent',
        DeadLetterReason: expect.stringMatching(reason),
      });
    }
  });

  test('keeps what the dead-letter queue does not take', async () => {
    const relay = await stoppedRelay(fifo, ['order-1']);
    relay.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: relay.deployed.arn('Dead') });
    const { messages, answer } = await giveUp(relay);
    expect(answer.batchItemFailures).toEqual([{ itemIdentifier: messages[0]?.MessageId }]);
    expect([relay.requests, relay.queued]).toEqual([[], 1]);
  });
});
