import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { roleFor } from './deployed-function';
import { ON_AWS, type Target } from './target';
import type { Topic } from './topic';

export type LoggedProtocol = 'Application' | 'Firehose' | 'HTTP' | 'Lambda' | 'SQS';

/** A delivery-status record. */
export interface StatusRecord {
  readonly notification: Readonly<Record<'messageMD5Sum' | 'messageId' | 'topicArn' | 'timestamp', string>>;
  readonly delivery: {
    readonly deliveryId: string;
    readonly redrivePolicy?: string;
    readonly destination: string;
    readonly providerResponse: string;
    readonly dwellTimeMs: number;
    readonly attempts?: number;
    readonly statusCode?: number;
  };
  readonly status: 'SUCCESS' | 'FAILURE';
}

/** What SNS's role needs. */
const LOG_ACTIONS = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'logs:PutMetricFilter',
  'logs:PutRetentionPolicy',
];

/** How long a real account takes until a record can be read. */
const LOG_SECONDS = 60;

export const feedbackRole = (aws: Target): Promise<string> => roleFor(aws, 'sns.amazonaws.com', LOG_ACTIONS);

/** Makes a topic log every delivery of a protocol. */
export async function logDeliveries(aws: Target, topic: Topic, ...protocols: readonly LoggedProtocol[]): Promise<void> {
  const role = await feedbackRole(aws);
  for (const protocol of protocols) {
    await topic.set(`${protocol}SuccessFeedbackRoleArn`, role);
    await topic.set(`${protocol}SuccessFeedbackSampleRate`, '100');
    await topic.set(`${protocol}FailureFeedbackRoleArn`, role);
  }
}

/** The log group of a topic's successes, or failures. */
export function groupOf({ arn }: Topic, status: StatusRecord['status']): string {
  const [, , , region, account, name] = arn.split(':');
  return `sns/${region}/${account}/${name}${status === 'FAILURE' ? '/Failure' : ''}`;
}

export async function statusRecords(
  aws: Target,
  topic: Topic,
  status: StatusRecord['status'],
): Promise<readonly StatusRecord[]> {
  if (ON_AWS) await aws.pass(LOG_SECONDS);
  const { events = [] } = await aws.logs.send(new FilterLogEventsCommand({ logGroupName: groupOf(topic, status) }));
  return events.map(({ message = '' }) => JSON.parse(message));
}

/** The only record of a failure. */
export async function failureOf(aws: Target, topic: Topic): Promise<StatusRecord['delivery']> {
  const records = await statusRecords(aws, topic, 'FAILURE');
  const [record] = records;
  if (!record || records.length > 1) throw new Error(`${records.length} failures were logged`);
  return record.delivery;
}
