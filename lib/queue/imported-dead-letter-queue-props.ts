import type { Duration } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { DeadLetterWatchOptions } from './dead-letter-queue-props';

/** Who sees to the policy of a queue that was made elsewhere. */
export enum DeadLetterAccess {
  /**
   * This stack: it writes the queue's whole policy, as an `AWS::SQS::QueueInlinePolicy`. A queue has one policy, so add
   * what others need with `addToResourcePolicy`; when the stack is deleted, so is the policy.
   *
   * The policy of a queue that has one already must first be taken into this stack, with `npx cdk import`, or be removed:
   * by the rules of CloudFormation such a resource is not created where it exists. (An `AWS::SQS::QueuePolicy` would
   * replace it without a word.)
   *
   * So one construct writes it, in whatever stack or app, and the others that import the queue say `GRANTED_ELSEWHERE`. Two
   * in one app fail its synthesis; of two apps the second fails to deploy.
   */
  WRITE_POLICY = 'WRITE_POLICY',

  /** Somebody else: the policies of the queue, and of its key, let in already whoever feeds it. Nobody checks that. */
  GRANTED_ELSEWHERE = 'GRANTED_ELSEWHERE',
}

/** Properties of an `ImportedDeadLetterQueue`. */
export interface ImportedDeadLetterQueueProps extends DeadLetterWatchOptions {
  /** The queue: `Queue.fromQueueArn`, or `Queue.fromQueueAttributes` where it has a key. */
  readonly queue: IQueue;

  /**
   * Who lets in the services that feed the queue as themselves: SNS and EventBridge. What comes with a role of this app
   * gets its permission in any case.
   *
   * @default - nobody has said, so such a feeder is an error, which says what to add by hand
   */
  readonly access?: DeadLetterAccess;

  /**
   * How long the queue keeps a message, in whole seconds.
   *
   * @default - not known, and the age alarm fires as soon as a dead letter is there
   */
  readonly retentionPeriod?: Duration;
}
