import { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterAccess, DeadLetterQueue, DurableTopic, ImportedDeadLetterQueue } from '../../lib';
import { assemblyOf } from '../support/assembly';
import { Deployed } from '../support/deployed';

const SHARED = 'arn:aws:sqs:us-east-1:123456789012:Shared-DLQ';

test('a dead-letter queue’s owner and two stacks that import it deploy side by side, each with alarms of its own', async () => {
  const assembly = assemblyOf(app => {
    const owner = new Stack(app, 'Owner', { env: { account: '123456789012', region: 'us-east-1' } });
    new DeadLetterQueue(owner, 'Shared', { queueName: 'Shared-DLQ' });
    for (const id of ['Orders', 'Returns']) {
      const stack = new Stack(app, id, { env: { account: '123456789012', region: 'us-east-1' } });
      stack.addStackDependency(owner);
      const deadLetterQueue = new ImportedDeadLetterQueue(stack, 'Shared', {
        queue: Queue.fromQueueArn(stack, 'SharedQueue', SHARED),
        access: DeadLetterAccess.GRANTED_ELSEWHERE,
      });
      new DurableTopic(stack, 'Topic').deliverToQueue('Queue', new Queue(stack, 'Queue'), { deadLetterQueue });
    }
  });
  const { aws } = await Deployed.assembly(assembly);
  const alarms = aws.stacks.map(({ resources }) =>
    [...resources.values()].filter(({ type }) => type === 'AWS::CloudWatch::Alarm').map(({ ref }) => ref),
  );
  expect(alarms.map(names => names.length > 0)).toEqual([true, true, true]);
  expect(new Set(alarms.flat()).size).toBe(alarms.flat().length);
});
