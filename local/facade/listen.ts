import { isHostName } from '../../policy/host-header';
import { isObject } from '../kernel/json';
import { checkNames, InvalidInput, type MemberNames } from '../kernel/member-reader';
import type { Place } from '../kernel/place';
import type { Random } from '../kernel/random';
import type { Timeline } from '../kernel/timeline';
import type { Simulation } from '../simulation';
import { messageDocument, searchMessages } from '../traced-messages/message-search';
import { TracedMessages } from '../traced-messages/traced-messages';
import {
  type ClientRequest,
  Control,
  type Pages,
  type Rewind,
  type RewindTo,
  type ServedAws,
  type Speed,
  type TimeAdvance,
  TimeDriver,
  WireServer,
} from '../wire';
import { Emit } from './emit';
import { publishTo, sendTo } from './messages';
import { type Change, Recording } from './recording';
import { localAwsState } from './state';

export interface ListenOptions {
  /** 0 for any free port. @default 0 */
  readonly port?: number;
  /** The address to listen on. @default '127.0.0.1', which only this machine can reach */
  readonly host?: string;
  /**
   * Host names under which it answers, in addition to addresses, `localhost` and its own endpoints such as
   * `sqs.us-east-1.amazonaws.com`: for example `['aws']`, the name of a service of docker compose. All other names are refused,
   * so that no web page can make its own name lead here. @default none
   */
  readonly allowHosts?: readonly string[];
  /**
   * How fast virtual time moves: 1 for real time, 60 for one hour a minute, `max` for as fast as work runs.
   *
   * @default 0: time stands still until `advance` is called
   */
  readonly speed?: Speed;
  /**
   * Whether the run can return to an earlier point: `POST /_dlo/reset`, `/_dlo/snapshot` and `/_dlo/restore`. Requests to
   * the port are then recorded, and repeated after a new start from the same assembly. What a test does in this
   * process, such as `endpoint().behave`, is not repeated. @default false
   */
  readonly rewindable?: boolean;
  /** Called when the run has returned to an earlier point: `aws.trace` is then the trace of the new run. */
  readonly onRestored?: () => void;
  /**
   * Answers requests that are not for AWS, such as those of a browser. It is called with every request first, and returns
   * whether it answers.
   *
   * @internal for the console of `dlo local`
   */
  readonly pages?: Pages;
  /**
   * Receives errors of the embedded AWS, or of work that a scenario has scheduled, when no caller waits for that work.
   * Time continues. The trace also records them, as `wire.broke`.
   *
   * @default - the next call that moves time (`advance`, `advanceTo`, `runUntilIdle`) or `close` throws the first error
   */
  readonly onError?: (error: unknown) => void;
}

/** The embedded AWS, listening for clients. */
export interface Listening {
  /** The URL for `--endpoint-url`, for example `http://127.0.0.1:4566`. */
  readonly url: string;
  readonly port: number;
  /**
   * Stops listening. Clients that wait for an answer are disconnected.
   *
   * @throws the first error that no `onError` received
   */
  close(): Promise<void>;
}

/** A `Listening` that also moves time. Each method throws an earlier error once, unless `onError` received it. */
interface DrivenListening extends Listening {
  advance(journey: TimeAdvance): Promise<number>;
  /** @param work moves time, while nothing else does */
  jump<T>(work: () => Promise<T>): Promise<T>;
  /** Called when a change of the stacks begins. */
  recordChange(change: Change): void;
}

/** Errors that no caller has received yet. */
class UnreportedErrors {
  private first: { readonly error: unknown } | undefined;

  readonly keep = (error: unknown): void => {
    this.first ??= { error };
  };

  /** Throws the first error, once. */
  throwFirst(): void {
    const { first } = this;
    this.first = undefined;
    if (first) throw first.error;
  }
}

const isSpeed = (speed: unknown): boolean =>
  speed === 'max' || (typeof speed === 'number' && Number.isFinite(speed) && speed >= 0);

const HOST_NAMES_RULE =
  'must be a list of host names such as aws or dlo.example.com, without scheme, port and wildcards';

const isHostNames = (names: unknown): boolean => Array.isArray(names) && names.every(isHostName);

/** The host of a deployed API; one of the default Region if there is none. */
function hostOfApi({ all, network, place }: Simulation, apiId: string): string {
  const hostIn = ({ region, urlSuffix }: Place): string => `${apiId}.execute-api.${region}.${urlSuffix}`;
  const found = all.map(services => hostIn(services.place)).find(host => network.has(host));
  return found ?? hostIn(place);
}

/** Confirms the pending subscriptions of an endpoint, in every account and Region. Returns their number. */
export function confirmAll({ all }: Simulation, endpoint: string): number {
  return all.reduce((sum, { sns }) => sum + sns.confirm(endpoint), 0);
}

/** A simulation, and its random generator. */
export interface Run {
  readonly simulation: Simulation;
  /** The randomness it was made with. */
  readonly random: Random;
  /** Made on first use. */
  emit?: Emit;
  /** Made on first use: bodies are kept from then on. */
  messages?: TracedMessages;
}

/** What emits events in a run. */
export function emitterOf(run: Run): Emit {
  run.emit ??= new Emit(run.simulation, () => run.simulation.stacks, run.random.stream('emit'));
  return run.emit;
}

/** The messages of a run. */
export function messagesOf(run: Run): TracedMessages {
  run.messages ??= new TracedMessages(run.simulation.trace);
  return run.messages;
}

/** The run that a port serves, and how to begin again. */
interface RunSource {
  run: Run;
  /** Virtual time when it began. */
  readonly beganMs: number;
  /** Makes the same run again, as it was when it began. */
  readonly again: () => Promise<Run>;
}

const OPTIONS: MemberNames<Omit<ListenOptions, 'pages'>> = {
  port: true,
  host: true,
  allowHosts: true,
  speed: true,
  rewindable: true,
  onRestored: true,
  onError: true,
};

/** One port, and the simulation behind it. */
class OpenPort implements DrivenListening {
  port = 0;
  url = '';
  private readonly unreported = new UnreportedErrors();
  private readonly server: WireServer;
  private aws: ServedAws;
  private recording = new Recording();

  /** @throws RangeError for an invalid speed or an unknown option */
  constructor(
    private readonly source: RunSource,
    private readonly options: ListenOptions,
  ) {
    const { pages, ...named }: ListenOptions = options ?? {};
    checkNames(isObject(options) ? named : options, 'the options', OPTIONS);
    const { speed = 0, allowHosts = [] } = named;
    const problems = [
      ...(isSpeed(speed) ? [] : [{ property: 'speed', rule: 'must be max, or a number of 0 or more', value: speed }]),
      ...(isHostNames(allowHosts) ? [] : [{ property: 'allowHosts', rule: HOST_NAMES_RULE, value: allowHosts }]),
    ];
    if (problems.length > 0) throw new InvalidInput(problems);
    this.aws = this.serving(source.run, speed);
    this.server = new WireServer(this.aws, { pages, allowHosts });
  }

  /** @throws Error with the `code` of Node.js when the port cannot be opened: `EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL` */
  async open(): Promise<this> {
    const { port = 0, host = '127.0.0.1' } = this.options;
    try {
      this.port = await this.server.listen(port, host);
      this.url = `http://${host.includes(':') ? `[${host}]` : host}:${this.port}`;
      return this;
    } catch (error) {
      await this.aws.driver.stop();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.aws.driver.stop();
    this.unreported.throwFirst();
  }

  async jump<T>(work: () => Promise<T>): Promise<T> {
    this.unreported.throwFirst();
    return this.aws.driver.jump(work);
  }

  async advance(journey: TimeAdvance): Promise<number> {
    this.unreported.throwFirst();
    return this.aws.driver.advance(journey);
  }

  recordChange(change: Change): void {
    if (this.options.rewindable) this.recording.recordChange(this.source.run.simulation, change);
  }

  private serving(run: Run, speed: Speed): ServedAws {
    const { simulation, random } = run;
    const { network, place, timeline, trace, outside, faults, otherServices } = simulation;
    // The page of dlo local searches bodies.
    if (this.options.rewindable) messagesOf(run);
    const tell = this.options.onError ?? this.unreported.keep;
    const onError = (error: unknown): void => {
      trace.record({ type: 'wire.broke', error: String(error) });
      tell(error);
    };
    const driver = new TimeDriver(timeline, { speed, onError });
    const control = new Control(
      {
        clock: timeline,
        trace,
        outside,
        faults,
        services: otherServices,
        emit: emitterOf(run),
        confirm: (endpoint: string) => confirmAll(simulation, endpoint),
        advance: (journey: TimeAdvance) => driver.advance(journey),
        get speed() {
          return driver.speed;
        },
        setSpeed: to => driver.setSpeed(to),
        messages: {
          search: (query, pause) => searchMessages(messagesOf(run), query, pause),
          read: id => {
            const message = messagesOf(run).find(id);
            return message && messageDocument(messagesOf(run), message);
          },
        },
        send: (to, message, options) =>
          'topic' in to
            ? publishTo(simulation, simulation.stacks, to.topic, message, options)
            : sendTo(simulation, simulation.stacks, to.queue, message, options),
        after: (delayMs, task) => void timeline.after(delayMs, task),
        state: (reachedAt: string | undefined) => localAwsState(simulation, reachedAt),
        rewind: this.options.rewindable ? this.rewindOf(simulation) : undefined,
      },
      onError,
    );
    const ids = random.stream('server');
    const onRequest = this.options.rewindable
      ? (request: ClientRequest) => this.recording.record(simulation, request)
      : undefined;
    const apiHost = (apiId: string): string => hostOfApi(simulation, apiId);
    return { network, place, apiHost, timeline, driver, control, requestId: () => ids.uuid(), onError, onRequest };
  }

  private rewindOf(simulation: Simulation): Rewind {
    return {
      beganMs: this.source.beganMs,
      names: () => this.recording.names,
      take: () => this.recording.take(simulation),
      restore: async (to, reachedAt) => {
        await this.restore(to);
        return localAwsState(this.source.run.simulation, reachedAt);
      },
    };
  }

  /**
   * Begins again and repeats what clients did until a point. The present run goes on until that has succeeded.
   *
   * @throws Error when the new run differs from the recorded one
   */
  private async restore(to: RewindTo): Promise<void> {
    const { recording, replay } = this.recording.until(to);
    const run = await this.source.again();
    const { simulation } = run;
    const served = this.serving(run, 0);
    // The replay moves time itself.
    await served.driver.stop();
    try {
      const onError = (error: unknown): void => simulation.trace.record({ type: 'wire.broke', error: String(error) });
      const repeater = new WireServer({ ...served, onRequest: undefined, onError });
      await replay.run(simulation, request => repeater.repeat(request), onError);
    } catch (error) {
      await simulation.close();
      throw error;
    }
    await this.aws.driver.stop();
    this.recording = recording;
    this.aws = { ...this.serving(run, this.aws.driver.speed), requestId: served.requestId };
    this.server.replace(this.aws);
    const old = this.source.run;
    this.source.run = run;
    await old.simulation.close();
    this.options.onRestored?.();
  }
}

/** A simulation that can listen on one port at a time. While it listens, the port's driver moves time. */
export class ServedSimulation {
  private listening: DrivenListening | undefined;
  private opening: Promise<DrivenListening> | undefined;
  private isClosed = false;

  private readonly source: RunSource;

  /** @param again makes the same run once more, as it is now */
  constructor(run: Run, again: () => Promise<Run>) {
    this.source = { run, beganMs: run.simulation.timeline.nowMs, again };
  }

  /** The simulation. Another one after it has returned to an earlier point. */
  get run(): Run {
    return this.source.run;
  }

  /** The URL it listens on. @default - the server does not listen */
  get url(): string | undefined {
    return this.listening?.url;
  }

  /**
   * @throws Error when it already listens, is opening a port, or is closed; with the `code` of Node.js when the port
   *   cannot be opened
   */
  async listen(options: ListenOptions): Promise<Listening> {
    if (this.isClosed) throw new Error('cannot listen: this LocalAws is closed');
    if (this.opening) throw new Error('cannot listen: another listen() is still opening its port');
    if (this.listening) throw new Error(`cannot listen: it already listens at ${this.listening.url}`);
    this.opening = this.open(options);
    const listening = await this.opening.finally(() => {
      this.opening = undefined;
    });
    const close = async (): Promise<void> => {
      if (this.listening === listening) this.listening = undefined;
      await listening.close();
    };
    return { url: listening.url, port: listening.port, close };
  }

  /** @param untilMs is evaluated when nothing else moves time */
  async moveTo(untilMs: () => number): Promise<number> {
    return this.listening ? this.listening.advance({ untilMs }) : this.timeline.advanceTo(untilMs());
  }

  runUntilIdle(): Promise<number> {
    return this.moving(timeline => timeline.runUntilIdle());
  }

  /** Changes the stacks, and lets time pass until that has ended. */
  async change<T>(change: (simulation: Simulation) => Promise<T>): Promise<T> {
    const { simulation } = this.run;
    return this.moving(timeline => {
      this.listening?.recordChange(change);
      return timeline.runUntilSettled(change(simulation));
    });
  }

  /** @param move moves time, while nothing else does */
  private moving<T>(move: (timeline: Timeline) => Promise<T>): Promise<T> {
    const { timeline } = this;
    return this.listening ? this.listening.jump(() => move(timeline)) : move(timeline);
  }

  /**
   * Ends the simulation and stops listening for good. A `listen` that is still opening its port fails.
   *
   * @throws the first error that no `onError` received
   */
  async close(): Promise<void> {
    this.isClosed = true;
    try {
      await this.run.simulation.close();
    } finally {
      // The caller of an unfinished listen() receives its result first.
      await Promise.allSettled([this.opening]);
      const { listening } = this;
      this.listening = undefined;
      await listening?.close();
    }
  }

  private get timeline(): Timeline {
    return this.source.run.simulation.timeline;
  }

  private async open(options: ListenOptions): Promise<DrivenListening> {
    const listening = await new OpenPort(this.source, options).open();
    if (this.isClosed) {
      await listening.close();
      throw new Error('cannot listen: this LocalAws was closed while its port was opening');
    }
    this.listening = listening;
    return listening;
  }
}
