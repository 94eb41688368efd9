import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { type LocalAws, nameInArn } from '../../../local';

/** An alarm that went off, and when it was over. */
export interface AlarmRing {
  readonly alarm: string;
  readonly fromMs: number;
  /** Undefined while it lasts. */
  readonly untilMs?: number;
}

/** What an alarm on the other metric would have seen of the queue SQS itself moves dead letters to. */
export interface MissedAlarm {
  readonly queue: string;
  readonly deadLetters: number;
  /** `NumberOfMessagesSent`, summed over the day. */
  readonly messagesSent: number;
}

/** What the people who are told of alarms found in their mailbox. */
export interface OpsMailbox {
  readonly address: string;
  readonly messages: number;
}

/** Somebody follows the link in the e-mail that asks whether to subscribe. Answers whose mailbox it is. */
export function confirmOpsEmail(aws: LocalAws): string | undefined {
  const address = aws.state().pendingSubscriptions.find(({ protocol }) => protocol === 'email')?.endpoint;
  if (address !== undefined) aws.confirmSubscription(address);
  return address;
}

/** What came after the confirmation. */
export function mailbox({ recipients }: LocalAws, address: string): OpsMailbox {
  const notifications = recipients.receipts(address).filter(({ token }) => token === undefined);
  return { address, messages: notifications.length };
}

/** Each time an alarm went off, in order. */
export function alarmRings(aws: LocalAws): readonly AlarmRing[] {
  const rings: AlarmRing[] = [];
  for (const happening of aws.trace.events) {
    if (happening.type !== 'cloudwatch.alarm-state-changed') continue;
    const { alarmName, from, to, atMs } = happening;
    const current = rings.findLastIndex(({ alarm }) => alarm === alarmName);
    const ring = rings[current];
    if (from === 'ALARM' && ring) rings[current] = { ...ring, untilMs: atMs };
    if (to === 'ALARM') rings.push({ alarm: alarmName, fromMs: atMs });
  }
  return rings;
}

/** Compares what came into the queue with what the other metric says of it. */
export async function missedAlarm(aws: LocalAws, fromMs: number, untilMs: number): Promise<MissedAlarm> {
  const queue = 'Rental-Fulfilment-DLQ';
  const deadLetters = aws.trace.events.filter(
    happening => happening.type === 'sqs.dead-lettered' && nameInArn(happening.deadLetterQueueArn) === queue,
  ).length;
  const sum = new GetMetricStatisticsCommand({
    Namespace: 'AWS/SQS',
    MetricName: 'NumberOfMessagesSent',
    Dimensions: [{ Name: 'QueueName', Value: queue }],
    StartTime: new Date(fromMs),
    EndTime: new Date(untilMs),
    Period: 86_400,
    Statistics: ['Sum'],
  });
  const { Datapoints = [] } = await new CloudWatchClient(aws.clientConfig()).send(sum);
  return { queue, deadLetters, messagesSent: Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0) };
}
