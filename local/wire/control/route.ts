import type { OnGone } from '../../kernel/caller';
import type { Clock } from '../../kernel/clock';
import type { Faults } from '../../kernel/faults';
import { parseJson } from '../../kernel/json';
import { InvalidInput } from '../../kernel/member-reader';
import type { Traced, TraceEvent } from '../../kernel/trace';
import type { Reply } from '../../network/network';
import type { OutsideWorld } from '../../network/outside-world';
import type { Journey } from '../server/time-driver';

/** What can be seen and set over HTTP. */
export interface ControlledSimulation {
  readonly clock: Clock;
  readonly trace: { readonly lastSeq: number; since(seq: number): readonly Traced<TraceEvent>[] };
  readonly outside: OutsideWorld;
  readonly faults: Faults;
  /** Lets virtual time pass, and does all that is due meanwhile. */
  advance(journey: Journey): Promise<unknown>;
  /** Confirms an endpoint's subscriptions, and answers how many there were to confirm. */
  confirm(endpoint: string): number;
  /** What there is, and how it is: plain JSON, whose URLs are those the reader can use. */
  state(reachedAt: string | undefined): object;
}

/** As much of a request as control looks at. */
export interface ControlRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly onGone: OnGone;
}

/** What follows a route's name, and what it is given. */
export interface ControlInput {
  /** `billing.example.com` of `/_dlo/endpoints/billing.example.com`. */
  readonly rest: string;
  readonly query: URLSearchParams;
  /** Where the client reaches AWS, as it says itself. */
  readonly reachedAt: string | undefined;
  readonly onGone: OnGone;
  readonly body: Uint8Array;
}

/**
 * Answers one method of one route.
 *
 * @throws InvalidInput when the request makes no sense
 */
export type ControlHandler = (world: ControlledSimulation, input: ControlInput) => object | Promise<object>;

/** The methods a route takes. */
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
