import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IDestination, IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** What a dead-letter queue gets of an event that a function failed on. */
export enum FailedEventForm {
  /**
   * The event itself, with the id of the request and the error as message attributes: the function's `DeadLetterConfig`,
   * which must be set where the function is made.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   */
  EVENT = 'EVENT',

  /**
   * A record: the event, the error with its stack trace, and how often it was tried. It is the function's on-failure
   * destination, which can also be set for a version or alias, and for a function that was made elsewhere.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   */
  RECORD = 'RECORD',
}

/** Properties of a `FunctionFailures`. */
export interface FunctionFailuresProps {
  /**
   * The function whose asynchronous invocations must not get lost. Its dead-letter queue is set here and nowhere else.
   *
   * A version or alias, and a function that was made elsewhere, can only keep records: see `keptAs`. The latter must be
   * imported with its role, `Function.fromFunctionAttributes`, for it is the role that may send.
   */
  readonly handler: IFunction;

  /**
   * What the dead-letter queue gets.
   *
   * @default FailedEventForm.EVENT
   */
  readonly keptAs?: FailedEventForm;

  /**
   * The standard queue that keeps the events the function failed on: a `DeadLetterQueue`, or for one that was made
   * elsewhere an `ImportedDeadLetterQueue`. Any other has no alarm, and gets the warning
   * `dead-letter-office:dead-letters-unwatched`.
   *
   * @default - a `DeadLetterQueue` of its own, with `encryptionKey`, `removalPolicy` and `alarmActions`
   */
  readonly deadLetterQueue?: IQueue;

  /**
   * The key that encrypts the dead-letter queue made here. Not together with `deadLetterQueue`.
   *
   * @default - SQS encrypts with a key of its own
   */
  readonly encryptionKey?: IKey;

  /**
   * What becomes of the dead-letter queue made here, and of the events in it, when it is taken out of the app. Not together
   * with `deadLetterQueue`.
   *
   * @default RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Gets a record of each event the function failed on, with the error, beside the event in the dead-letter queue: a queue,
   * topic, function, event bus or bucket. Where it is a `DeadLetterQueue`, call its `fedByFunction` too, so that its
   * arrivals have their alarm. Not together with `FailedEventForm.RECORD`, whose destination the dead-letter queue is.
   *
   * @default - none
   */
  readonly onFailure?: IDestination;

  /**
   * How often an event is tried again after a function error: 0 to 2 times, after one minute and after two more.
   *
   * @default 2
   */
  readonly retryAttempts?: number;

  /**
   * How long an event may wait and be retried: 60 seconds to 6 hours.
   *
   * @default Duration.hours(6)
   */
  readonly maxEventAge?: Duration;

  /**
   * Who is told when an alarm fires; not of dropped events, of which the dead-letter queue's own alarm tells. An
   * `OpsTopic` is such an action.
   * At most 5, in the Region of the alarm; one in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}
