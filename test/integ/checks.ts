import { type CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { GetTopicAttributesCommand, PublishCommand, type SNSClient } from '@aws-sdk/client-sns';
import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { messageOf } from '../../account/errors';
import { type Outputs, TOPIC_RETRIES } from './stack';

/** The stack as it is deployed, on AWS or in the embedded one, and how time passes there. */
export interface DeployedIntegration {
  readonly outputs: Outputs;
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  readonly cloudWatch: CloudWatchClient;
  /** Resolves when that time has passed; rejects when the run was interrupted. */
  pass(seconds: number): Promise<void>;
}

type Check = (deployed: DeployedIntegration) => Promise<void>;

/** How long something may take: metrics of SQS reach an alarm some minutes after the fact. */
const PATIENCE_SECONDS = 900;
const INTERVAL_SECONDS = 10;

/** Repeats a check until it is true. */
async function eventually({ pass }: DeployedIntegration, what: string, ask: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; waited <= PATIENCE_SECONDS; waited += INTERVAL_SECONDS) {
    if (await ask()) return;
    await pass(INTERVAL_SECONDS);
  }
  throw new Error(`${what}: not within ${PATIENCE_SECONDS / 60} minutes`);
}

async function publish({ sns, outputs }: DeployedIntegration, Message: string): Promise<void> {
  await sns.send(new PublishCommand({ TopicArn: outputs.OrdersArn, Message }));
}

/** Receives and deletes the visible messages. */
async function take({ sqs }: DeployedIntegration, QueueUrl: string): Promise<readonly string[]> {
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  for (const { ReceiptHandle } of Messages) await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  return Messages.map(({ Body = '' }) => Body);
}

/** Whether `text` is in a message of a queue. All messages stay there. */
async function holds({ sqs }: DeployedIntegration, QueueUrl: string, text: string): Promise<boolean> {
  const asked = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0 });
  const { Messages = [] } = await sqs.send(asked);
  return Messages.some(({ Body = '' }) => Body.includes(text));
}

/** The checks by what they show, in the order in which they must run. */
export const CHECKS: Readonly<Record<string, Check>> = {
  'the topic has its delivery policy': async ({ sns, outputs }) => {
    const asked = new GetTopicAttributesCommand({ TopicArn: outputs.OrdersArn });
    const { EffectiveDeliveryPolicy = '{}' } = (await sns.send(asked)).Attributes ?? {};
    const retries: unknown = JSON.parse(EffectiveDeliveryPolicy).http?.defaultHealthyRetryPolicy?.numRetries;
    if (retries !== TOPIC_RETRIES) throw new Error(`its numRetries is ${retries}, not ${TOPIC_RETRIES}`);
  },
  'a message arrives in the queue': async deployed => {
    await publish(deployed, 'arrives');
    await eventually(deployed, 'the message', async () =>
      (await take(deployed, deployed.outputs.FulfilmentUrl)).includes('arrives'),
    );
  },
  'what the function fails on is kept': async deployed => {
    await publish(deployed, 'fails');
    await eventually(deployed, 'the dead letter', () => holds(deployed, deployed.outputs.UnbilledUrl, 'fails'));
  },
  'what the queue’s consumer fails on is kept': async deployed => {
    await publish(deployed, 'poison');
    await eventually(deployed, 'the dead letter', async () => {
      await holds(deployed, deployed.outputs.FulfilmentUrl, 'poison');
      return holds(deployed, deployed.outputs.PoisonUrl, 'poison');
    });
  },
  'what SNS cannot deliver is kept': async deployed => {
    const { FulfilmentUrl: QueueUrl, UndeliveredUrl } = deployed.outputs;
    await deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy: '' } }));
    // A removed policy stays in effect for up to a minute. Until then messages are still delivered.
    await eventually(deployed, 'the dead letter', async () => {
      await publish(deployed, 'undeliverable');
      return holds(deployed, UndeliveredUrl, 'undeliverable');
    });
  },
  'each of the three alarms goes off': async deployed => {
    const { PoisonAlarm, UndeliveredAlarm, UnbilledAlarm } = deployed.outputs;
    const AlarmNames = [PoisonAlarm, UndeliveredAlarm, UnbilledAlarm];
    const gone = new Set<string>();
    await eventually(deployed, 'the alarms', async () => {
      const { MetricAlarms = [] } = await deployed.cloudWatch.send(new DescribeAlarmsCommand({ AlarmNames }));
      for (const { AlarmName = '', StateValue } of MetricAlarms) if (StateValue === 'ALARM') gone.add(AlarmName);
      return gone.size === AlarmNames.length;
    });
  },
  'and is heard through the encrypted topic': async deployed => {
    const { PoisonAlarm, UndeliveredAlarm, UnbilledAlarm, HeardUrl } = deployed.outputs;
    const silent = new Set([PoisonAlarm, UndeliveredAlarm, UnbilledAlarm]);
    await eventually(deployed, 'the news', async () => {
      for (const body of await take(deployed, HeardUrl)) silent.delete(JSON.parse(JSON.parse(body).Message).AlarmName);
      return silent.size === 0;
    });
  },
};

/** Runs every check and reports its result. @returns a sentence for each failed check */
export async function check(deployed: DeployedIntegration, say: (line: string) => void): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const [what, run] of Object.entries(CHECKS)) {
    try {
      await run(deployed);
      say(`ok      ${what}`);
    } catch (error) {
      failures.push(`${what}: ${messageOf(error)}`);
      say(`FAILED  ${what}: ${messageOf(error)}`);
    }
  }
  return failures;
}
