import { classify } from '../../../policy/outcome/classify';
import type { Outcome } from '../../../policy/outcome/outcome';
import type { Protocol } from '../../../policy/outcome/protocol';
import type { AccessControl, RoleTrust } from '../../kernel/access';
import type { AwsError } from '../../kernel/aws-error';
import { roleCaller } from '../../kernel/caller';
import type { Clock } from '../../kernel/clock';
import { checkNames, type MemberNames } from '../../kernel/member-reader';
import { type ActivePeriod, Script } from '../../kernel/script';
import type { Platforms } from '../direct-messages/mobile-push';
import type { Phones, TextMessage } from '../direct-messages/text-messages';
import type { ControlMessage, ControlMessageType, Envelopes } from '../envelope/envelopes';
import type { Subscription } from '../topic/topic-and-subscription';
import type { AttemptEnd, Delivery, Transport } from './transport';

/** The response of a recipient that accepts a message. */
const ACCEPTED: Readonly<Record<RecordedProtocol, { readonly statusCode: number; readonly providerResponse: string }>> =
  {
    application: { statusCode: 200, providerResponse: '{"statusCode":200}' },
    email: { statusCode: 250, providerResponse: '250 Ok' },
    'email-json': { statusCode: 250, providerResponse: '250 Ok' },
    firehose: { statusCode: 200, providerResponse: '{"firehoseStatus":200}' },
    sms: { statusCode: 200, providerResponse: 'Message has been accepted by phone carrier' },
  };

/**
 * Returns the provider response for an outcome that a scenario has set without a response text. For a text message it
 * is the delivery status that AWS documents.
 * **Assumption SNS-25:** AWS does not publish this for the other protocols. They use the format that SNS uses for other
 * services.
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

/** The recipient of a message. */
export type Destination = Pick<Subscription, 'endpoint' | 'subscriptionRoleArn'>;

interface DestinationCheck {
  /** Returns why SNS does not send to the destination, or undefined if it does. */
  refusalOf(destination: Destination): AttemptEnd | undefined;
  learn?(destination: Destination, outcome: Outcome): void;
}

const OPEN: DestinationCheck = { refusalOf: () => undefined };

function refusedEnd(statusCode: number, errorCode: string, errorMessage: string): AttemptEnd {
  return {
    outcome: { kind: 'answered', statusCode, errorCode, errorMessage },
    providerResponse: () => JSON.stringify({ ErrorCode: errorCode, ErrorMessage: errorMessage }),
  };
}

/**
 * Delivers to recipients outside the simulation (mailboxes, phones, devices and Firehose streams) by recording what
 * they receive.
 */
export class RecordedTransport implements Transport {
  constructor(
    private readonly protocol: RecordedProtocol,
    private readonly recipients: Recipients,
    private readonly envelopes: Envelopes,
    /** @default - SNS may send to every destination */
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

  /** Sends once to a destination, and records the message if the destination accepts it. */
  offer(destination: Destination, receipt: () => Omit<Receipt, 'atMs'>): AttemptEnd {
    const refusal = this.check.refusalOf(destination);
    if (refusal) return refusal;
    const end = this.answer(destination.endpoint);
    if (classify(this.protocol, end.outcome).kind === 'delivered') this.recipients.take(receipt());
    this.check.learn?.(destination, end.outcome);
    return end;
  }

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

  /**
   * Mailboxes and phones receive the message text. `email-json` and Firehose receive the envelope, unless raw message
   * delivery is on.
   */
  private bodyFor(delivery: Delivery): string {
    const { message, subscription } = delivery;
    const enveloped =
      this.protocol === 'email-json' || (this.protocol === 'firehose' && !subscription.rawMessageDelivery);
    return enveloped ? delivery.enveloped(this.envelopes).toString() : message.bodyFor(subscription.textKey);
  }
}

/** The protocols whose recipients are outside the simulation: mailboxes, phones, devices and Firehose streams. */
export type RecordedProtocol = Extract<Protocol, 'application' | 'email' | 'email-json' | 'firehose' | 'sms'>;

/** A message that reached a mailbox, a phone, a device or a Firehose stream. */
export interface Receipt {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly protocol: RecordedProtocol;
  /** The address, number, device ARN or stream ARN. */
  readonly endpoint: string;
  /** Missing, like `subscriptionArn`, for a message published directly to this endpoint. */
  readonly topicArn?: string;
  readonly subscriptionArn?: string;
  readonly messageId: string;
  /** Set for an e-mail. */
  readonly subject?: string;
  /** The text or envelope of a notification. For a confirmation, the text with the link. */
  readonly body: string;
  /** Set for a text message published directly to this phone. */
  readonly sms?: TextMessage;
  /** Set for a subscription or unsubscribe confirmation: the token for ConfirmSubscription. */
  readonly token?: string;
}

/** How an endpoint responds during a period. */
export interface RecipientBehaviour extends ActivePeriod {
  readonly outcome: Outcome;
  /** The `providerResponse` of the delivery-status log. @default - derived from `outcome` and the protocol */
  readonly providerResponse?: string;
}

const BEHAVIOUR: MemberNames<RecipientBehaviour> = {
  outcome: true,
  providerResponse: true,
  untilMs: true,
  forMs: true,
  count: true,
};

/** The recipients of e-mail, text messages, mobile push and Firehose. By default they accept every message. */
export class Recipients {
  private readonly received: Receipt[] = [];
  private readonly scripts = new Map<string, Script<RecipientBehaviour>>();

  constructor(private readonly clock: Clock) {}

  /** Returns what `endpoint` received, oldest first. @default - all endpoints */
  receipts(endpoint?: string): readonly Receipt[] {
    return endpoint === undefined ? this.received : this.received.filter(receipt => receipt.endpoint === endpoint);
  }

  /**
   * Sets how `endpoint` responds from now on, one behavior after another. After the last one it accepts every message.
   */
  behave(endpoint: string, ...behaviours: readonly RecipientBehaviour[]): void {
    for (const behaviour of behaviours) checkNames(behaviour, 'a behaviour', BEHAVIOUR);
    this.scripts.set(endpoint, new Script(this.clock, behaviours));
  }

  /** Returns the behavior for one attempt, if a scenario has set one. */
  answerOf(endpoint: string): RecipientBehaviour | undefined {
    return this.scripts.get(endpoint)?.next();
  }

  take(receipt: Omit<Receipt, 'atMs'>): void {
    this.received.push({ atMs: this.clock.nowMs, ...receipt });
  }
}

/**
 * SNS does not send to a disabled device, nor to a device of a disabled application. SNS disables a device that no
 * longer exists.
 */
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

/** SNS sends nothing to a phone number that has opted out. */
export function phoneCheck(phones: Phones): DestinationCheck {
  const end = {
    outcome: { kind: 'answered', statusCode: 400, errorCode: OPTED_OUT },
    providerResponse: () => OPTED_OUT,
  } as const;
  return { refusalOf: ({ endpoint }) => (phones.refuses(endpoint) ? end : undefined) };
}

/** SNS sends to a Firehose stream with the role of the subscription. */
export function streamCheck(
  access: AccessControl,
  roles: RoleTrust,
  streams: Streams = () => undefined,
): DestinationCheck {
  return {
    refusalOf: destination => {
      const refusal = streamRefusal(destination, access, roles);
      const missing = refusal ? undefined : streams(destination.endpoint);
      return missing ? refusedEnd(missing.httpStatus, missing.code, missing.message) : refusal;
    },
  };
}

/** Returns the answer of Firehose about a stream that does not exist any more; undefined for others. */
export type Streams = (streamArn: string) => AwsError | undefined;

/**
 * Checks whether SNS may write to a Firehose stream with the role of the subscription.
 * @returns the refusal, or undefined when SNS may write
 * @see https://docs.aws.amazon.com/sns/latest/dg/prereqs-kinesis-data-firehose.html
 */
function streamRefusal(
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
