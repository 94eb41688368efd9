import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { type LocalAws, nameInArn } from '../../local';
import {
  answerOf,
  deadLetterTargetOf,
  readStatusRecord,
  type StatusRecord,
  statusLogGroups,
} from '../../policy/messages/delivery-status';
import type { QueuePlace, RentalSimulation } from './rental-simulation';

/** Why messages are in a dead-letter queue, and the source of that information. */
export interface QueueCause {
  readonly queue: string;
  readonly cause: string;
  readonly count: number;
  /** Where the cause was found: a log group, or the message's attributes. */
  readonly source: string;
  /** The id of one such message. */
  readonly example: string;
}

/** The cause of one dead letter. */
interface Verdict {
  readonly cause: string;
  readonly source: string;
}

/** Long enough to see each message once. */
const LOOKING_SECONDS = 600;

const UNKNOWN: Verdict = { cause: 'unknown', source: 'none' };

export async function deadLetterCauses(simulation: RentalSimulation): Promise<readonly QueueCause[]> {
  const finder = new CauseFinder(simulation);
  const causes: QueueCause[] = [];
  for (const queue of simulation.queues.deadLetter) {
    const byCause = new Map<string, QueueCause>();
    for (const message of await messagesIn(queue, simulation)) {
      const { cause, source } = finder.examine(message, queue.name);
      const { count = 0, example = message.MessageId ?? '' } = byCause.get(cause) ?? {};
      byCause.set(cause, { queue: queue.name, cause, source, count: count + 1, example });
    }
    causes.push(...byCause.values());
  }
  return causes;
}

async function messagesIn({ url }: QueuePlace, { sqs }: RentalSimulation): Promise<readonly Message[]> {
  const seen: Message[] = [];
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: LOOKING_SECONDS,
        MessageAttributeNames: ['All'],
      }),
    );
    if (Messages.length === 0) return seen;
    seen.push(...Messages);
  }
}

class CauseFinder {
  private readonly failureLog: string;
  /** By message id and dead-letter queue, because the delivery to several subscribers can fail. */
  private readonly failureByMessage: ReadonlyMap<string, string>;
  private readonly failureByConsumer: ReadonlyMap<string, string>;

  constructor({ aws, fulfilment }: RentalSimulation) {
    this.failureLog = statusLogGroups({ ...aws.place, name: 'Rental-Orders' }).failure;
    const records = aws.logs(this.failureLog).flatMap(({ message }) => readStatusRecord(message) ?? []);
    this.failureByMessage = new Map(records.map(causeIn));
    const failures = fulfilment.log.filter(({ message }) => message === 'not fulfilled');
    this.failureByConsumer = new Map(failures.map(({ messageId, reason }) => [String(messageId), String(reason)]));
  }

  examine(message: Message, queue: string): Verdict {
    return this.byFunction(message) ?? this.byConsumer(message) ?? this.byDelivery(message, queue) ?? UNKNOWN;
  }

  /** Lambda adds the error to the event. */
  private byFunction({ MessageAttributes }: Message): Verdict | undefined {
    const error = MessageAttributes?.['ErrorMessage']?.StringValue;
    return error === undefined ? undefined : { cause: generalized(error), source: "the message's ErrorMessage" };
  }

  /** Only the consumer knows why it did not delete a message. SQS does not. */
  private byConsumer({ MessageId = '' }: Message): Verdict | undefined {
    const reason = this.failureByConsumer.get(MessageId);
    return reason === undefined ? undefined : { cause: reason, source: "the fulfilment system's own log" };
  }

  /** SNS writes the cause only to the delivery-status log. */
  private byDelivery({ Body = '' }: Message, queue: string): Verdict | undefined {
    const { MessageId = '' } = JSON.parse(Body) as { MessageId?: string };
    const cause = this.failureByMessage.get(messageKey(MessageId, queue));
    return cause === undefined ? undefined : { cause, source: `log group ${this.failureLog}` };
  }
}

const messageKey = (messageId: string, queue: string): string => `${messageId} ${queue}`;

function causeIn(record: StatusRecord): [message: string, cause: string] {
  const { notification, delivery } = record;
  const attempts = delivery.attempts === 1 ? '1 attempt' : `${delivery.attempts ?? 'several'} attempts`;
  const cause = `${delivery.statusCode} from ${nameInArn(delivery.destination)}, ${attempts}: ${answerOf(record)}`;
  return [messageKey(notification.messageId, nameInArn(deadLetterTargetOf(record) ?? '')), cause];
}

/** An error without the number of the invoice it was about, so that the same errors count together. */
function generalized(error: string): string {
  return error.replace(/^R-\d+-\w+: /, '');
}

/** An alarm that went off, and when it was over. */
export interface AlarmRing {
  readonly alarm: string;
  readonly fromMs: number;
  /** Undefined while it lasts. */
  readonly untilMs?: number;
}

/** What an alarm on the metric NumberOfMessagesSent would have seen of a queue to which SQS moves dead letters. */
export interface MissedAlarm {
  readonly queue: string;
  readonly deadLetters: number;
  /** `NumberOfMessagesSent`, summed over the day. */
  readonly messagesSent: number;
}

/** The mailbox of the operators, who receive the alarms. */
export interface OpsMailbox {
  readonly address: string;
  readonly messages: number;
}

/** Confirms the e-mail subscription. @returns its address */
export function confirmOpsEmail(aws: LocalAws): string | undefined {
  const address = aws.state().pendingSubscriptions.find(({ protocol }) => protocol === 'email')?.endpoint;
  if (address !== undefined) aws.confirmSubscription(address);
  return address;
}

/** The messages after the confirmation. */
export function mailbox({ recipients }: LocalAws, address: string): OpsMailbox {
  const notifications = recipients.receipts(address).filter(({ token }) => token === undefined);
  return { address, messages: notifications.length };
}

/** Each time an alarm went off, in order. */
export function alarmRings(aws: LocalAws): readonly AlarmRing[] {
  const rings: AlarmRing[] = [];
  for (const event of aws.trace.events) {
    if (event.type !== 'cloudwatch.alarm-state-changed') continue;
    const { alarmName, from, to, atMs } = event;
    const current = rings.findLastIndex(({ alarm }) => alarm === alarmName);
    const ring = rings[current];
    if (from === 'ALARM' && ring) rings[current] = { ...ring, untilMs: atMs };
    if (to === 'ALARM') rings.push({ alarm: alarmName, fromMs: atMs });
  }
  return rings;
}

/** Compares the dead letters of the queue with its NumberOfMessagesSent. */
export async function missedAlarm(aws: LocalAws, fromMs: number, untilMs: number): Promise<MissedAlarm> {
  const queue = 'Rental-Fulfilment-DLQ';
  const deadLetters = aws.trace.events.filter(
    event => event.type === 'sqs.dead-lettered' && nameInArn(event.deadLetterQueueArn) === queue,
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
