import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, FunctionFailures } from '../../lib';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const FAILS = "exports.handler = async () => { throw new Error('no invoice today'); };";

/** A function that fails, what keeps its events, and where they are to go. */
function fill(stack: Stack): DeadLetterQueue {
  const deadLetterQueue = new DeadLetterQueue(stack, 'Dead');
  new FunctionFailures(stack, 'Failures', { handler: inlineFunction(stack, 'Billing', FAILS), deadLetterQueue });
  new Queue(stack, 'Lane');
  return deadLetterQueue;
}

async function fail(deployed: Deployed): Promise<void> {
  const lambda = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
  const Payload = Buffer.from('{"order":1}');
  await lambda.send(new InvokeCommand({ FunctionName: deployed.ref('Billing'), InvocationType: 'Event', Payload }));
  await deployed.advance({ minutes: 10 });
}

function redrive(deployed: Deployed): Promise<unknown> {
  const task = { SourceArn: deployed.arn('Dead'), DestinationArn: deployed.arn('Lane') };
  return deployed.sqs.send(new StartMessageMoveTaskCommand(task));
}

describe('Dead letters that Lambda sent', () => {
  test('cannot be moved by SQS while no queue names theirs as its dead-letter queue', async () => {
    const deployed = await Deployed.stack(fill);
    await fail(deployed);
    await expect(redrive(deployed)).rejects.toThrow();
    expect(await deployed.take('Dead')).toEqual(['{"order":1}']);
  });

  test('are moved once an anchor does, of which no alarm ever tells', async () => {
    const deployed = await Deployed.stack(stack => {
      const queue = fill(stack);
      const deadLetterQueue = { queue, maxReceiveCount: 1_000 };
      queue.anchoredBy(new Queue(stack, 'Anchor', { queueName: 'anchor', deadLetterQueue }));
    });
    await fail(deployed);
    await redrive(deployed);
    await deployed.advance({ minutes: 1 });
    expect(await deployed.take('Lane')).toEqual(['{"order":1}']);
    expect(deployed.alarmed('Dead/ArrivalsAlarm')).toHaveLength(1);
    expect(() => deployed.ref('Dead/WaitingAlarm')).toThrow();
  });

  test('are kept in a plain queue as well', async () => {
    const deployed = await Deployed.stack(stack => {
      const deadLetterQueue = new Queue(stack, 'Dead');
      new FunctionFailures(stack, 'Failures', { handler: inlineFunction(stack, 'Billing', FAILS), deadLetterQueue });
    });
    await fail(deployed);
    expect(await deployed.take('Dead')).toEqual(['{"order":1}']);
    expect(deployed.happened('lambda.lost')).toEqual([]);
  });
});
