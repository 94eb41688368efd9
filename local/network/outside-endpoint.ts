import type { Clock } from '../kernel/clock';
import type { OutgoingRequest, Reply } from './network';

/** What an outside endpoint does for a while. */
export interface Behaviour {
  readonly reply: Reply;
  /** First instant, in milliseconds since the Unix epoch, at which it no longer does so. @default for ever */
  readonly untilMs?: number;
  /** How many requests it does so for. @default every one */
  readonly count?: number;
}

/** A request an outside endpoint got, and when. */
export interface ReceivedRequest extends OutgoingRequest {
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** A response with a text body. */
export function response(status: number, body = '', headers: Readonly<Record<string, string>> = {}): Reply {
  return { kind: 'response', status, headers, body: Buffer.from(body) };
}

/** A host outside AWS, such as a partner's billing system. It answers 200 unless told otherwise. */
export class OutsideEndpoint {
  private readonly received: ReceivedRequest[] = [];
  private script: { readonly behaviour: Behaviour; used: number }[] = [];

  constructor(
    readonly hostName: string,
    private readonly clock: Clock,
  ) {}

  /** Every request it got, oldest first. */
  get requests(): readonly ReceivedRequest[] {
    return this.received;
  }

  /** From now on it behaves like this, one behaviour after the other, and answers 200 once they are over. */
  behave(...behaviours: readonly Behaviour[]): void {
    this.script = behaviours.map(behaviour => ({ behaviour, used: 0 }));
  }

  answer(request: OutgoingRequest): Reply {
    this.received.push({ ...request, atMs: this.clock.nowMs });
    this.script = this.script.filter(({ behaviour, used }) => !this.isOver(behaviour, used));
    const [current] = this.script;
    if (!current) return response(200);
    current.used += 1;
    return current.behaviour.reply;
  }

  private isOver({ untilMs, count }: Behaviour, used: number): boolean {
    return (untilMs !== undefined && this.clock.nowMs >= untilMs) || (count !== undefined && used >= count);
  }
}
