import { administrator } from '../../local/kernel/caller';
import { Queue, redrivePolicy } from './queue';
import { numbered, Redrive } from './redrive';
import { embeddedRow, ON_AWS, row, Target } from './target';

const NOT_THERE = (parameter: string) => ({
  name: 'ResourceNotFoundException',
  message: `The resource that you specified for the ${parameter} parameter doesn't exist.`,
});

const ALREADY_RUNNING = {
  name: 'InvalidParameterValue',
  message: 'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
};

describe('section 9: StartMessageMoveTask is refused', () => {
  const aws = new Target();

  row("for a source that is no queue's dead-letter queue", async () => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.start({ SourceArn: redrive.other.arn })).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: 'Source queue must be configured as a Dead Letter Queue.',
    });
  });

  row.each(['SourceArn', 'DestinationArn'])('for a %s that does not exist', async parameter => {
    const redrive = await Redrive.of(aws);
    const started = redrive.start({ [parameter]: `${redrive.messages.arn}-nowhere` });
    await expect(started).rejects.toMatchObject(NOT_THERE(parameter));
  });

  row('while a task of the same source is active', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(10));
    await redrive.start({ MaxNumberOfMessagesPerSecond: 1 });
    await expect(redrive.start()).rejects.toMatchObject(ALREADY_RUNNING);
  });
});

describe('section 9: ListMessageMoveTasks', () => {
  const aws = new Target();

  row('tells of a task while it runs, with its handle', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(numbered(10));
    const DestinationArn = redrive.other.arn;
    const TaskHandle = await redrive.start({ DestinationArn, MaxNumberOfMessagesPerSecond: 1 });
    await aws.pass(1);
    const task = await redrive.task();
    expect(task).toMatchObject({
      TaskHandle,
      Status: 'RUNNING',
      SourceArn: redrive.messages.arn,
      DestinationArn,
      MaxNumberOfMessagesPerSecond: 1,
      ApproximateNumberOfMessagesMoved: expect.any(Number),
    });
    expect(String(task.StartedTimestamp)).toMatch(/^\d{13}$/);
  });

  row('tells of one that is over without a handle, and without what was not asked for', async () => {
    const redrive = await Redrive.of(aws);
    await redrive.deadLetter(['order']);
    expect(await redrive.run()).toEqual({
      Status: 'COMPLETED',
      SourceArn: redrive.messages.arn,
      ApproximateNumberOfMessagesMoved: 1,
      ApproximateNumberOfMessagesToMove: 1,
      StartedTimestamp: expect.any(Number),
    });
  });

  row(
    'tells of the newest first: one unless more are asked for, and ten at most',
    async () => {
      const redrive = await Redrive.of(aws);
      const count = ON_AWS ? 3 : 12;
      const rates = Array.from({ length: count }, (_, i) => i + 1);
      for (const MaxNumberOfMessagesPerSecond of rates) await redrive.run({ MaxNumberOfMessagesPerSecond });
      const listed = async (max?: number) => (await redrive.list(max)).map(task => task.MaxNumberOfMessagesPerSecond);
      expect(await listed()).toEqual([count]);
      expect(await listed(10)).toEqual(rates.reverse().slice(0, 10));
    },
    90_000,
  );

  row.each([0, 11])('of %i at most is refused: 1 to 10', async MaxResults => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.list(MaxResults)).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

describe('section 9: CancelMessageMoveTask is refused', () => {
  const aws = new Target();

  const handleOf = (sourceArn: string) =>
    Buffer.from(JSON.stringify({ taskId: '10f57157-fc38-4da9-a113-4de7e12d05dd', sourceArn })).toString('base64');

  row('for a handle that is none', async () => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.cancel('foobared')).rejects.toMatchObject({
      name: 'InvalidParameterValue',
      message: 'Value for parameter TaskHandle is invalid.',
    });
  });

  row('for a handle of a queue that does not exist', async () => {
    const redrive = await Redrive.of(aws);
    const cancelled = redrive.cancel(handleOf(`${redrive.messages.arn}-nowhere`));
    await expect(cancelled).rejects.toMatchObject(NOT_THERE('SourceArn'));
  });

  row('for a task that does not exist', async () => {
    const redrive = await Redrive.of(aws);
    await expect(redrive.cancel(handleOf(redrive.messages.arn))).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: 'Task does not exist.',
    });
  });
});

describe('section 9: a queue of dead letters', () => {
  const aws = new Target();

  row('is a source as long as any queue names it', async () => {
    const redrive = await Redrive.of(aws);
    const returns = await Queue.of(aws, { RedrivePolicy: redrivePolicy(redrive.messages.arn) });
    await redrive.orders.set({ RedrivePolicy: '' });
    expect(await redrive.start()).not.toBe('');
    await aws.pass(ON_AWS ? 15 : 1);
    await returns.set({ RedrivePolicy: '' });
    await expect(redrive.start()).rejects.toMatchObject({ name: 'InvalidParameterValue' });
  });
});

describe('section 9: an account', () => {
  const aws = new Target();

  /** Made without a wire: what is shown is how `StartMessageMoveTask` is answered. Answers its ARN. */
  function deadLetterQueue(index: number): string {
    const { services, place } = aws.embedded;
    const owner = administrator(place.account);
    const create = (QueueName: string, Attributes = {}) =>
      services.sqs.call('CreateQueue', owner, { QueueName, Attributes }).QueueUrl ?? '';
    const QueueUrl = create(`letters-${index}`);
    const arn = services.sqs.queueByUrl(QueueUrl)?.arn ?? '';
    create(`orders-${index}`, { RedrivePolicy: redrivePolicy(arn) });
    for (const MessageBody of ['one', 'two']) services.sqs.call('SendMessage', owner, { QueueUrl, MessageBody });
    return arn;
  }

  embeddedRow('has a hundred active tasks at most', async () => {
    const redrive = await Redrive.of(aws);
    const DestinationArn = redrive.other.arn;
    const begin = (SourceArn: string) => redrive.start({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond: 1 });
    for (let i = 1; i <= 100; i += 1) await begin(deadLetterQueue(i));
    const last = deadLetterQueue(101);
    await expect(begin(last)).rejects.toMatchObject({ name: 'RequestThrottled' });
    await aws.pass(10);
    expect(await begin(last)).not.toBe('');
  });
});
