import { Lazy } from 'aws-cdk-lib';
import type { CfnQueue, IQueue } from 'aws-cdk-lib/aws-sqs';
import { QUEUE_LIMITS } from '../../../policy/limits/queue-limits';
import { namedArn } from '../processing/queue-facts';

/** Which queues may name a queue as their dead-letter queue. */
export class RedriveAllowPolicy {
  private readonly sourceArns = new Set<string | undefined>();

  /** The policy of the resource is a token, so that it is not taken for one that its owner wrote. */
  constructor(resource: CfnQueue) {
    resource.redriveAllowPolicy = Lazy.any({ produce: () => this.written });
  }

  /**
   * Lets the queues that name this one as theirs, and no others, move messages here. Their ARNs are made from their
   * names: an ARN taken from the queue itself would be a cycle, because the queue already takes ours.
   */
  public allow(source: IQueue): void {
    this.sourceArns.add(namedArn(source));
  }

  private get written(): object | undefined {
    const sourceQueueArns = [...this.sourceArns];
    const { min, max } = QUEUE_LIMITS.sourceQueues;
    const allNamed = sourceQueueArns.every(arn => arn !== undefined);
    const isWritten = allNamed && sourceQueueArns.length >= min && sourceQueueArns.length <= max;
    return isWritten ? { redrivePermission: 'byQueue', sourceQueueArns } : undefined;
  }
}
