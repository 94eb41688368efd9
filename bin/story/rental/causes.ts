import { type Message, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { nameInArn } from '../../../local';
import { statusLogGroups } from '../../../policy/messages/status-log-groups';
import {
  answerOf,
  deadLetterTargetOf,
  readStatusRecord,
  type StatusRecord,
} from '../../../policy/messages/status-record';
import type { QueuePlace, RentalSimulation } from './rental-world';

/** Why messages are in a dead-letter queue, and who says so. */
export interface DeadLetterCause {
  readonly queue: string;
  readonly cause: string;
  readonly count: number;
  /** Where the cause stands: a log group, or the message's own attributes. */
  readonly source: string;
  /** The id of one such message. */
  readonly example: string;
}

/** What one dead letter died of. */
interface Verdict {
  readonly cause: string;
  readonly source: string;
}

/** Long enough to see each message once. */
const LOOKING_SECONDS = 600;

const UNKNOWN: Verdict = { cause: 'no record tells', source: 'nowhere' };

/** Looks into every dead-letter queue, and finds out what each message died of. */
export async function deadLetterCauses(world: RentalSimulation): Promise<readonly DeadLetterCause[]> {
  const coroner = new Coroner(world);
  const causes: DeadLetterCause[] = [];
  for (const queue of world.queues.deadLetter) {
    const byCause = new Map<string, DeadLetterCause>();
    for (const message of await messagesIn(queue, world)) {
      const { cause, source } = coroner.examine(message, queue.name);
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

/** Knows each kind of dead letter by what it carries, and where its cause is written. */
class Coroner {
  private readonly failureLog: string;
  /** By message id and dead-letter queue: a message may have died on the way to more than one subscriber. */
  private readonly failureByMessage: ReadonlyMap<string, string>;
  private readonly failureByReceipt: ReadonlyMap<string, string>;

  constructor({ aws, fulfilment }: RentalSimulation) {
    this.failureLog = statusLogGroups({ ...aws.place, name: 'Rental-Orders' }).failure;
    const records = aws.logs(this.failureLog).flatMap(({ message }) => readStatusRecord(message) ?? []);
    this.failureByMessage = new Map(records.map(causeIn));
    this.failureByReceipt = new Map(fulfilment.failures.map(({ messageId, reason }) => [messageId, reason]));
  }

  examine(message: Message, queue: string): Verdict {
    return this.byFunction(message) ?? this.byConsumer(message) ?? this.byDelivery(message, queue) ?? UNKNOWN;
  }

  /** Lambda writes the error beside the event. */
  private byFunction({ MessageAttributes }: Message): Verdict | undefined {
    const error = MessageAttributes?.['ErrorMessage']?.StringValue;
    return error === undefined ? undefined : { cause: generalized(error), source: "the message's ErrorMessage" };
  }

  /** SQS says nothing of why nobody deleted a message: only the consumer knows. */
  private byConsumer({ MessageId = '' }: Message): Verdict | undefined {
    const reason = this.failureByReceipt.get(MessageId);
    return reason === undefined ? undefined : { cause: reason, source: "the fulfilment system's own log" };
  }

  /** SNS writes the cause into the delivery-status log only. */
  private byDelivery({ Body = '' }: Message, queue: string): Verdict | undefined {
    const { MessageId = '' } = JSON.parse(Body) as { MessageId?: string };
    const cause = this.failureByMessage.get(messageKey(MessageId, queue));
    return cause === undefined ? undefined : { cause, source: `log group ${this.failureLog}` };
  }
}

const messageKey = (messageId: string, queue: string): string => `${messageId} ${queue}`;

/** What a failed delivery's record says: of which letter, and what it died of. */
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
