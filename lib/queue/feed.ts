import { CfnResource } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnEventInvokeConfig, CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct, IDependable } from 'constructs';
import type { Problem } from '../../policy/problem';
import { atSynthesis, throwProblems, warn } from '../shared/checks';
import { mentions } from '../shared/construct-tree';
import type { DeadLetterFeeder, IDeadLetterQueue } from './i-dead-letter-queue';
import { isRelayQueue, warnOfForeignKey } from './queue-checks';

/** The dead letters somebody brings, from which alarms follow. */
export interface DeadLetterArrivals {
  readonly feeder: DeadLetterFeeder;
  /** SQS counts what is sent to a queue, and not what it moves there itself: each has an alarm of its own. */
  readonly by: 'sent' | 'moved';
  /** What the alarm calls them, as in `what topic Stack/Orders could not deliver`. */
  readonly what: string;
  /** The queue that SQS moves from. @default - it is none */
  readonly source?: IQueue;
}

/** Who has to do with a dead-letter queue: all that is particular to one kind of feeder. */
export interface Feeder {
  /** What others know it by: the path of its resource, or what names it in the templates of others. */
  readonly names: readonly (string | undefined)[];
  /** The dead letters it brings. @default - none: it is an anchor, and only names the queue */
  readonly arrivals?: DeadLetterArrivals;
  /** What AWS would reject of the queue, or never reach. @default - nothing */
  readonly problems?: (queue: IQueue) => Problem[];
  /**
   * Lets in a service that comes as itself: the policy of the queue, and of its key. Returns what must be there before
   * the feeder may send.
   * @default - it comes with a role, or is SQS itself
   */
  readonly allowService?: (scope: Construct, queue: IQueue) => IDependable[];
  /** Lets in whoever comes with a role: the policy of the role. Returns as `admit` does. @default - it comes as itself */
  readonly grantRole?: (scope: Construct, queue: IQueue) => IDependable[];
  /** The queue that names this one in its redrive policy, which the redrive-allow policy must allow. @default - none */
  readonly namedBy?: IQueue;
}

/**
 * Says to a dead-letter queue who feeds it. One that does not look after itself gets the access alone, and a warning,
 * unless a relay delivers what it holds.
 * @returns what must be there before the feeder may send
 */
export function feed(scope: Construct, queue: IQueue, feeder: Feeder): IDependable[] {
  const monitor = monitorOf(queue);
  if (monitor) return [monitor.feed(feeder)];
  throwProblems(queue.node.path, feeder.problems?.(queue) ?? []);
  if (!isRelayQueue(queue)) {
    const message = `No alarm watches the dead letters in ${queue.node.path}: a DeadLetterQueue brings one, and an ImportedDeadLetterQueue for a queue made elsewhere.`;
    warn(scope, 'dead-letters-unwatched', message);
  }
  warnOfForeignKey(scope, queue);
  return [...(feeder.grantRole?.(scope, queue) ?? []), ...(feeder.allowService?.(scope, queue) ?? [])];
}

/** The same in every copy of this library: an app may hold it twice. */
const MONITOR: unique symbol = Symbol.for('dead-letter-office.DeadLetters');

/** What watches a dead-letter queue: a `DeadLetterMonitor`, as far as feeders and redrives need it. */
interface Monitor {
  readonly queueArn: string;
  /** What each known feeder is called in templates. */
  readonly names: ReadonlySet<string>;
  readonly feeders: readonly DeadLetterFeeder[];
  feed(feeder: Feeder): IDependable;
}

interface Watched {
  [MONITOR]?: Monitor;
}

/** Lets others find what looks after a queue. */
export function registerMonitor(queue: IDeadLetterQueue, monitor: Monitor): void {
  Object.defineProperty(queue, MONITOR, { value: monitor });
}

/** What looks after a queue as a dead-letter queue; undefined of any other queue. */
export function monitorOf(queue: object): Monitor | undefined {
  const watched: Watched = queue;
  return watched[MONITOR];
}

/** Whether a queue looks after itself as a dead-letter queue: its access and its alarms. */
export function isDeadLetterQueue(queue: IQueue): queue is IDeadLetterQueue {
  return monitorOf(queue) !== undefined;
}

/** The queue as one that looks after itself, if it is one. */
export function asDeadLetterQueue(queue: IQueue): IDeadLetterQueue | undefined {
  return isDeadLetterQueue(queue) ? queue : undefined;
}

/** What of a resource sends or moves dead letters, and to whom that must be said. */
interface Feeding {
  /** The property that names the dead-letter queue. */
  readonly target: unknown;
  /** Who feeds: one of the names of a `Feeder`. */
  readonly name: string;
  readonly advice: string;
}

type Reader = (resource: CfnResource) => Feeding | undefined;

function kind<R extends CfnResource>(type: new (...args: never[]) => R, read: (resource: R) => Feeding): Reader {
  return resource => (resource instanceof type ? read(resource) : undefined);
}

const FUNCTION = 'call fedByFunction with its function';

/** Every kind of resource that can name a dead-letter queue. */
const KINDS: readonly Reader[] = [
  kind(CfnQueue, ({ redrivePolicy, node }) => {
    const advice = 'call fedByQueue with that queue, or make it a ProcessingQueue';
    return { target: redrivePolicy, name: node.path, advice };
  }),
  kind(CfnSubscription, ({ redrivePolicy, topicArn }) => {
    return { target: redrivePolicy, name: topicArn, advice: 'call fedByTopic with its topic' };
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
  kind(CfnRule, ({ targets, node }) => ({ target: targets, name: node.path, advice: 'call fedByRule with it' })),
  kind(CfnSchedule, ({ target, node }) => ({ target, name: node.path, advice: 'call fedBySchedule with it' })),
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

/** By whatever construct one queue goes: a stack each may import it, and be told of what that stack sends. */
function namesKnownOf(queueArn: string, resources: readonly IConstruct[]): ReadonlySet<string> {
  const monitors = resources.flatMap(it => monitorOf(it) ?? []).filter(it => it.queueArn === queueArn);
  return new Set(monitors.flatMap(({ names }) => [...names]));
}

/** Who is known to feed a dead-letter queue, and at synthesis the search for those who are not. */
export class KnownFeeders {
  public readonly names = new Set<string>();

  /** Warns at synthesis of whatever in the app sends or moves to `queue` and is not known by then. */
  constructor(queue: IQueue) {
    atSynthesis(queue, () => search(queue));
  }

  public know({ names }: Feeder): void {
    for (const name of names) if (name !== undefined) this.names.add(name);
  }
}

/** Whatever in the app names a queue as its dead-letter queue or failure destination, by now. */
export function resourcesFeeding(queue: IQueue): readonly CfnResource[] {
  const resources = queue.node.root.node.findAll().filter(it => CfnResource.isCfnResource(it));
  return resources.filter(it => mentions(it, feedingOf(it)?.target, queue.queueArn));
}

function search(queue: IQueue): void {
  const known = namesKnownOf(queue.queueArn, queue.node.root.node.findAll());
  for (const resource of resourcesFeeding(queue)) {
    const feeding = feedingOf(resource);
    if (!feeding || known.has(feeding.name)) continue;
    const message = `No alarm of this queue was made for what ${resource.node.path} sends here: ${feeding.advice}.`;
    warn(queue, 'feeder-unknown', message);
  }
}
