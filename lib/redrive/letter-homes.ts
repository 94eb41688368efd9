import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterFeederKind } from '../queue/dead-letter-feeder';
import { monitorOf } from '../queue/dead-letters/letters-of';
import { mentions } from '../shared/mentions';

/** Whom letters were meant for. */
export interface MessageDestination {
  /** Who puts them into the dead-letter queue: a queue, a function or a subscription. */
  readonly path: string;
  /** What was to process them: its ARN or address, as the construct that has it says it. */
  readonly home: string;
}

/** Those of whom a dead-letter queue is told that they process what they feed it with themselves. */
const CONSUMERS: readonly DeadLetterFeederKind[] = [DeadLetterFeederKind.QUEUE, DeadLetterFeederKind.FUNCTION];

/** The queues and functions that a dead-letter queue was told of; a topic does not say whom it delivers to. */
function reported(deadLetterQueue: IQueue): readonly MessageDestination[] {
  const feeders = monitorOf(deadLetterQueue)?.feeders ?? [];
  return feeders.flatMap(({ kind, construct }) => {
    if (!construct || !CONSUMERS.includes(kind)) return [];
    const { path } = construct.node;
    if ('queueArn' in construct) return [{ path, home: String(construct.queueArn) }];
    return 'functionArn' in construct ? [{ path, home: String(construct.functionArn) }] : [];
  });
}

/** The queues that name a dead-letter queue which is told nothing. */
function naming(deadLetterQueue: IQueue, anchor: IQueue | undefined): readonly MessageDestination[] {
  if (monitorOf(deadLetterQueue)) return [];
  const all = deadLetterQueue.node.root.node.findAll().filter(it => it instanceof CfnQueue);
  const sources = all.filter(it => mentions(it, it.redrivePolicy, deadLetterQueue.queueArn));
  return sources.flatMap(({ node: { path, scope }, attrArn }) => {
    if (scope === anchor) return [];
    return scope instanceof Queue ? [{ path: scope.node.path, home: scope.queueArn }] : [{ path, home: attrArn }];
  });
}

/** Those a topic delivers to that has a subscription's dead letters sent there, of whatever construct. */
function subscribing(deadLetterQueue: IQueue): readonly MessageDestination[] {
  const all = deadLetterQueue.node.root.node.findAll().filter(it => it instanceof CfnSubscription);
  const subscriptions = all.filter(it => mentions(it, it.redrivePolicy, deadLetterQueue.queueArn));
  return subscriptions.map(({ node: { path, scope }, endpoint = path }) => ({
    path: scope?.node.path ?? path,
    home: endpoint,
  }));
}

/**
 * All whose letters a dead-letter queue keeps, each once, as far as the app shows.
 * @param anchor names the queue, and has no letters
 */
export function messageDestinations(
  deadLetterQueue: IQueue,
  anchor: IQueue | undefined,
): readonly MessageDestination[] {
  const all = [...reported(deadLetterQueue), ...naming(deadLetterQueue, anchor), ...subscribing(deadLetterQueue)];
  return all.filter(({ home }, index) => all.findIndex(other => other.home === home) === index);
}
