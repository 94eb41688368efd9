import { SendMessageBatchCommand, StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { OpsTopic, ProcessingQueue, RedriveLane } from '../../lib';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

/** Fails on the whole batch because of one message, and says what it did. */
const CLUMSY = `exports.handler = async ({ Records }) => {
  if (Records.some(({ body }) => body.startsWith('poison'))) throw new Error('indigestible');
  for (const { body } of Records) console.log('done: ' + body);
};`;

const MAILBOX = 'ops@example.com';

const GOOD = ['order 1', 'order 2', 'order 3', 'order 4'];
const POISON = ['poison 1', 'poison 2'];

function lane(fifo: boolean): (stack: Stack) => void {
  return stack => {
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: MAILBOX })];
    const encryptionMasterKey = new Key(stack, 'Key');
    const orders = new ProcessingQueue(stack, 'Orders', { encryptionMasterKey, alarmActions, ...(fifo && { fifo }) });
    orders.addFunctionConsumer(inlineFunction(stack, 'Consumer', CLUMSY, { timeout: Duration.seconds(5) }));
    new RedriveLane(stack, 'Lane', { laneOf: orders, alarmActions });
  };
}

describe.each([false, true])('A lane, FIFO: %s', fifo => {
  let deployed: Deployed;

  const receivesIn = (queue: string, messageId: string) =>
    deployed
      .happened('sqs.received')
      .filter(it => it.queueArn === deployed.arn(queue) && it.messageId === messageId)
      .map(({ receiveCount }) => receiveCount);

  const done = () =>
    deployed.log(`/aws/lambda/${deployed.ref('Consumer')}`).flatMap(line => /done: (\w+ \d)/.exec(line)?.[1] ?? []);

  beforeAll(async () => {
    deployed = await Deployed.stack(lane(fifo));
    deployed.aws.confirmSubscription(MAILBOX);
    const Entries = ['order 1', 'poison 1', 'order 2', 'order 3', 'poison 2', 'order 4'].map((body, index) => ({
      Id: `${index}`,
      MessageBody: body,
      ...(fifo && { MessageGroupId: 'customer-7', MessageDeduplicationId: `${index}` }),
    }));
    await deployed.sqs.send(new SendMessageBatchCommand({ QueueUrl: deployed.ref('Orders/DeadLetterQueue'), Entries }));
    const [SourceArn, DestinationArn] = [deployed.arn('Orders/DeadLetterQueue'), deployed.arn('Lane/Queue')];
    await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn, DestinationArn }));
    await deployed.advance({ minutes: 10 });
  });

  test('takes the good ones home, of whatever batch, and none of them twice', () => {
    expect([...done()].sort()).toEqual(GOOD);
  });

  test('puts poison into quarantine after the three receives of its one pass, and it stays there', async () => {
    const messages = await deployed.receive('Lane/Quarantine');
    expect(messages.map(({ Body }) => Body).sort()).toEqual(POISON);
    for (const { MessageId = '' } of messages) expect(receivesIn('Lane/Queue', MessageId)).toEqual([1, 2, 3]);
    await deployed.advance({ hours: 1 });
    expect(deployed.happened('sqs.dead-lettered')).toHaveLength(POISON.length);
    expect(await deployed.receive('Lane/Queue')).toEqual([]);
  });

  test('tells once, with what to do', () => {
    expect(deployed.alarmed('Lane/Quarantine/WaitingAlarm')).toHaveLength(1);
    const mails = deployed.aws.recipients.receipts(MAILBOX).filter(it => it.subject?.startsWith('ALARM'));
    expect(mails.map(({ body }) => body)).toEqual([expect.stringContaining('#dead-letters-in-quarantine')]);
  });
});

test('Without a lane, poison goes round as often as somebody redrives it', async () => {
  const deployed = await Deployed.stack(lane(false));
  const SourceArn = deployed.arn('Orders/DeadLetterQueue');
  await deployed.send('Orders', 'poison 1');
  await deployed.advance({ minutes: 5 });
  for (let time = 1; time <= 2; time += 1) {
    await deployed.sqs.send(new StartMessageMoveTaskCommand({ SourceArn }));
    await deployed.advance({ minutes: 5 });
    expect(deployed.happened('sqs.dead-lettered')).toHaveLength(1 + time);
  }
});
