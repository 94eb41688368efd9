import {
  AspectPriority,
  Aspects,
  CfnResource,
  DefaultTokenResolver,
  StringConcat,
  Tokenization,
  type TokenizedStringFragments,
} from 'aws-cdk-lib';
import { CfnRule } from 'aws-cdk-lib/aws-events';
import { CfnEventInvokeConfig, CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { warn } from '../checks';
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

/** Leaves each text as it stands, tokens and all: what names a queue by its ARN holds the very text `queueArn` is. */
class TextKeeper extends DefaultTokenResolver {
  constructor() {
    super(new StringConcat());
  }

  public override resolveString(fragments: TokenizedStringFragments): unknown {
    return fragments.join(new StringConcat());
  }
}

function mentions(resource: CfnResource, target: unknown, text: string): boolean {
  if (target === undefined) return false;
  const resolved: unknown = Tokenization.resolve(target, { scope: resource, resolver: new TextKeeper() });
  return (JSON.stringify(resolved) ?? '').includes(JSON.stringify(text));
}

/** Who is known to feed a dead-letter queue, and at synthesis the search for those who are not. */
export class KnownFeeders {
  private readonly known = new Set<string>();

  public know({ names }: Feeder): void {
    for (const name of names) if (name !== undefined) this.known.add(name);
  }

  /** Warns at synthesis of whatever in the app sends or moves to `queue` and is not known by then. */
  public warnOfUnknown(queue: IConstruct, queueArn: string): void {
    const visit = (node: IConstruct) => {
      if (node === queue) this.search(queue, queueArn);
    };
    Aspects.of(queue).add({ visit }, { priority: AspectPriority.READONLY });
  }

  private search(queue: IConstruct, queueArn: string): void {
    for (const resource of queue.node.root.node.findAll()) {
      if (!CfnResource.isCfnResource(resource)) continue;
      const feeding = feedingOf(resource);
      if (!feeding || this.known.has(feeding.name) || !mentions(resource, feeding.target, queueArn)) continue;
      const message = `No alarm of this queue was made for what ${resource.node.path} sends here: ${feeding.advice}.`;
      warn(queue, 'feeder-unknown', message);
    }
  }
}
