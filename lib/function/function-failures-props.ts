import { type Duration, type RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { type IDestination, type IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { TopicBase } from 'aws-cdk-lib/aws-sns';
import { type IQueue, QueueBase } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { functionFeeder } from '../queue/feeder-kinds';
import { queueArnProblems } from '../queue/queue-checks';
import type { AlarmSet } from '../shared/alarm-set';
import { absentProblems, mismatchProblems, problemsWithin } from '../shared/checks';
import { functionBehind, ownedFunction } from '../shared/construct-tree';

/** What a dead-letter queue stores when a function fails on an event. */
export enum FailedEventForm {
  /**
   * The event itself, with the request id and the error as message attributes. This is the function's
   * `DeadLetterConfig`, which can only be set where the function is created.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   */
  EVENT = 'EVENT',

  /**
   * A record with the event, the error with its stack trace, and the number of attempts. This is the function's
   * on-failure destination. It can also be set for a version, an alias or an imported function.
   *
   * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
   */
  RECORD = 'RECORD',
}

/** Properties of a `FunctionFailures`. */
export interface FunctionFailuresProps {
  /**
   * The function whose asynchronous invocations must not be lost. Do not set a dead-letter queue on the function
   * itself.
   *
   * A version, an alias or an imported function can only keep records: see `keptAs`. Import a function with its role,
   * using `Function.fromFunctionAttributes`, because the role needs permission to send.
   */
  readonly handler: IFunction;

  /**
   * What the dead-letter queue stores.
   *
   * @default FailedEventForm.EVENT
   */
  readonly keptAs?: FailedEventForm;

  /**
   * The standard queue that stores the events the function failed on. Use a `DeadLetterQueue`, or an
   * `ImportedDeadLetterQueue` for a queue that this app does not create. Any other queue has no alarm and gets the
   * warning `dead-letter-office:dead-letters-unwatched`.
   *
   * @default - a `DeadLetterQueue` of its own, with `encryptionKey`, `removalPolicy` and `alarmActions`
   */
  readonly deadLetterQueue?: IQueue;

  /**
   * The key that encrypts the dead-letter queue created here. Not together with `deadLetterQueue`.
   *
   * @default - SQS encrypts with a key of its own
   */
  readonly encryptionKey?: IKey;

  /**
   * What happens to the dead-letter queue created here, and to the events in it, when it is removed from the app. Not
   * together with `deadLetterQueue`.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * A queue, topic, function, event bus or bucket that also gets a record of each failed event, with the error. If it
   * is a `DeadLetterQueue`, call its `fedBy` too, so that it has an arrivals alarm. Not together with
   * `FailedEventForm.RECORD`, which uses the destination for the dead-letter queue.
   *
   * @default - none
   */
  readonly onFailure?: IDestination;

  /**
   * How often Lambda retries an event after a function error: 0 to 2 times, after one minute and then after two more.
   *
   * @default 2
   */
  readonly retryAttempts?: number;

  /**
   * How long Lambda keeps an event and retries it: 60 seconds to 6 hours.
   *
   * @default Duration.hours(6)
   */
  readonly maxEventAge?: Duration;

  /**
   * Which alarms are created.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of the alarms, for example an `OpsTopic`. The alarm on dropped events has none, because the alarm of
   * the dead-letter queue reports them. At most 5, in the Region of the alarm. One in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];
}

/**
 * Whether any setting of the function's asynchronous invocation is used. All of them are one CloudFormation resource.
 */
export function configuresInvocations({
  onFailure,
  retryAttempts,
  maxEventAge,
  keptAs,
}: FunctionFailuresProps): boolean {
  if (keptAs === FailedEventForm.RECORD) return true;
  return [onFailure, retryAttempts, maxEventAge].some(setting => setting !== undefined);
}

function existingDeadLetters({ handler }: FunctionFailuresProps): string | undefined {
  const resource = ownedFunction(handler);
  const itsOwn = handler instanceof LambdaFunction ? (handler.deadLetterQueue ?? handler.deadLetterTopic) : undefined;
  return itsOwn?.node.path ?? (resource?.deadLetterConfig && resource.node.path);
}

/** Problems that only the function's own resource can show. */
function eventProblems(props: FunctionFailuresProps): Problem[] {
  const { handler } = props;
  if (!ownedFunction(handler)) {
    const rule =
      'must be a function made in this app, not a version or alias, if the dead-letter queue keeps the events themselves; pass keptAs FailedEventForm.RECORD to keep records';
    return [{ property: 'handler', rule, value: handler.node.path }];
  }
  const existing = existingDeadLetters(props);
  const rule = 'must not have a dead-letter queue already';
  return existing === undefined ? [] : [{ property: 'handler', rule, value: existing }];
}

function recordProblems({ handler, onFailure }: FunctionFailuresProps): Problem[] {
  const roleRule =
    'must be imported with its role, by Function.fromFunctionAttributes, if the dead-letter queue keeps records';
  return [
    ...absentProblems(
      'onFailure',
      onFailure && 'a destination',
      'where the dead-letter queue keeps records, because a function has one destination',
    ),
    ...(handler.role ? [] : [{ property: 'handler', rule: roleRule, value: handler.node.path }]),
  ];
}

/**
 * A destination shows its target only when it is bound, and binding it also grants access. So this looks at the
 * constructor's arguments instead.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-properties-lambda-eventinvokeconfig-destinationconfig.html
 */
function destinationProblems({ onFailure }: FunctionFailuresProps): Problem[] {
  if (!(onFailure instanceof SqsDestination || onFailure instanceof SnsDestination)) return [];
  const parts: unknown[] = Object.values(onFailure);
  const targets = parts.filter(it => it instanceof QueueBase || it instanceof TopicBase);
  const rule = 'must be a standard queue or topic, because Lambda accepts no FIFO destination';
  return targets.filter(({ fifo }) => fifo).map(({ node }) => ({ property: 'onFailure', rule, value: node.path }));
}

/** A function's destination and its failure metrics are in the account and Region of the function. */
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
    'must not have its asynchronous invocation configured already if onFailure, retryAttempts, maxEventAge or FailedEventForm.RECORD is set';
  return configured ? [{ property: 'handler', rule, value: configured.node.path }] : [];
}

/** What Lambda would reject about the dead-letter queue, and what would be ignored because of it. */
function deadLetterQueueProblems({
  deadLetterQueue,
  handler,
  encryptionKey,
  removalPolicy,
}: FunctionFailuresProps): Problem[] {
  if (!deadLetterQueue) return [];
  const reason = 'where deadLetterQueue is present';
  const { problems } = functionFeeder(functionBehind(handler));
  return [
    ...queueArnProblems('deadLetterQueue', deadLetterQueue),
    ...problemsWithin('deadLetterQueue', problems?.(deadLetterQueue) ?? []),
    ...absentProblems('encryptionKey', encryptionKey?.node.path, reason),
    ...absentProblems('removalPolicy', removalPolicy, reason),
  ];
}

/** Everything Lambda would reject, and settings that a function can have only once and already has. */
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
