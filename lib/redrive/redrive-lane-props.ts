import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ProcessingQueue } from '../queue/processing-queue';
import type { Quarantine } from './quarantine';

/** Properties of a `RedriveLane`: `laneOf`, or `handler`, or both. */
export interface RedriveLaneProps {
  /**
   * The queue beside which the lane runs: the lane has its type, its key, and its function.
   *
   * @default - none: the lane has the function of `handler`, and its type and its key are as `fifo` and `encryptionMasterKey` say
   */
  readonly laneOf?: ProcessingQueue;

  /**
   * The function that processes what is in the lane, or a version or alias of one: the same that failed on it, for it gets
   * the same event but for the name of the queue. A function that was made elsewhere must be imported with its role.
   *
   * @default - the one function that consumes `laneOf`
   */
  readonly handler?: IFunction;

  /**
   * How often a message is received in its one pass before it goes to the quarantine: 1 to 1,000. Our choice of 3: one would do for
   * poison, and the others are for throttles, which count as receives and which a function that has just recovered meets.
   * More of them make it later known whether a redrive goes well, by a visibility timeout each. With 1, a message that Lambda was
   * throttled on is in quarantine before it was ever tried, and the warning is `dead-letter-office:too-few-receives`.
   *
   * @default 3
   */
  readonly maxReceiveCount?: number;

  /**
   * How many invocations of the function the lane has at a time: 2 to 1,000. The least Lambda takes is our choice: what comes in
   * beside it by the queue goes first.
   *
   * @default 2
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  readonly maximumConcurrency?: number;

  /**
   * How many messages one invocation gets: 1 to 10. With more than one, what shares a batch with poison is received as often, and
   * ends in quarantine with it, unless the function says which it failed on; of a FIFO queue what stands behind it does in any case.
   *
   * @default 1
   */
  readonly batchSize?: number;

  /**
   * How long a message is invisible once it was received, which is how long it takes to be tried again: 0 seconds to 12 hours,
   * and no less than the function's timeout.
   *
   * @default - six times the function's timeout; where that is not known, as `laneOf` has it, and without one 90 minutes, six times
   * the longest timeout there is
   */
  readonly visibilityTimeout?: Duration;

  /**
   * How long the lane keeps a message: 60 seconds to 14 days. A quarantine must keep messages for longer: otherwise the warning
   * `dead-letter-office:dead-letters-expire-early`.
   *
   * @default Duration.days(4)
   */
  readonly retentionPeriod?: Duration;

  /**
   * Whether the lane is FIFO. Not together with `laneOf`, whose type it has.
   *
   * @default false
   */
  readonly fifo?: boolean;

  /**
   * The key that encrypts the lane, and the quarantine made for it.
   *
   * @default - that of `laneOf`; without one, SQS encrypts with a key of its own
   */
  readonly encryptionMasterKey?: IKey;

  /**
   * Where what fails again ends, of the type of the lane.
   *
   * @default - a `Quarantine` of its own, with `alarmActions`, which keeps messages for 14 days
   */
  readonly quarantine?: Quarantine;

  /**
   * What becomes of the lane, and of its messages, when it is taken out of the app. Its quarantine stays in any case. What is
   * in a lane has left a dead-letter queue, which stays as well: hence our choice.
   *
   * @default RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Who is told when an alarm of the lane, or of its own quarantine, fires. An `OpsTopic` is such an action.
   * At most 5, in the Region of the alarm; one in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}
