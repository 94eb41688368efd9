import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, ProcessingQueue } from '../../lib';
import { Deployed } from '../support/deployed';

const DAY_SECONDS = 86_400;

/** Sends a message to a queue with `maxReceiveCount` 1, and receives it twice: then SQS moves it. */
async function poison(deployed: Deployed, queue: string): Promise<string> {
  const messageId = await deployed.send(queue, 'poison');
  expect(await deployed.receive(queue)).toHaveLength(1);
  await deployed.advance({ seconds: 30 });
  expect(await deployed.receive(queue)).toEqual([]);
  return messageId;
}

/** A topic whose one queue is out of reach, with a dead-letter queue of its own. */
function feedFromTopic(stack: Stack, deadLetterQueue: DeadLetterQueue): void {
  const queue = new Queue(stack, `${deadLetterQueue.node.id}Unreachable`);
  const topic = new DurableTopic(stack, `${deadLetterQueue.node.id}Topic`);
  topic.deliverToQueue('Queue', queue, { deadLetterQueue });
}

function feedFromQueue(stack: Stack, queue: DeadLetterQueue): void {
  new ProcessingQueue(stack, `${queue.node.id}Source`, { deadLetterQueue: { queue, maxReceiveCount: 1 } });
}

describe('the alarm that cannot miss', () => {
  let deployed: Deployed;
  let startedAt: number;

  beforeAll(async () => {
    deployed = await Deployed.stack(stack => {
      feedFromTopic(stack, new DeadLetterQueue(stack, 'SnsFed'));
      const bySqs = new DeadLetterQueue(stack, 'SqsFed');
      feedFromQueue(stack, bySqs);
      for (const id of ['BothFed', 'BothFedAgain']) {
        const both = new DeadLetterQueue(stack, id);
        feedFromTopic(stack, both);
        feedFromQueue(stack, both);
      }
      const sent = bySqs.metricNumberOfMessagesSent({ statistic: Stats.SUM, period: Duration.minutes(1) });
      sent.createAlarm(stack, 'UsualAlarm', {
        threshold: 0,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
    });
    for (const id of ['SnsFed', 'BothFed', 'BothFedAgain']) await deployed.takeQueuePolicyAway(`${id}Unreachable`);
    startedAt = deployed.seconds;
    await deployed.publish('SnsFedTopic', 'x');
    await deployed.publish('BothFedTopic', 'x');
    await poison(deployed, 'SqsFedSource');
    await poison(deployed, 'BothFedAgainSource');
    await deployed.advance({ minutes: 10 });
  });

  const arrival = (queue: string) => {
    const moved = deployed.happened('sqs.dead-lettered').find(it => it.deadLetterQueueArn === deployed.arn(queue));
    return moved ? deployed.secondsAt(moved.atMs) : startedAt;
  };

  /** A message is counted in the minute it comes, and the queue looked into when the minute is over. */
  const expectOnce = (queue: string, alarm: string) => {
    const [at = Number.NaN, ...others] = deployed.alarmed(`${queue}/${alarm}`);
    expect(at - arrival(queue)).toBeLessThanOrEqual(120);
    expect(others).toEqual([]);
  };

  test('is on NumberOfMessagesSent where SNS feeds the queue', () => {
    expectOnce('SnsFed', 'ArrivalsAlarm');
    expect(() => deployed.ref('SnsFed/WaitingAlarm')).toThrow('no deployed stack has a resource');
  });

  test('is on the messages that wait where SQS feeds it, because SQS counts nothing as sent', async () => {
    expectOnce('SqsFed', 'WaitingAlarm');
    expect(() => deployed.ref('SqsFed/ArrivalsAlarm')).toThrow('no deployed stack has a resource');
    expect(await deployed.queueSum('SqsFed', 'NumberOfMessagesSent')).toBe(0);
    expect(deployed.alarmed('UsualAlarm')).toEqual([]);
  });

  test('stays, and does not ring again, while a message waits; it is over when the queue is empty', async () => {
    await poison(deployed, 'SqsFedSource');
    await deployed.advance({ minutes: 5 });
    expect(deployed.alarmed('SqsFed/WaitingAlarm')).toHaveLength(1);
    const bodies = await deployed.take('SqsFed');
    expect(bodies.length).toBeGreaterThanOrEqual(2);
    await deployed.advance({ minutes: 5 });
    expect(deployed.rings('SqsFed/WaitingAlarm').at(-1)?.to).toBe('OK');
  });

  test('is both where both feed it, and either of them is heard', () => {
    expectOnce('BothFed', 'ArrivalsAlarm');
    expectOnce('BothFedAgain', 'WaitingAlarm');
    expect(deployed.alarmed('BothFedAgain/ArrivalsAlarm')).toEqual([]);
  });
});

describe('the age alarm', () => {
  test('leaves three days to respond before a dead letter of SNS expires', async () => {
    const deployed = await Deployed.stack(stack => feedFromTopic(stack, new DeadLetterQueue(stack, 'DeadLetters')));
    await deployed.takeQueuePolicyAway('DeadLettersUnreachable');
    await deployed.publish('DeadLettersTopic', 'x');
    await deployed.advance({ days: 15 });
    const [expired] = deployed.happened('sqs.expired');
    expect(deployed.secondsAt(expired?.atMs ?? 0)).toBe(14 * DAY_SECONDS);
    const [firedAt = Number.NaN, ...others] = deployed.alarmed('DeadLetters/AgeAlarm');
    expect(others).toEqual([]);
    expect(firedAt).toBeGreaterThan(11 * DAY_SECONDS);
    expect(firedAt).toBeLessThanOrEqual(11 * DAY_SECONDS + 120);
  });

  /** A standard queue counts the expiry from the first send, and the age metric of the dead-letter queue from the move. */
  test('leaves as long where the message had already waited in its source for most of its time', async () => {
    const deployed = await Deployed.stack(stack => feedFromQueue(stack, new DeadLetterQueue(stack, 'DeadLetters')));
    await deployed.send('DeadLettersSource', 'poison');
    await deployed.advance({ days: 3, hours: 23 });
    await deployed.receive('DeadLettersSource');
    await deployed.advance({ minutes: 1 });
    await deployed.receive('DeadLettersSource');
    const movedAt = deployed.seconds;
    await deployed.advance({ days: 11 });
    const [expired] = deployed.happened('sqs.expired');
    expect(expired?.queueArn).toBe(deployed.arn('DeadLetters'));
    const expiredAt = deployed.secondsAt(expired?.atMs ?? 0);
    expect(expiredAt).toBe(14 * DAY_SECONDS);
    const [firedAt = Number.NaN] = deployed.alarmed('DeadLetters/AgeAlarm');
    expect(firedAt - movedAt).toBeGreaterThan(7 * DAY_SECONDS);
    expect(expiredAt - firedAt).toBeGreaterThanOrEqual(3 * DAY_SECONDS - 120);
  });
});

test('a FIFO queue has a FIFO dead-letter queue, which keeps the group of what it is moved', async () => {
  const deployed = await Deployed.stack(stack => {
    const queue = new DeadLetterQueue(stack, 'Dead', { fifo: true });
    new ProcessingQueue(stack, 'Source', { fifo: true, deadLetterQueue: { queue, maxReceiveCount: 1 } });
  });
  const poisoned = { QueueUrl: deployed.ref('Source'), MessageBody: 'poison', MessageGroupId: 'car-1' };
  await deployed.sqs.send(new SendMessageCommand({ ...poisoned, MessageDeduplicationId: '1' }));
  expect(await deployed.receive('Source')).toHaveLength(1);
  await deployed.advance({ hours: 12 });
  expect(await deployed.receive('Source')).toEqual([]);
  expect(await deployed.receive('Dead')).toMatchObject([{ Body: 'poison', Attributes: { MessageGroupId: 'car-1' } }]);
});
