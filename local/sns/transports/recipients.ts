import type { Outcome } from '../../../policy/outcome/outcome';
import type { Protocol } from '../../../policy/outcome/protocol';
import type { Clock } from '../../kernel/clock';
import { type ActivePeriod, Script } from '../../kernel/script';
import type { TextMessage } from '../sms/text-message';

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
