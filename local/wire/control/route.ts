import type { OnGone } from '../../kernel/caller';
import { type Clock, isoInstant } from '../../kernel/clock';
import type { Faults } from '../../kernel/faults';
import { parseJson } from '../../kernel/json';
import { InvalidInput } from '../../kernel/member-reader';
import type { Traced, TraceEvent } from '../../kernel/trace';
import type { Reply } from '../../network/network';
import type { OutsideWorld } from '../../network/outside-world';
import type { Speed, TimeAdvance } from '../server/time-driver';
import type { OtherServices } from '../unsimulated/other-services';

/** Events that services would send which are not simulated, by service. */
interface Emitter {
  s3(event: never): readonly string[];
  kinesis(records: never): readonly string[];
  dynamoDb(changes: never): readonly string[];
  event(event: never): void;
}

/** The parts of the simulation that can be read and set over HTTP. */
export interface ControlledSimulation {
  readonly clock: Clock;
  /** How fast virtual time moves. */
  readonly speed: Speed;
  readonly trace: { readonly lastSeq: number; since(seq: number): readonly Traced<TraceEvent>[] };
  readonly outside: OutsideWorld;
  readonly faults: Faults;
  readonly services: OtherServices;
  readonly emit: Emitter;
  /** Moves virtual time, and runs all work that is due. */
  advance(journey: TimeAdvance): Promise<unknown>;
  setSpeed(speed: Speed): Promise<void>;
  readonly messages: MessageReader;
  /**
   * Publishes to a topic or sends to a queue, named as `LocalAws.resource` takes it.
   *
   * @throws InvalidInput as `LocalAws.resource` does
   */
  send(to: { readonly topic: string } | { readonly queue: string }, message: string, options: SendingOptions): string;
  /** Does something after so many milliseconds. */
  after(delayMs: number, task: () => void): void;
  /** Confirms an endpoint's subscriptions, and returns their number. */
  confirm(endpoint: string): number;
  /** The state as plain JSON, with URLs that the reader can use. */
  state(reachedAt: string | undefined): object;
  /** Undefined if the server does not record requests. */
  readonly rewind?: Rewind | undefined;
}

interface MessageReader {
  /**
   * @param pause lets other work run
   * @throws InvalidInput for a wrong member
   */
  search(query: Readonly<Record<string, unknown>>, pause: () => Promise<void>): Promise<object>;
  /** @param id any of its ids. Undefined if there is no such message */
  read(id: string): object | undefined;
}

export interface SendingOptions {
  readonly attributes?: Readonly<Record<string, string>>;
  readonly groupId?: string;
  readonly deduplicationId?: string;
}

/** A point of the run: a snapshot, the beginning (`undefined`), or an instant. */
export type RewindTo = { readonly snapshot: string | undefined } | { readonly untilMs: number };

/** Returns a served simulation to an earlier point. */
export interface Rewind {
  /** The instant at which the run began. */
  readonly beganMs: number;
  /** The names of the snapshots, oldest first. */
  names(): readonly string[];
  /** Remembers this point. Returns its name, its virtual time and the number of its last event. */
  take(): object;
  /**
   * @returns the state after that
   * @throws Error when the new run differs from the recorded one
   */
  restore(to: RewindTo, reachedAt: string | undefined): Promise<object>;
}

export interface ControlRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly onGone: OnGone;
}

export interface ControlInput {
  /** The path after the route's name: `billing.example.com` of `/_dlo/endpoints/billing.example.com`. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** The base URL at which the client reaches AWS, from its `Host` header. */
  readonly reachedAt: string | undefined;
  readonly onGone: OnGone;
  readonly body: Uint8Array;
}

/**
 * Answers one method of one route.
 *
 * @throws InvalidInput for an invalid request
 */
type ControlHandler = (simulation: ControlledSimulation, input: ControlInput) => object | Promise<object>;

/** The handlers of a route by HTTP method. */
export type ControlRoute = Readonly<Record<string, ControlHandler>>;

export type ControlReply = Extract<Reply, { kind: 'response' }>;

export function jsonReply(
  status: number,
  document: object,
  headers: Readonly<Record<string, string>> = {},
): ControlReply {
  const body = Buffer.from(`${JSON.stringify(document)}\n`);
  return { kind: 'response', status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export const THE_BODY = 'the body';

/** @throws InvalidInput when the body is not JSON */
export function parsedBody(body: Uint8Array): unknown {
  const text = Buffer.from(body).toString('utf8');
  return parseJson(
    text,
    words => new InvalidInput([{ property: THE_BODY, rule: `must be JSON: ${words}`, value: text }]),
  );
}

/**
 * Moves virtual time while the client waits, unless it disconnects. `events` is the number of events added to the trace.
 *
 * @param untilMs the instant to move to, read when other requests have finished moving time
 * @param isEnough whether an event that was added ends the move
 */
export async function movedTime(
  { advance, clock, trace }: ControlledSimulation,
  { onGone }: ControlInput,
  untilMs: () => number,
  isEnough = false,
): Promise<object> {
  let before = 0;
  let isWanted = true;
  onGone(() => {
    isWanted = false;
  });
  let answer = {};
  await advance({
    untilMs: () => {
      before = trace.lastSeq;
      return untilMs();
    },
    isWanted: () => isWanted && !(isEnough && trace.lastSeq > before),
    arrived: () => {
      answer = { now: isoInstant(clock.nowMs), events: trace.lastSeq - before };
    },
  });
  return answer;
}
