import { classify } from '../../../policy/outcome/classify';
import type { Outcome } from '../../../policy/outcome/outcome';
import type { Protocol } from '../../../policy/outcome/protocol';
import type { AccessControl, RoleTrust } from '../../kernel/access';
import { roleCaller } from '../../kernel/caller';
import type { Clock } from '../../kernel/clock';
import { type ActivePeriod, Script } from '../../kernel/script';
import type { ControlMessage, ControlMessageType, Envelopes } from '../envelope/envelopes';
import type { Platforms } from '../mobile-push';
import type { Phones, TextMessage } from '../text-messages';
import type { Subscription } from '../topic';
import type { AttemptEnd, Delivery, Transport } from './transport';

/** What the far end says when it takes something. */
const ACCEPTED: Readonly<Record<RecordedProtocol, { readonly statusCode: number; readonly providerResponse: string }>> =
  {
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
  if (classify(protocol, outcome).kind === 'delivered') return ACCEPTED[protocol].providerResponse;
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
export interface DestinationCheck {
  /** Why a destination may not be reached at all, if so. */
  refusalOf(destination: Destination): AttemptEnd | undefined;
  /** An attempt was answered. */
  learn?(destination: Destination, outcome: Outcome): void;
}

const OPEN: DestinationCheck = { refusalOf: () => undefined };

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
    private readonly check: DestinationCheck = OPEN,
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
    const refusal = this.check.refusalOf(destination);
    if (refusal) return refusal;
    const end = this.answer(destination.endpoint);
    if (classify(this.protocol, end.outcome).kind === 'delivered') this.recipients.take(receipt());
    this.check.learn?.(destination, end.outcome);
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
    const { statusCode, providerResponse } = ACCEPTED[this.protocol];
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

/** The protocols whose far end is nothing the embedded AWS plays: mailboxes, phones, devices and streams. */
export type RecordedProtocol = Extract<Protocol, 'application' | 'email' | 'email-json' | 'firehose' | 'sms'>;

/** Something that reached a mailbox, a phone, a device or a stream. */
export interface Receipt {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly protocol: RecordedProtocol;
  /** The address, number, device ARN or stream ARN. */
  readonly endpoint: string;
  /** Missing, like `subscriptionArn`, where it was published to this endpoint alone. */
  readonly topicArn?: string;
  readonly subscriptionArn?: string;
  readonly messageId: string;
  /** Of an e-mail. */
  readonly subject?: string;
  /** A notification's text or envelope; for a confirmation, the text with the link. */
  readonly body: string;
  /** Of a text message that was published to this phone alone. */
  readonly sms?: TextMessage;
  /** Of what asks to confirm, or offers a subscription back: what ConfirmSubscription wants to be shown. */
  readonly token?: string;
}

/** How the recipients at an endpoint answer for a while. */
export interface RecipientBehaviour extends ActivePeriod {
  readonly outcome: Outcome;
  /** What the delivery-status log shows. @default - the outcome in the words of a phone, a mailbox, a device or a stream */
  readonly providerResponse?: string;
}

/** Everybody who receives by e-mail, text message, mobile push or Firehose. They take everything unless told otherwise. */
export class Recipients {
  private readonly received: Receipt[] = [];
  private readonly scripts = new Map<string, Script<RecipientBehaviour>>();

  constructor(private readonly clock: Clock) {}

  /** Everything that reached `endpoint`, oldest first. @default every endpoint */
  receipts(endpoint?: string): readonly Receipt[] {
    return endpoint === undefined ? this.received : this.received.filter(receipt => receipt.endpoint === endpoint);
  }

  /** From now on `endpoint` answers like this, one behaviour after the other, and takes everything once they are over. */
  behave(endpoint: string, ...behaviours: readonly RecipientBehaviour[]): void {
    this.scripts.set(endpoint, new Script(this.clock, behaviours));
  }

  /** The answer to one attempt, if a scenario has set one. */
  answerOf(endpoint: string): RecipientBehaviour | undefined {
    return this.scripts.get(endpoint)?.next();
  }

  take(receipt: Omit<Receipt, 'atMs'>): void {
    this.received.push({ atMs: this.clock.nowMs, ...receipt });
  }
}

/** Devices that are disabled, or whose app is, are not tried; a device that is gone is disabled. */
export function deviceCheck(platforms: Platforms): DestinationCheck {
  return {
    refusalOf: ({ endpoint }) => {
      const refusal = platforms.refusalOf(endpoint);
      return refusal && refusedEnd(400, refusal.code, refusal.message);
    },
    learn: ({ endpoint }, outcome) => platforms.learn(endpoint, outcome),
  };
}

const OPTED_OUT = 'Phone number is opted out';

/** Nothing reaches somebody who has opted out. */
export function phoneCheck(phones: Phones): DestinationCheck {
  const end = {
    outcome: { kind: 'answered', statusCode: 400, errorCode: OPTED_OUT },
    providerResponse: () => OPTED_OUT,
  } as const;
  return { refusalOf: ({ endpoint }) => (phones.refuses(endpoint) ? end : undefined) };
}

/** SNS writes to a stream with the role of the subscription, if it may. */
export function streamCheck(access: AccessControl, roles: RoleTrust): DestinationCheck {
  return { refusalOf: destination => streamRefusal(destination, access, roles) };
}

/**
 * SNS writes to a Firehose stream with the role of the subscription: without it, or without its permission, nothing
 * arrives.
 * @returns the refusal, or undefined when it may write
 * @see https://docs.aws.amazon.com/sns/latest/dg/prereqs-kinesis-data-firehose.html
 */
export function streamRefusal(
  { endpoint, subscriptionRoleArn = '' }: Destination,
  access: AccessControl,
  roles: RoleTrust,
): AttemptEnd | undefined {
  const caller = roleCaller(subscriptionRoleArn);
  const mayAssume = roles.decideAssumeRole('sns.amazonaws.com', subscriptionRoleArn).allowed;
  const decision = access.decide({ caller, action: 'firehose:PutRecord', resource: endpoint });
  if (mayAssume && decision.allowed) return undefined;
  const reason = mayAssume ? decision.reason : `sns.amazonaws.com may not assume ${subscriptionRoleArn}`;
  return refusedEnd(400, 'AccessDeniedException', reason);
}
