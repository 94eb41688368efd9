import { CfnResource } from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnEventInvokeConfig, CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, type IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { atSynthesis } from '../../shared/at-synthesis';
import { warn } from '../../shared/checks';
import { mentions } from '../../shared/mentions';
import { monitorOf } from '../dead-letters/letters-of';
import type { Feeder } from './feeder';

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
  const messages = resources.flatMap(it => monitorOf(it) ?? []).filter(it => it.queueArn === queueArn);
  return new Set(messages.flatMap(({ names }) => [...names]));
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
