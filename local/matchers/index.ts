/** A trace event, as far as the matchers read it. */
interface ObservedEvent {
  readonly type: string;
  readonly atMs: number;
}

/** What the matchers read of a `LocalAws`. */
interface ObservedAws {
  readonly trace: { readonly events: readonly ObservedEvent[] };
  readonly messages: readonly { readonly events: readonly ObservedEvent[] }[];
  arnOf(kind: 'queue' | 'topic' | 'alarm', id: string, past: readonly string[]): string;
}

/** What a matcher returns to jest or vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** The matchers as `expect(aws)` has them. */
export interface LocalAwsMatchers<R = unknown> {
  /**
   * So many messages were lost: given up without a dead-letter queue or destination, expired in a queue, or destroyed when a
   * queue was purged, deleted or replaced, or published to a topic after its last subscription was deleted. Without a number: at least one.
   */
  toHaveLost(count?: number): R;
  /**
   * So many messages were published to topics without a confirmed subscription, which drop them. Without a number: at
   * least one.
   *
   * @param topicName only to this topic, as `LocalAws.resource` takes it. @default - to any
   */
  toHaveUnreceived(count?: number, topicName?: string): R;
  /**
   * So many messages went to dead-letter queues. A message that comes again, for example after a redrive, counts once in
   * each queue. Without a number: at least one.
   *
   * @param queueName only to this queue, as `LocalAws.resource` takes it. @default - to any
   */
  toHaveDeadLettered(count?: number, queueName?: string): R;
  /**
   * So often did messages arrive in dead-letter queues. A message that comes again counts again. Without a number: at
   * least once.
   *
   * @param queueName only in this queue, as `LocalAws.resource` takes it. @default - in any
   */
  toHaveDeadLetterArrivals(count?: number, queueName?: string): R;
  /** An alarm went into the state ALARM. @param alarmName as `LocalAws.resource` takes it. @default - any alarm */
  toHaveAlarmed(alarmName?: string): R;
  /**
   * A deployment is safe: `await expect(deployCheck(deployed, next)).toLoseNothing()`. The update succeeds, each receiver gets what
   * it gets from the old version, and nothing on the way is unknown. The options `accept` and `allowUnknown` of `deployCheck` name what
   * may differ. It takes what `deployCheck` returns, or its promise.
   */
  toLoseNothing(): Promise<R>;
}

/** What a deployment changes for a receiver, as far as the matchers read it. */
interface ObservedReceiver {
  readonly receiver: string;
  readonly changes: readonly {
    readonly kind: string;
    readonly messages: number;
    readonly isAccepted: boolean;
    readonly causes: readonly { readonly messages: number; readonly why: string }[];
  }[];
}

/** A `DeployCheck`. */
interface ObservedDeployCheck {
  readonly verdict: 'safe' | 'unsafe' | 'unknown';
  readonly failure: string | undefined;
  readonly receivers: readonly ObservedReceiver[];
  readonly notFollowed: readonly { readonly name: string; readonly why: string; readonly isOnTheWay: boolean }[];
}

function isDeployCheck(value: unknown): value is ObservedDeployCheck {
  if (typeof value !== 'object' || value === null) return false;
  return typeof Reflect.get(value, 'verdict') === 'string' && Array.isArray(Reflect.get(value, 'receivers'));
}

/** What is no loss: the receiver gets the messages. */
const ARRIVES: readonly string[] = ['late', 'duplicated'];

const lossesOf = ({ receiver, changes }: ObservedReceiver): readonly string[] =>
  changes
    .filter(({ kind, isAccepted }) => !isAccepted && !ARRIVES.includes(kind))
    .flatMap(({ kind, messages, causes }) => [
      `\n  ${receiver}: ${messages} ${kind}`,
      ...causes.map(cause => `\n    ${cause.messages}: ${cause.why}`),
    ]);

function whyNotSafe({ verdict, failure, receivers, notFollowed }: ObservedDeployCheck): string {
  const fails = failure === undefined ? [] : [`\n  the update fails: ${failure}`];
  const unknown = notFollowed.filter(it => it.isOnTheWay).map(({ name, why }) => `\n  unknown: ${name}: ${why}`);
  return [...fails, ...receivers.flatMap(lossesOf), ...(verdict === 'unknown' ? unknown : [])].join('');
}

/** Ends of messages and events that no queue, destination or consumer has. */
const LOST: readonly string[] = [
  'events.dropped',
  'lambda.lost',
  'lambda.records-discarded',
  'lambda.records-unread',
  's3.notification-lost',
  'scheduler.dropped',
  'sns.direct-lost',
  'sns.lost',
  'sns.unreceived',
  'sqs.expired',
  'sqs.purged',
  'sqs.queue-deleted',
];

const DEAD_LETTERED = /^[a-z]+\.dead-lettered$/;

/** Members that name the queue of a dead letter. Each service has its own word. */
const QUEUES: readonly string[] = ['deadLetterQueueArn', 'targetArn', 'deadLetterArn'];

const memberOf = (event: ObservedEvent, name: string): unknown => Reflect.get(event, name);

/**
 * Records of a stream whose message a destination has are not lost. Neither are messages of a topic that never had a
 * subscription: no receiver misses them.
 */
const isLost = (event: ObservedEvent): boolean =>
  LOST.includes(event.type) &&
  (event.type !== 'lambda.records-discarded' || memberOf(event, 'destinationArn') === undefined) &&
  (event.type !== 'sns.unreceived' || memberOf(event, 'reason') === 'unsubscribed');

/** How many messages an event lost: all that a queue still had, all records of a stream that it names, or one. */
function lostIn(event: ObservedEvent): number {
  const messages = memberOf(event, 'messages');
  const records = memberOf(event, 'sequenceNumbers');
  if (Array.isArray(records)) return records.length;
  return typeof messages === 'number' ? messages : 1;
}

function queueOf(event: ObservedEvent): string {
  const arn = QUEUES.map(name => memberOf(event, name)).find(value => typeof value === 'string');
  return typeof arn === 'string' ? arn : '';
}

const described = (events: readonly ObservedEvent[]): string =>
  events.map(event => `\n  ${new Date(event.atMs).toISOString()} ${JSON.stringify(event)}`).join('');

/** Judges a number of messages. Without an expected number, there must be at least one. */
function counted(
  events: readonly ObservedEvent[],
  expected: number | undefined,
  what: string,
  count = events.length,
): MatcherResult {
  if (expected !== undefined && !(Number.isInteger(expected) && expected >= 0)) {
    throw new RangeError(`count must be a whole number of 0 or more, got ${String(expected)}`);
  }
  const pass = expected === undefined ? count > 0 : count === expected;
  const wanted = expected === undefined ? 'at least one' : String(expected);
  const message = (): string =>
    `expected ${pass ? 'not ' : ''}${wanted} ${what}, got ${count}${described(events.slice(0, 20))}`;
  return { pass, message };
}

function isLocalAws(value: unknown): value is ObservedAws {
  if (typeof value !== 'object' || value === null) return false;
  const trace: unknown = Reflect.get(value, 'trace');
  if (typeof trace !== 'object' || trace === null || !Array.isArray(Reflect.get(trace, 'events'))) return false;
  return typeof Reflect.get(value, 'arnOf') === 'function';
}

/** @throws TypeError when the value is no `LocalAws` */
function awsOf(received: unknown): ObservedAws {
  if (isLocalAws(received)) return received;
  throw new TypeError('the matchers take a LocalAws: expect(aws).toHaveLost(0)');
}

const eventsOf = (received: unknown): readonly ObservedEvent[] => awsOf(received).trace.events;

const topicOf = (event: ObservedEvent): string => String(memberOf(event, 'topicArn'));

const alarmOf = (event: ObservedEvent): string => String(memberOf(event, 'alarmArn'));

/**
 * The events about what a test names, also if it no longer exists. A misspelt name throws: it would make
 * `toHaveDeadLettered(0, 'typo')` pass whatever happens.
 */
function eventsAbout(
  received: unknown,
  events: readonly ObservedEvent[],
  [kind, arnIn]: readonly ['queue' | 'topic' | 'alarm', (event: ObservedEvent) => string],
  id: string | undefined,
): readonly ObservedEvent[] {
  if (id === undefined) return events;
  const arn = awsOf(received).arnOf(kind, id, events.map(arnIn));
  return events.filter(event => arnIn(event) === arn);
}

/** Arrivals in a dead-letter queue, or in all. */
function arrivalsIn(received: unknown, queueName: string | undefined): readonly ObservedEvent[] {
  const arrivals = eventsOf(received).filter(({ type }) => DEAD_LETTERED.test(type));
  return eventsAbout(received, arrivals, ['queue', queueOf], queueName);
}

const ofName = (before: string, name: string | undefined): string => (name === undefined ? '' : ` ${before} ${name}`);

/** Matchers for jest and vitest: `expect.extend(matchers)`, then `expect(aws).toHaveLost(0)`. */
export const matchers = {
  toHaveLost(received: unknown, count?: number): MatcherResult {
    const lost = eventsOf(received).filter(event => isLost(event) && lostIn(event) > 0);
    const messages = lost.reduce((sum, event) => sum + lostIn(event), 0);
    return counted(lost, count, 'lost messages', messages);
  },

  toHaveUnreceived(received: unknown, count?: number, topicName?: string): MatcherResult {
    const unreceived = eventsOf(received).filter(({ type }) => type === 'sns.unreceived');
    const events = eventsAbout(received, unreceived, ['topic', topicOf], topicName);
    return counted(events, count, `messages without a receiver${ofName('of', topicName)}`);
  },

  toHaveDeadLettered(received: unknown, count?: number, queueName?: string): MatcherResult {
    const arrivals = new Set(arrivalsIn(received, queueName));
    const queuesOf = (events: readonly ObservedEvent[]) => new Set(events.filter(it => arrivals.has(it)).map(queueOf));
    const messages = awsOf(received).messages.reduce((sum, { events }) => sum + queuesOf(events).size, 0);
    return counted([...arrivals], count, `dead-letter messages${ofName('in', queueName)}`, messages);
  },

  toHaveDeadLetterArrivals(received: unknown, count?: number, queueName?: string): MatcherResult {
    return counted(
      arrivalsIn(received, queueName),
      count,
      `arrivals of dead-letter messages${ofName('in', queueName)}`,
    );
  },

  toHaveAlarmed(received: unknown, alarmName?: string): MatcherResult {
    const alarmed = eventsOf(received).filter(
      event => event.type === 'cloudwatch.alarm-state-changed' && memberOf(event, 'to') === 'ALARM',
    );
    const pass = eventsAbout(received, alarmed, ['alarm', alarmOf], alarmName).length > 0;
    const others = alarmed.map(event => String(memberOf(event, 'alarmName'))).join(', ') || 'none';
    const what = alarmName === undefined ? 'any alarm' : `the alarm ${alarmName}`;
    return {
      pass,
      message: () => `expected ${what} ${pass ? 'not ' : ''}to go into ALARM; alarms that did: ${others}`,
    };
  },

  async toLoseNothing(received: unknown): Promise<MatcherResult> {
    const check: unknown = await received;
    if (!isDeployCheck(check)) {
      throw new TypeError(
        'toLoseNothing takes the result of deployCheck: expect(deployCheck(deployed, next)).toLoseNothing()',
      );
    }
    const pass = check.verdict === 'safe';
    const why = whyNotSafe(check);
    return { pass, message: () => `expected the deployment ${pass ? '' : 'not '}to lose messages${why}` };
  },
};
