import { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import type { IConstruct } from 'constructs';
import { DeadLetterQueue } from '../../dead-letter-queue';
import { DurableTopic } from '../../durable-topic';
import { FunctionFailures } from '../../function-failures';
import { ImportedDeadLetterQueue } from '../../imported-dead-letter-queue';
import { ProcessingQueue } from '../../processing-queue';

/** What has a place of its own on a dashboard, wherever in the tree it stands. */
const WATCHED = [DurableTopic, DeadLetterQueue, ImportedDeadLetterQueue, ProcessingQueue, FunctionFailures];

/** Every alarm below a construct, but those of whatever else is watched there: a topic's dead-letter queue has its own. */
export function alarmsOf(construct: IConstruct): readonly AlarmBase[] {
  if (construct instanceof AlarmBase) return [construct];
  const own = construct.node.children.filter(child => !WATCHED.some(type => child instanceof type));
  return own.flatMap(alarmsOf);
}
