import { classify } from '../../../policy/outcome/classify';
import type { Outcome } from '../../../policy/outcome/outcome';
import type { ControlMessage, ControlMessageType, Envelopes } from '../envelope/envelopes';
import type { Subscription } from '../subscription';
import type { Receipt, RecipientBehaviour, Recipients, RecordedProtocol } from './recipients';
import type { AttemptEnd, Delivery, Transport } from './transport';

/** What the far end says when it takes something. */
const TAKEN: Readonly<Record<RecordedProtocol, { readonly statusCode: number; readonly providerResponse: string }>> = {
  application: { statusCode: 200, providerResponse: '{"statusCode":200}' },
  email: { statusCode: 250, providerResponse: '250 Ok' },
  'email-json': { statusCode: 250, providerResponse: '250 Ok' },
  firehose: { statusCode: 200, providerResponse: '{"firehoseStatus":200}' },
  sms: { statusCode: 200, providerResponse: 'Message has been accepted by phone carrier' },
};

/**
 * What a recipient says of an outcome that a scenario has set without words for it. Of a text message it is the delivery
 * status, as AWS shows it. For the rest AWS shows no example: the error as other services tell theirs is our choice.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sms_stats_cloudwatch.html
 */
function messageText(protocol: RecordedProtocol, outcome: Outcome): string {
  if (classify(protocol, outcome).kind === 'delivered') return TAKEN[protocol].providerResponse;
  if (outcome.kind === 'unanswered') return outcome.failure;
  const { statusCode, errorCode, errorMessage } = outcome;
  if (errorCode === undefined) return errorMessage ?? String(statusCode);
  return protocol === 'sms' ? errorCode : JSON.stringify({ ErrorCode: errorCode, ErrorMessage: errorMessage });
}

/** The subject of an e-mail whose message has none. */
const DEFAULT_SUBJECT = 'AWS Notification Message';

const CONTROL_SUBJECTS: Readonly<Record<ControlMessageType, string>> = {
  SubscriptionConfirmation: 'AWS Notification - Subscription Confirmation',
  UnsubscribeConfirmation: 'AWS Notification - Unsubscribe Confirmation',
};

const E_MAIL: readonly RecordedProtocol[] = ['email', 'email-json'];

/** Who is to get something. */
export type Destination = Pick<Subscription, 'endpoint' | 'subscriptionRoleArn'>;

/** What SNS itself has to say about a protocol's destinations. */
export interface Gatekeeper {
  /** Why a destination may not be reached at all, if so. */
  refusalOf(destination: Destination): AttemptEnd | undefined;
  /** An attempt was answered. */
  learn?(destination: Destination, outcome: Outcome): void;
}

const OPEN: Gatekeeper = { refusalOf: () => undefined };

/** The end of an attempt SNS does not make. */
export function refusedEnd(statusCode: number, errorCode: string, errorMessage: string): AttemptEnd {
  return {
    outcome: { kind: 'answered', statusCode, errorCode, errorMessage },
    providerResponse: () => JSON.stringify({ ErrorCode: errorCode, ErrorMessage: errorMessage }),
  };
}

/** Delivers to the recipients nobody plays: whatever they take is written down. */
export class RecordedTransport implements Transport {
  constructor(
    private readonly protocol: RecordedProtocol,
    private readonly recipients: Recipients,
    private readonly envelopes: Envelopes,
    /** @default - everybody may be reached */
    private readonly gatekeeper: Gatekeeper = OPEN,
  ) {}

  attempt(delivery: Delivery, report: (end: AttemptEnd) => void): void {
    const { message, subscription } = delivery;
    report(
      this.offer(subscription, () => ({
        ...this.addressed(subscription),
        messageId: message.id,
        ...(E_MAIL.includes(this.protocol) && { subject: message.subject ?? DEFAULT_SUBJECT }),
        body: this.bodyFor(delivery),
      })),
    );
  }

  /** Offers something to a destination, once; what it takes is written down. */
  offer(destination: Destination, receipt: () => Omit<Receipt, 'atMs'>): AttemptEnd {
    const refusal = this.gatekeeper.refusalOf(destination);
    if (refusal) return refusal;
    const end = this.answer(destination.endpoint);
    if (classify(this.protocol, end.outcome).kind === 'delivered') this.recipients.take(receipt());
    this.gatekeeper.learn?.(destination, end.outcome);
    return end;
  }

  /** Asks the owner of a mailbox for something. */
  ask(subscription: Subscription, message: ControlMessage): AttemptEnd {
    return this.offer(subscription, () => ({
      ...this.addressed(subscription),
      messageId: message.messageId,
      subject: CONTROL_SUBJECTS[message.type],
      body: this.envelopes.control(subscription, message),
      token: subscription.token.text,
    }));
  }

  private addressed({ endpoint, topic, arn }: Subscription) {
    return { protocol: this.protocol, endpoint, topicArn: topic.arn, subscriptionArn: arn };
  }

  private answer(endpoint: string): AttemptEnd {
    const behaviour: RecipientBehaviour | undefined = this.recipients.answerOf(endpoint);
    const { statusCode, providerResponse } = TAKEN[this.protocol];
    if (!behaviour) return { outcome: { kind: 'answered', statusCode }, providerResponse: () => providerResponse };
    const { outcome } = behaviour;
    return { outcome, providerResponse: () => behaviour.providerResponse ?? messageText(this.protocol, outcome) };
  }

  /** People read the message; programs get the envelope, unless they asked for the raw message. */
  private bodyFor(delivery: Delivery): string {
    const { message, subscription } = delivery;
    const enveloped =
      this.protocol === 'email-json' || (this.protocol === 'firehose' && !subscription.rawMessageDelivery);
    return enveloped ? delivery.enveloped(this.envelopes).toString() : message.bodyFor(subscription.textKey);
  }
}
