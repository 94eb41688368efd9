import type { Clock } from '../kernel/clock';
import { Script, type Spell } from '../kernel/script';
import type { OutgoingRequest, Reply } from './network';

/** What an outside endpoint does for a while. */
export interface Behaviour extends Spell {
  readonly reply: Reply;
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
  private script: Script<Behaviour>;

  constructor(
    readonly hostName: string,
    private readonly clock: Clock,
  ) {
    this.script = new Script(clock);
  }

  /** Every request it got, oldest first. */
  get requests(): readonly ReceivedRequest[] {
    return this.received;
  }

  /** From now on it behaves like this, one behaviour after the other, and answers 200 once they are over. */
  behave(...behaviours: readonly Behaviour[]): void {
    this.script = new Script(this.clock, behaviours);
  }

  answer(request: OutgoingRequest): Reply {
    this.received.push({ ...request, atMs: this.clock.nowMs });
    return this.script.next()?.reply ?? response(200);
  }
}
