import type { Scheduler } from '../../kernel/timeline';

/** Sets something out, and is to call `over` once nothing more becomes of it. */
type Departure = (over: () => void) => void;

/**
 * The lanes to one FIFO queue, one for each message group: AWS delivers groups side by side, and within each one message
 * after the other, in strict order. It does not say what becomes of those behind one that is being retried. Our choice:
 * they wait until it has been delivered, dead-lettered or lost.
 * @see https://docs.aws.amazon.com/sns/latest/dg/fifo-message-grouping.html
 */
export class GroupLanes {
  /** Who waits behind the message that is under way; a group without a message under way has no lane. */
  private readonly waiting = new Map<string, Departure[]>();

  constructor(private readonly timeline: Scheduler) {}

  /** Has `depart` called as soon as everything that entered before in the group is over. */
  enter(groupId: string, depart: Departure): void {
    const lane = this.waiting.get(groupId);
    if (lane) {
      lane.push(depart);
      return;
    }
    this.waiting.set(groupId, []);
    depart(() => this.next(groupId));
  }

  private next(groupId: string): void {
    const depart = this.waiting.get(groupId)?.shift();
    if (!depart) this.waiting.delete(groupId);
    // As work of its own: after a long outage thousands may go, each right after the other.
    else this.timeline.after(0, () => depart(() => this.next(groupId)));
  }
}
