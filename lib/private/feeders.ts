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
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { warn } from './checks';

/** What of a resource sends or moves dead letters, and to whom that must be said. */
interface Feeding {
  /** The property that names the dead-letter queue. */
  readonly target: unknown;
  /** Who feeds: as in `Feeders.know`. */
  readonly feeder: string;
  readonly advice: string;
}

const TOPIC = 'call fedByTopic with its topic';
const FUNCTION = 'call fedByFunction with its function';
const QUEUE = 'call fedByQueue with that queue, or make it a ProcessingQueue';
const OTHER = 'make an alarm of metricArrivals above 0';

function feedingOf(resource: CfnResource): Feeding | undefined {
  const feeder = resource.node.path;
  if (resource instanceof CfnQueue) return { target: resource.redrivePolicy, feeder, advice: QUEUE };
  if (resource instanceof CfnFunction) return { target: resource.deadLetterConfig, feeder, advice: FUNCTION };
  if (resource instanceof CfnRule) return { target: resource.targets, feeder, advice: OTHER };
  if (resource instanceof CfnSchedule) return { target: resource.target, feeder, advice: OTHER };
  if (resource instanceof CfnSubscription) {
    return { target: resource.redrivePolicy, feeder: resource.topicArn, advice: TOPIC };
  }
  if (resource instanceof CfnEventInvokeConfig || resource instanceof CfnEventSourceMapping) {
    return { target: resource.destinationConfig, feeder: resource.functionName, advice: FUNCTION };
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
  return (JSON.stringify(resolved) ?? '').includes(JSON.stringify(text).slice(1, -1));
}

/** Who is known to feed a dead-letter queue, and at synthesis the search for those who are not. */
export class Feeders {
  private readonly known = new Set<string>();

  /** Knows a feeder by the path of its resource, or where others name it by what they name it with. */
  public know(...feeders: (string | undefined)[]): void {
    for (const feeder of feeders) if (feeder !== undefined) this.known.add(feeder);
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
      if (!feeding || this.known.has(feeding.feeder) || !mentions(resource, feeding.target, queueArn)) continue;
      const message = `No alarm of this queue was made for what ${resource.node.path} sends here: ${feeding.advice}.`;
      warn(queue, 'feeder-unknown', message);
    }
  }
}
