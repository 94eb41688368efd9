import { Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { SnsDestination, SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { TopicBase } from 'aws-cdk-lib/aws-sns';
import { QueueBase } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { functionFeeder } from '../queue/feeders/makers';
import { queueArnProblems } from '../queue/processing/queue-checks';
import { absentProblems, mismatchProblems, problemsWithin } from '../shared/checks';
import { functionBehind, ownedFunction } from './function-facts';
import { FailedEventForm, type FunctionFailuresProps } from './function-failures-props';

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
