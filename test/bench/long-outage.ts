import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { type App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DurableTopic } from '../../lib';
import { LocalAws } from '../../local';
import { PRESETS } from '../../policy/delivery-policy/delivery-policy';
import { delayBeforeRetry } from '../../policy/delivery-policy/retry-schedule';
import { type Ratio, type Row, sideBySide, threadTimed } from './measure';
import { synthesized } from './synthesized';

const ROUNDS = 3;
const RETRIES = 100_015;

/** Adds only a topic with one queue. */
function oneQueueStack(app: App): void {
  const stack = new Stack(app, 'OneQueue');
  const topic = new DurableTopic(stack, 'Topic', { logDeliveryStatus: false });
  const queue = new Queue(stack, 'Queue');
  topic.deliverToQueue('Queue', queue);
  new CfnOutput(stack, 'TopicArn', { value: topic.topicArn });
  new CfnOutput(stack, 'QueueArn', { value: queue.queueArn });
}

/** Runs one message through all retries of the AWS-managed policy, while its queue fails for 23 days. */
async function outage(assembly: string): Promise<void> {
  const aws = await LocalAws.deploy(assembly);
  try {
    aws.faults.set({ service: 'sqs', action: 'SendMessage', resource: aws.output('QueueArn') });
    await new SNSClient(aws.clientConfig()).send(
      new PublishCommand({ TopicArn: aws.output('TopicArn'), Message: 'late' }),
    );
    await aws.runUntilIdle();
    const dead = aws.trace.events.find(happening => happening.type === 'sns.dead-lettered');
    if (dead?.attempts !== RETRIES + 1) throw new Error(`expected 1 + ${RETRIES} attempts, saw ${dead?.attempts}`);
  } finally {
    await aws.close();
  }
}

/** Does the minimum work: adds up the same delays. */
function bareLoop(): void {
  let atSeconds = 0;
  for (let retry = 1; retry <= RETRIES; retry += 1) atSeconds += delayBeforeRetry(PRESETS['aws-managed'], retry);
  if (atSeconds < 23 * 86_400) throw new Error(`the schedule ends after ${atSeconds} s`);
}

async function longOutage(assembly: string): Promise<Ratio> {
  const [measuredMs, againstMs] = await sideBySide(ROUNDS, () => outage(assembly), bareLoop, threadTimed);
  return {
    what: `one message through ${RETRIES.toLocaleString('en')} retries of a 23-day SQS outage`,
    measuredMs,
    against: 'a bare loop over the same delays',
    againstMs,
  };
}

export const ROWS: readonly Row[] = [() => synthesized(oneQueueStack, longOutage)];
