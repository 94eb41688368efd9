import type { NowMs } from '../../../lambda/shared/clock';
import type { DeadLetter } from '../../../mover/dead-letter';
import type { DeadLetterReceiver } from '../../../mover/letter-box';
import { HOLD_SECONDS } from '../letters/letter-hold';

/** Our choice: a letter that stays is hidden anew when so little is left. */
const RENEWED_BEFORE_MS = 60_000;

/** Our choice: beyond so many, hiding them anew every minute would take the time that moving does. */
const MOST_RENEWED = 10_000;

interface Held {
  readonly message: DeadLetter;
  readonly untilMs: number;
}

/**
 * Hides letters that stay briefly, and anew while somebody receives, so that a command that is killed leaves nothing hidden for
 * long. Of more than 10,000, those beyond stay hidden as long as was asked for.
 */
export class RenewingBox implements DeadLetterReceiver {
  /** By their ids, the one that comes back first before others. */
  private readonly held = new Map<string, Held>();
  private renewing: Promise<void> | undefined;

  constructor(
    private readonly box: DeadLetterReceiver,
    private readonly nowMs: NowMs,
  ) {}

  readonly remove: DeadLetterReceiver['remove'] = messages => this.box.remove(messages);

  readonly receive: DeadLetterReceiver['receive'] = async (most, waitSeconds) => {
    this.renewing ??= this.renew().finally(() => {
      this.renewing = undefined;
    });
    await this.renewing;
    return this.box.receive(most, waitSeconds);
  };

  readonly hide: DeadLetterReceiver['hide'] = async (messages, seconds) => {
    if (seconds === 0) {
      for (const { messageId } of messages) this.held.delete(messageId);
      await this.box.hide(messages, 0);
    } else if (this.held.size >= MOST_RENEWED) await this.box.hide(messages, seconds);
    else await this.hold(messages);
  };

  private async hold(messages: readonly DeadLetter[]): Promise<void> {
    const untilMs = this.nowMs() + HOLD_SECONDS * 1_000;
    await this.box.hide(messages, HOLD_SECONDS);
    for (const message of messages) {
      this.held.delete(message.messageId);
      this.held.set(message.messageId, { message, untilMs });
    }
  }

  private async renew(): Promise<void> {
    const soonMs = this.nowMs() + RENEWED_BEFORE_MS;
    const due: DeadLetter[] = [];
    for (const { message, untilMs } of this.held.values()) {
      if (untilMs > soonMs) break;
      due.push(message);
    }
    if (due.length > 0) await this.hold(due);
  }
}
