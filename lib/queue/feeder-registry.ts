import { CfnResource } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnEventInvokeConfig, CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct, IDependable } from 'constructs';
import type { Problem } from '../../policy/problem';
import { declareSource } from '../shared/access/message-keys';
import { atSynthesis, throwProblems, warn } from '../shared/checks';
import { mentions } from '../shared/construct-tree';
import type { DeadLetterFeeder, IDeadLetterQueue } from './i-dead-letter-queue';
import { isRelayQueue, warnOfForeignKey } from './queue-checks';

/** The dead letters of one source. */
export interface DeadLetterArrivals {
  readonly feeder: DeadLetterFeeder;
  /** SQS counts messages that are sent, and not messages that it moves, so each needs a different alarm. */
  readonly by: 'sent' | 'moved';
  /** The text in the alarm description, for example `topic Stack/Orders could not deliver a message`. */
  readonly what: string;
  /** The queue that SQS moves messages from. @default - none */
  readonly source?: IQueue;
  /** Whether an alarm of the source already reports each of these dead letters. @default false */
  readonly reportedBySource?: boolean;
}

/** A source of dead letters: everything that depends on its kind. */
export interface Feeder {
  /** How templates refer to it: by the path of its resource, or by an ARN or name. */
  readonly names: readonly (string | undefined)[];
  /** Its dead letters. @default - none: it is an anchor, which only names the queue */
  readonly arrivals?: DeadLetterArrivals;
  /** Returns what AWS would reject or cannot reach. @default - nothing */
  readonly problems?: (queue: IQueue) => Problem[];
  /**
   * Allows a service principal in the queue policy and the key policy. Returns what must exist before the source may
   * send.
   * @default - the source uses a role, or is SQS itself
   */
  readonly allowService?: (scope: Construct, queue: IQueue) => IDependable[];
  /**
   * Grants access to the source's role. Returns what must exist before the source may send. @default - the source is a
   * service principal
   */
  readonly grantRole?: (scope: Construct, queue: IQueue) => IDependable[];
  /** The queue that names this one in its redrive policy, which the redrive-allow policy must allow. @default - none */
  readonly namedBy?: IQueue;
}

/**
 * Registers what sends to a dead-letter queue, so that the queue's alarms, access and checks include it. A queue without
 * a monitor only gets the access, and a warning, unless it is the queue of a relay.
 * @returns what must exist before the source may send
 */
export function feed(scope: Construct, queue: IQueue, feeder: Feeder): IDependable[] {
  const monitor = monitorOf(queue);
  if (monitor) return [monitor.feed(feeder)];
  throwProblems(queue.node.path, feeder.problems?.(queue) ?? []);
  if (feeder.arrivals?.source) declareSource(queue, feeder.arrivals.source);
  if (!isRelayQueue(queue)) {
    const message = `No alarm watches the dead letters in ${queue.node.path}: use a DeadLetterQueue, or an ImportedDeadLetterQueue for a queue that this app does not create.`;
    warn(scope, 'dead-letters-unwatched', message);
  }
  warnOfForeignKey(scope, queue);
  return [...(feeder.grantRole?.(scope, queue) ?? []), ...(feeder.allowService?.(scope, queue) ?? [])];
}

/** A global symbol, because an app may load this library twice. */
const MONITOR: unique symbol = Symbol.for('dead-letter-office.DeadLetters');

/** The part of a `DeadLetterMonitor`, which watches a dead-letter queue, that feeders and redrives use. */
interface Monitor {
  readonly queueArn: string;
  /** What each known feeder is called in templates. */
  readonly names: ReadonlySet<string>;
  readonly feeders: readonly DeadLetterFeeder[];
  /** The age of the oldest dead letter, in seconds, above which it expires soon. */
  readonly expiresSoonSeconds: number;
  feed(feeder: Feeder): IDependable;
}

interface Watched {
  [MONITOR]?: Monitor;
}

export function registerMonitor(queue: IDeadLetterQueue, monitor: Monitor): void {
  Object.defineProperty(queue, MONITOR, { value: monitor });
}

/** The monitor of a queue; undefined for other queues. */
export function monitorOf(queue: object): Monitor | undefined {
  const watched: Watched = queue;
  return watched[MONITOR];
}

/** Whether a queue has a monitor, and so alarms and access of its own. */
export function isDeadLetterQueue(queue: IQueue): queue is IDeadLetterQueue {
  return monitorOf(queue) !== undefined;
}

/** The queue as an `IDeadLetterQueue`, if it is one. */
export function asDeadLetterQueue(queue: IQueue): IDeadLetterQueue | undefined {
  return isDeadLetterQueue(queue) ? queue : undefined;
}

/** A resource that sends or moves dead letters. */
interface Feeding {
  /** The property that names the dead-letter queue. */
  readonly target: unknown;
  /** One of the names of a `Feeder`. */
  readonly name: string;
  readonly advice: string;
}

type Reader = (resource: CfnResource) => Feeding | undefined;

function kind<R extends CfnResource>(type: new (...args: never[]) => R, read: (resource: R) => Feeding): Reader {
  return resource => (resource instanceof type ? read(resource) : undefined);
}

const FUNCTION = 'call fedBy with its function';

/** Readers for all resource types that can name a dead-letter queue. */
const KINDS: readonly Reader[] = [
  kind(CfnQueue, ({ redrivePolicy, node }) => {
    const advice = 'call fedBy with that queue, or make it a ProcessingQueue';
    return { target: redrivePolicy, name: node.path, advice };
  }),
  kind(CfnSubscription, ({ redrivePolicy, topicArn }) => {
    return { target: redrivePolicy, name: topicArn, advice: 'call fedBy with its topic' };
  }),
  kind(CfnFunction, ({ deadLetterConfig, node }) => {
    return { target: deadLetterConfig, name: node.path, advice: FUNCTION };
  }),
  kind(CfnEventInvokeConfig, ({ destinationConfig, functionName }) => {
    return { target: destinationConfig, name: functionName, advice: FUNCTION };
  }),
  kind(CfnEventSourceMapping, ({ destinationConfig, functionName }) => {
    return { target: destinationConfig, name: functionName, advice: FUNCTION };
  }),
  kind(CfnRule, ({ targets, node }) => ({ target: targets, name: node.path, advice: 'call fedBy with it' })),
  kind(CfnSchedule, ({ target, node }) => ({ target, name: node.path, advice: 'call fedBy with it' })),
  kind(CfnPipe, ({ sourceParameters, roleArn }) => {
    return { target: sourceParameters, name: roleArn, advice: 'call fedByRole with its role' };
  }),
];

function feedingOf(resource: CfnResource): Feeding | undefined {
  for (const read of KINDS) {
    const feeding = read(resource);
    if (feeding) return feeding;
  }
  return undefined;
}

/** The sources declared on any construct for this queue: several stacks may import it and declare their own sources. */
function namesKnownOf(queueArn: string, resources: readonly IConstruct[]): ReadonlySet<string> {
  const monitors = resources.flatMap(it => monitorOf(it) ?? []).filter(it => it.queueArn === queueArn);
  return new Set(monitors.flatMap(({ names }) => [...names]));
}

/** The declared sources of a dead-letter queue. At synthesis it searches the app for undeclared ones. */
export class KnownFeeders {
  public readonly names = new Set<string>();

  /** Warns at synthesis about resources that send or move messages to `queue` and were not declared. */
  constructor(queue: IQueue) {
    atSynthesis(queue, () => search(queue));
  }

  public know({ names }: Feeder): void {
    for (const name of names) if (name !== undefined) this.names.add(name);
  }
}

export function resourcesFeeding(queue: IQueue): readonly CfnResource[] {
  const resources = queue.node.root.node.findAll().filter(it => CfnResource.isCfnResource(it));
  return resources.filter(it => mentions(it, feedingOf(it)?.target, queue.queueArn));
}

function search(queue: IQueue): void {
  const known = namesKnownOf(queue.queueArn, queue.node.root.node.findAll());
  for (const resource of resourcesFeeding(queue)) {
    const feeding = feedingOf(resource);
    if (!feeding || known.has(feeding.name)) continue;
    const message = `No alarm of this queue covers what ${resource.node.path} sends to it: ${feeding.advice}.`;
    warn(queue, 'feeder-unknown', message);
  }
}
