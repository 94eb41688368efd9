import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnSubscription, type ITopic, Subscription } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { DurableTopic } from '../../durable-topic';
import type { FunctionFailures } from '../../function-failures';
import type { ProcessingQueue } from '../../processing-queue';
import { deadLetterAlarms } from './sections';

/** The dead-letter queues of all that is subscribed to a topic, by whatever stack and method. */
function deadLetterQueuesOf(topic: ITopic): readonly IQueue[] {
  return topic.node.root.node.findAll().flatMap(construct => {
    if (!(construct instanceof Subscription) || !construct.deadLetterQueue) return [];
    const resource = construct.node.defaultChild;
    return resource instanceof CfnSubscription && resource.topicArn === topic.topicArn
      ? [construct.deadLetterQueue]
      : [];
  });
}

/** What a dashboard is to show. It is looked at as late as synthesis, when every delivery and every alarm is there. */
export class Watched {
  readonly topics = new Set<DurableTopic>();
  readonly queues = new Set<ProcessingQueue>();
  readonly functions = new Set<FunctionFailures>();
  /** The alarms handed in by themselves. */
  readonly alarms = new Set<IAlarm>();
  /** The dead-letter queues handed in by themselves. */
  readonly deadLetterQueues = new Set<IQueue>();

  /** Those that topics, queues and functions bring, and then the others; each once. */
  get allDeadLetterQueues(): readonly IQueue[] {
    const all = [
      ...[...this.topics].flatMap(deadLetterQueuesOf),
      ...[...this.queues].map(({ deadLetters }) => deadLetters),
      ...[...this.functions].map(({ deadLetterQueue }) => deadLetterQueue),
      ...this.deadLetterQueues,
    ];
    return [...new Map(all.map(queue => [queue.queueArn, queue])).values()];
  }

  get allAlarms(): readonly IAlarm[] {
    const { topics, queues, functions, alarms } = this;
    return [
      ...new Set<IAlarm>([
        ...[...topics].flatMap(topic => topic.alarms),
        ...this.allDeadLetterQueues.flatMap(deadLetterAlarms),
        ...[...queues, ...functions].flatMap(owner => owner.alarms),
        ...alarms,
      ]),
    ];
  }

  get isEmpty(): boolean {
    const { topics, queues, functions, alarms, deadLetterQueues } = this;
    return [topics, queues, functions, alarms, deadLetterQueues].every(({ size }) => size === 0);
  }
}
