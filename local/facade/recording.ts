import { isoInstant } from '../kernel/clock';
import { WorkFailed } from '../kernel/timeline';
import type { Simulation } from '../simulation';
import { type ClientRequest, isObserved, type RewindTo } from '../wire';

/** A point of a run: the same seed, assembly and requests lead to it again. */
interface Point {
  /** How many pieces of work had run. */
  readonly pieces: number;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly lastSeq: number;
}

type RecordedRequest = Omit<ClientRequest, 'onGone'>;

/** What came from outside at a point: a request, the end of the connection of an earlier one, or a change of the stacks. */
type Input =
  | { readonly kind: 'request'; readonly at: Point; readonly request: RecordedRequest }
  | { readonly kind: 'gone'; readonly at: Point; readonly request: RecordedRequest }
  | { readonly kind: 'change'; readonly at: Point; readonly change: Change };

/** A change of the stacks of a simulation, which takes virtual time. */
export type Change = (simulation: Simulation) => Promise<unknown>;

/** A point to which a served simulation can return. */
export interface SnapshotSummary {
  readonly snapshot: string;
  /** Virtual time. */
  readonly now: string;
  /** The number of the last event in the trace. */
  readonly lastSeq: number;
}

interface Snapshot {
  readonly at: Point;
  readonly inputs: number;
}

/** Requests are kept until they exceed this. Then no further snapshot can be taken. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Routes that change nothing, or only move time. The points of the other inputs contain the time. */
const NOT_REPEATED = /^\/_dlo\/(advance|step|speed|health|snapshot|restore|reset)\b/;

function pointOf({ timeline, trace }: Simulation): Point {
  return { pieces: timeline.piecesDone, atMs: timeline.nowMs, lastSeq: trace.lastSeq };
}

/** Records the requests of a served simulation, so that another one can be brought to the same point. */
export class Recording {
  private readonly inputs: Input[] = [];
  private bytes = 0;

  constructor(
    private readonly snapshots: Map<string, Snapshot> = new Map(),
    inputs: readonly Input[] = [],
  ) {
    for (const input of inputs) this.add(input);
  }

  /** Records a request, and its end if the client disconnects before the answer. */
  readonly record = (simulation: Simulation, request: ClientRequest): ClientRequest => {
    const { method, path, headers, body, onGone } = request;
    const isControl = path.startsWith('/_dlo/');
    if (isControl && (method === 'GET' || NOT_REPEATED.test(path))) return request;
    if (isObserved(headers)) return request;
    const kept = { method, path, headers, body };
    this.add({ kind: 'request', at: pointOf(simulation), request: kept });
    const whenGone: ClientRequest['onGone'] = listener =>
      onGone(() => {
        this.add({ kind: 'gone', at: pointOf(simulation), request: kept });
        listener();
      });
    return { ...kept, onGone: whenGone };
  };

  readonly recordChange = (simulation: Simulation, change: Change): void => {
    this.add({ kind: 'change', at: pointOf(simulation), change });
  };

  /** @throws Error when the requests so far are too large to be kept */
  take(simulation: Simulation): SnapshotSummary {
    if (this.bytes > MOST_BYTES) {
      throw new Error(
        'the requests since the start are too large for another snapshot: restore an earlier one, or POST /_dlo/reset',
      );
    }
    const at = pointOf(simulation);
    const snapshot = `snapshot-${this.snapshots.size + 1}`;
    this.snapshots.set(snapshot, { at, inputs: this.inputs.length });
    return { snapshot, now: isoInstant(at.atMs), lastSeq: at.lastSeq };
  }

  /** The names of all snapshots, oldest first. */
  get names(): readonly string[] {
    return [...this.snapshots.keys()];
  }

  /**
   * A recording of what happened until a point, and how to repeat it. Later snapshots are forgotten: they belong to a run
   * that no longer exists.
   */
  until(to: RewindTo): { readonly recording: Recording; readonly replay: Replay } {
    if ('untilMs' in to) {
      const isEarlier = ({ at }: { readonly at: Point }): boolean => at.atMs <= to.untilMs;
      const kept = new Map([...this.snapshots].filter(([, it]) => isEarlier(it)));
      const inputs = this.inputs.filter(isEarlier);
      return { recording: new Recording(kept, inputs), replay: new Replay(inputs, to.untilMs) };
    }
    const { snapshot: name } = to;
    const names = name === undefined ? [] : this.names.slice(0, this.names.indexOf(name) + 1);
    const kept = new Map([...this.snapshots].filter(([it]) => names.includes(it)));
    const snapshot = name === undefined ? undefined : this.snapshots.get(name);
    const inputs = this.inputs.slice(0, snapshot?.inputs ?? 0);
    return { recording: new Recording(kept, inputs), replay: new Replay(inputs, snapshot?.at) };
  }

  private add(input: Input): void {
    this.bytes += input.kind === 'request' ? input.request.body.byteLength + input.request.path.length : 0;
    if (this.bytes <= MOST_BYTES) this.inputs.push(input);
  }
}

/** Repeats recorded requests in a simulation that has just been deployed in the same way. */
class Replay {
  private readonly whenGone = new Map<unknown, (() => void)[]>();

  constructor(
    private readonly inputs: readonly Input[],
    private readonly end: Point | number | undefined,
  ) {}

  /**
   * @param repeat passes a request to the simulation
   * @param onError receives errors of due work, as in the first run
   * @throws Error when the run is not the same as before
   */
  async run(
    simulation: Simulation,
    repeat: (request: ClientRequest) => void,
    onError: (error: unknown) => void,
  ): Promise<void> {
    for (const input of this.inputs) {
      await this.goTo(simulation, input.at, onError);
      if (input.kind === 'request') {
        const listeners: (() => void)[] = [];
        this.whenGone.set(input.request, listeners);
        repeat({ ...input.request, onGone: listener => void listeners.push(listener) });
      } else if (input.kind === 'gone') for (const listener of this.whenGone.get(input.request) ?? []) listener();
      // If the change failed, its caller received the error in the first run.
      else simulation.timeline.awaiting(input.change(simulation).catch(() => {}));
    }
    if (typeof this.end === 'number') await this.passTo(simulation, this.end, onError);
    else if (this.end) await this.goTo(simulation, this.end, onError);
  }

  /** Lets time pass until an instant. */
  private async passTo({ timeline }: Simulation, untilMs: number, onError: (error: unknown) => void): Promise<void> {
    while (timeline.nowMs < untilMs) {
      try {
        await timeline.advanceTo(untilMs);
      } catch (error) {
        if (!(error instanceof WorkFailed)) throw error;
        onError(error);
      }
    }
  }

  private async goTo(simulation: Simulation, at: Point, onError: (error: unknown) => void): Promise<void> {
    const { timeline, trace } = simulation;
    while (timeline.piecesDone < at.pieces) {
      const before = timeline.piecesDone;
      try {
        await timeline.advanceToPiece(at.pieces, at.atMs);
        if (timeline.piecesDone === before) break;
      } catch (error) {
        if (!(error instanceof WorkFailed)) throw error;
        onError(error);
      }
    }
    await timeline.advanceToPiece(at.pieces, at.atMs);
    if (timeline.piecesDone === at.pieces && trace.lastSeq === at.lastSeq) return;
    throw new Error(
      `the run differs from the recorded one at ${isoInstant(at.atMs)}: it has ${trace.lastSeq} events instead of ${at.lastSeq}. ` +
        'A forwarded service, a function that reads files, or a changed assembly can be the reason',
    );
  }
}
