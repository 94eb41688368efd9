import { type Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IDestination, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { TopicBase } from 'aws-cdk-lib/aws-sns';
import { type IQueue, QueueBase } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { functionFeeder } from '../queue/feeders';
import { queueArnProblems } from '../queue/queue-checks';
import { absentProblems, mismatchProblems, problemsWithin } from '../shared/checks';
import { functionBehind, ownedFunction } from '../shared/construct-tree';

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

/** Whether anything is set of how the function is invoked asynchronously: all of it is one resource. */
export function configuresInvocations({
  onFailure,
  retryAttempts,
  maxEventAge,
  keptAs,
}: FunctionFailuresProps): boolean {
  if (keptAs === FailedEventForm.RECORD) return true;
  return [onFailure, retryAttempts, maxEventAge].some(setting => setting !== undefined);
}

/** The path of what keeps the function's dead letters already. */
function existingDeadLetters({ handler }: FunctionFailuresProps): string | undefined {
  const resource = ownedFunction(handler);
  const itsOwn = handler instanceof LambdaFunction ? (handler.deadLetterQueue ?? handler.deadLetterTopic) : undefined;
  return itsOwn?.node.path ?? (resource?.deadLetterConfig && resource.node.path);
}

/** What only the resource of the function itself can say. */
function eventProblems(props: FunctionFailuresProps): Problem[] {
  const { handler } = props;
  if (!ownedFunction(handler)) {
    const rule =
      'must be a function made in this app, no version or alias of one, where the dead-letter queue keeps the events themselves; pass keptAs FailedEventForm.RECORD to keep records';
    return [{ property: 'handler', rule, value: handler.node.path }];
  }
  const existing = existingDeadLetters(props);
  const rule = 'must not have a dead-letter queue already';
  return existing === undefined ? [] : [{ property: 'handler', rule, value: existing }];
}

function recordProblems({ handler, onFailure }: FunctionFailuresProps): Problem[] {
  const roleRule =
    'must be imported with its role, by Function.fromFunctionAttributes, where the dead-letter queue keeps records';
  return [
    ...absentProblems(
      'onFailure',
      onFailure && 'a destination',
      'where the dead-letter queue keeps records, for a function has one destination',
    ),
    ...(handler.role ? [] : [{ property: 'handler', rule: roleRule, value: handler.node.path }]),
  ];
}

/**
 * A destination says where it sends only when it is bound, and grants that at once: so what it was made of is looked at.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-lambda-eventinvokeconfig-destinationconfig.html
 */
function destinationProblems({ onFailure }: FunctionFailuresProps): Problem[] {
  if (!(onFailure instanceof SqsDestination || onFailure instanceof SnsDestination)) return [];
  const parts: unknown[] = Object.values(onFailure);
  const targets = parts.filter(it => it instanceof QueueBase || it instanceof TopicBase);
  const rule = 'must be a standard queue or topic, for Lambda takes no FIFO one as a destination';
  return targets.filter(({ fifo }) => fifo).map(({ node }) => ({ property: 'onFailure', rule, value: node.path }));
}

/** Lambda sets a function's destination, and CloudWatch counts its failures, where the function is. */
function placeProblems(scope: IConstruct, { handler: { env } }: FunctionFailuresProps): Problem[] {
  const { region, account } = Stack.of(scope);
  return [
    ...mismatchProblems('handler', 'must be in the Region of this stack,', region, env.region),
    ...mismatchProblems('handler', 'must be in the account of this stack,', account, env.account),
  ];
}

function configuredProblems(props: FunctionFailuresProps): Problem[] {
  const configured = configuresInvocations(props) && props.handler.node.tryFindChild('EventInvokeConfig');
  const rule =
    'must not have its asynchronous invocation configured already where onFailure, retryAttempts, maxEventAge or FailedEventForm.RECORD is given';
  return configured ? [{ property: 'handler', rule, value: configured.node.path }] : [];
}

/** What Lambda would reject of the dead-letter queue, and what would be ignored beside it. */
function deadLetterQueueProblems({
  deadLetterQueue,
  handler,
  encryptionKey,
  removalPolicy,
}: FunctionFailuresProps): Problem[] {
  if (!deadLetterQueue) return [];
  const beside = 'where deadLetterQueue is present';
  const { problems } = functionFeeder(functionBehind(handler));
  return [
    ...queueArnProblems('deadLetterQueue', deadLetterQueue),
    ...problemsWithin('deadLetterQueue', problems?.(deadLetterQueue) ?? []),
    ...absentProblems('encryptionKey', encryptionKey?.node.path, beside),
    ...absentProblems('removalPolicy', removalPolicy, beside),
  ];
}

/** Everything Lambda would reject, and what a function can have once only and has: a second would replace the first. */
export function failureProblems(scope: IConstruct, props: FunctionFailuresProps): Problem[] {
  const { keptAs = FailedEventForm.EVENT } = props;
  return [
    ...(keptAs === FailedEventForm.RECORD ? recordProblems(props) : eventProblems(props)),
    ...placeProblems(scope, props),
    ...configuredProblems(props),
    ...destinationProblems(props),
    ...deadLetterQueueProblems(props),
  ];
}
