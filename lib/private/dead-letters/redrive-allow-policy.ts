import type { CfnQueue, IQueue } from 'aws-cdk-lib/aws-sqs';
import { QUEUE_LIMITS } from '../../policy/limits/queue-limits';
import { namedArn } from '../queues/queue-facts';

/** Which queues may name a queue as their dead-letter queue. */
export class RedriveAllowPolicy {
  private readonly sourceArns = new Set<string | undefined>();

  constructor(private readonly resource: CfnQueue) {}

  /**
   * Lets the queues that name this one as theirs, and no others, move messages here. Their ARNs are made from their
   * names: an ARN taken from the queue itself would be a cycle, because the queue already takes ours.
   */
  public allow(source: IQueue): void {
    this.sourceArns.add(namedArn(source));
    const sourceQueueArns = [...this.sourceArns];
    const allNamed =
      sourceQueueArns.every(arn => arn !== undefined) && sourceQueueArns.length <= QUEUE_LIMITS.sourceQueues.max;
    this.resource.redriveAllowPolicy = allNamed ? { redrivePermission: 'byQueue', sourceQueueArns } : undefined;
  }
}
