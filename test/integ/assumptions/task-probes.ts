import {
  CancelMessageMoveTaskCommand,
  ListMessageMoveTasksCommand,
  type Message,
  type MessageAttributeValue,
  StartMessageMoveTaskCommand,
} from '@aws-sdk/client-sqs';
import { type Probe, type ProbedQueue, type Probing, refusal } from './probe';

async function start(aws: Probing, source: ProbedQueue, more: { DestinationArn?: string; rate?: number } = {}) {
  const { DestinationArn, rate } = more;
  const SourceArn = await source.arn();
  const input = { SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: rate };
  return aws.aws.sqs.send(new StartMessageMoveTaskCommand(input));
}

/** Waits until the newest task of a dead-letter queue has ended. */
async function ended(aws: Probing, source: ProbedQueue): Promise<string> {
  const SourceArn = await source.arn();
  const status = await aws.eventually(
    async () => {
      const { Results = [] } = await aws.aws.sqs.send(new ListMessageMoveTasksCommand({ SourceArn }));
      const [task] = Results;
      return task?.Status === 'RUNNING' || task?.Status === 'CANCELLING' ? undefined : task?.Status;
    },
    { tries: 60, everySeconds: 5 },
  );
  return status ?? 'not ended in five minutes';
}

/** Brings a message to the dead-letter queue, moves it back, and receives it there. Returns it as it was, and as it is now. */
async function thereAndBack(
  aws: Probing,
): Promise<{ readonly dead: Message | undefined; readonly moved: Message | undefined }> {
  const [queue, deadLetters] = [aws.queue('Queue'), aws.queue('Dead')];
  await queue.receive();
  await queue.receive(0, 3);
  const dead = await deadLetters.receive();
  // A task may miss messages that have just arrived.
  await aws.aws.pass(60);
  await start(aws, deadLetters);
  await ended(aws, deadLetters);
  return { dead, moved: await queue.receive(30) };
}

const TEXT: MessageAttributeValue = { DataType: 'String', StringValue: 'Bern' };

export const TASK_PROBES: readonly Probe[] = [
  {
    id: 'TASK-2',
    question: 'The text for cancelling a task that has ended',
    assumed: 'COMPLETED; UnsupportedOperation: Only a task that is RUNNING can be cancelled; this one is COMPLETED.',
    queues: { Dead: {}, Queue: { deadLetters: 'Dead' } },
    ask: async aws => {
      const { TaskHandle } = await start(aws, aws.queue('Dead'));
      const status = await ended(aws, aws.queue('Dead'));
      return `${status}; ${await refusal(aws.aws.sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle })))}`;
    },
  },
  {
    id: 'TASK-3',
    question: 'The texts for another queue type, the same queue twice and an invalid rate',
    assumed:
      "InvalidParameterValue: The source queue and destination queue must be of the same queue type.; InvalidParameterValue: Source queue arn and destination queue arn cannot be the same.; InvalidParameterValue: Value for parameter MaxNumberOfMessagesPerSecond is invalid. Reason: You must enter a number that's between 1 and 500.",
    queues: { Dead: {}, Queue: { deadLetters: 'Dead' }, Fifo: { fifo: true } },
    ask: async aws => {
      const dead = aws.queue('Dead');
      const other = await refusal(start(aws, dead, { DestinationArn: await aws.queue('Fifo').arn() }));
      const same = await refusal(start(aws, dead, { DestinationArn: await dead.arn() }));
      return `${other}; ${same}; ${await refusal(start(aws, dead, { rate: 501 }))}`;
    },
  },
  {
    id: 'TASK-9',
    question: 'What of a message does a move task keep?',
    assumed: 'kept: body attributes MessageGroupId AWSTraceHeader SenderId; no dead-letter source; received 1',
    queues: { Dead: {}, Queue: { deadLetters: 'Dead' } },
    ask: async aws => {
      await aws.queue('Queue').send('message', {
        MessageAttributes: { city: TEXT },
        MessageGroupId: 'tenant',
        MessageSystemAttributes: {
          AWSTraceHeader: { DataType: 'String', StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793' },
        },
      });
      const { dead, moved } = await thereAndBack(aws);
      if (!dead || !moved) return 'not moved';
      const names = ['MessageGroupId', 'AWSTraceHeader', 'SenderId', 'SentTimestamp'] as const;
      const kept = names.filter(name => moved.Attributes?.[name] === dead.Attributes?.[name]);
      const source =
        moved.Attributes?.DeadLetterQueueSourceArn === undefined ? 'no dead-letter source' : 'a dead-letter source';
      const city = moved.MessageAttributes?.['city']?.StringValue === 'Bern' ? ' attributes' : '';
      return `kept:${moved.Body === 'message' ? ' body' : ''}${city} ${kept.join(' ')}; ${source}; received ${moved.Attributes?.ApproximateReceiveCount}`;
    },
  },
  {
    id: 'TASK-10',
    question: 'Which deduplication id has a moved message?',
    assumed: 'its old message id',
    queues: { Dead: { fifo: true }, Queue: { fifo: true, deadLetters: 'Dead' } },
    ask: async aws => {
      await aws.queue('Queue').send('message', { MessageGroupId: 'g', MessageDeduplicationId: 'd' });
      const { dead, moved } = await thereAndBack(aws);
      const id = moved?.Attributes?.MessageDeduplicationId;
      if (id === undefined) return 'not moved';
      if (id === dead?.MessageId) return 'its old message id';
      return id === dead?.Attributes?.MessageDeduplicationId ? 'that of the dead letter' : `another: ${id}`;
    },
  },
];
