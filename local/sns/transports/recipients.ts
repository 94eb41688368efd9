import type { Outcome } from '../../../lib/policy/outcome';
import type { Protocol } from '../../../lib/policy/protocol';
import type { Clock } from '../../kernel/clock';

/** The protocols whose far end is nothing the embedded AWS plays: mailboxes, phones, devices and streams. */
export type RecordedProtocol = Extract<Protocol, 'application' | 'email' | 'email-json' | 'firehose' | 'sms'>;

/** Something that reached a mailbox, a phone, a device or a stream. */
export interface Receipt {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly protocol: RecordedProtocol;
  /** The address, number, device ARN or stream ARN. */
  readonly endpoint: string;
  readonly topicArn: string;
  readonly subscriptionArn: string;
  readonly messageId: string;
  /** Of an e-mail. */
  readonly subject?: string;
  /** A notification's text or envelope; for a confirmation, the text with the link. */
  readonly body: string;
  /** Of a confirmation only: what ConfirmSubscription wants to be shown. */
  readonly token?: string;
}

/** How the recipients at an endpoint answer for a while. */
export interface RecipientBehaviour {
  readonly outcome: Outcome;
  /** What the delivery-status log shows. @default - the outcome as JSON */
  readonly providerResponse?: string;
  /** First instant, in milliseconds since the Unix epoch, at which it no longer holds. @default for ever */
  readonly untilMs?: number;
  /** For how many attempts it holds. @default every one */
  readonly count?: number;
}

interface Behaving extends RecipientBehaviour {
  used: number;
}

/** Everybody who receives by e-mail, text message, mobile push or Firehose. They take everything unless told otherwise. */
export class Recipients {
  private readonly received: Receipt[] = [];
  private readonly behaviours = new Map<string, Behaving[]>();

  constructor(private readonly clock: Clock) {}

  /** Everything that reached `endpoint`, oldest first. @default every endpoint */
  receipts(endpoint?: string): readonly Receipt[] {
    return endpoint === undefined ? this.received : this.received.filter(receipt => receipt.endpoint === endpoint);
  }

  /** From now on `endpoint` answers like this, one behaviour after the other, and takes everything once they are over. */
  behave(endpoint: string, ...behaviours: readonly RecipientBehaviour[]): void {
    this.behaviours.set(
      endpoint,
      behaviours.map(behaviour => ({ ...behaviour, used: 0 })),
    );
  }

  /** The answer to one attempt, if a scenario has set one. */
  answerOf(endpoint: string): RecipientBehaviour | undefined {
    const running = this.behaviours.get(endpoint)?.filter(behaving => !this.isOver(behaving)) ?? [];
    this.behaviours.set(endpoint, running);
    const [current] = running;
    if (current) current.used += 1;
    return current;
  }

  take(receipt: Omit<Receipt, 'atMs'>): void {
    this.received.push({ atMs: this.clock.nowMs, ...receipt });
  }

  private isOver({ untilMs, count, used }: Behaving): boolean {
    return (untilMs !== undefined && this.clock.nowMs >= untilMs) || (count !== undefined && used >= count);
  }
}
