import type { PolicyDocument } from '../../template/access/policy-document';
import type { PropertyValue } from '../../template/given';
import { functionArn } from '../../template/resource-values';
import { allKnown, isKnown, knownValue, type MaybeKnown, thenKnown } from '../../template/told';
import type { EventInvokeFacts, FunctionFacts, MappingFacts } from '../inventory/inventory';
import { unqualified } from '../inventory/look-ups';
import type { AppReading } from './app-reading';
import { type Attached, allGiven } from './attached';
import { invokePermission } from './invoke-permission';
import type { ResourceReading } from './resource-reading';

/** As Lambda has it where nothing is said. */
const TIMEOUT_SECONDS = 3;
const RETRY_ATTEMPTS = 2;
const EVENT_AGE_SECONDS = 21_600;
const QUEUE_BATCH = 10;
const STREAM_BATCH = 100;

/** The ARN of the function, version or alias a resource names. */
function namedFunction(by: ResourceReading): MaybeKnown<string> {
  const named = by.given('FunctionName').requiredText();
  return isKnown(named) ? functionArn(named, by.stack.environment) : named;
}

/** The function whose version or alias it may be. */
function functionItself(by: ResourceReading): readonly MaybeKnown<string>[] {
  const arn = namedFunction(by);
  return [isKnown(arn) ? unqualified(arn) : arn];
}

function eventInvoke(by: ResourceReading): MaybeKnown<EventInvokeFacts> {
  const qualifier = by.given('Qualifier').requiredText();
  if (!isKnown(qualifier)) return qualifier;
  const destinationOn = (outcome: string) =>
    by.given('DestinationConfig').at(outcome).at('Destination').text(undefined);
  return {
    qualifier: qualifier.slice(qualifier.lastIndexOf(':') + 1),
    onFailureArn: destinationOn('OnFailure'),
    onSuccessArn: destinationOn('OnSuccess'),
    maximumRetryAttempts: by.given('MaximumRetryAttempts').number(RETRY_ATTEMPTS),
    maximumEventAgeSeconds: by.given('MaximumEventAgeInSeconds').number(EVENT_AGE_SECONDS),
  };
}

function policyOf(statements: MaybeKnown<readonly unknown[]>): MaybeKnown<PolicyDocument | undefined> {
  return thenKnown(statements, known => (known.length === 0 ? undefined : { Version: '2012-10-17', Statement: known }));
}

/** The functions of an app's templates. */
export function readFunctions(app: AppReading): FunctionFacts[] {
  const invokes = app
    .resources('AWS::Lambda::EventInvokeConfig')
    .map((by): Attached<MaybeKnown<EventInvokeFacts>> => ({ by, to: functionItself(by), value: eventInvoke(by) }));
  const permissions = app.resources('AWS::Lambda::Permission').map((by): Attached<unknown> => {
    return { by, to: functionItself(by), value: invokePermission(by, namedFunction(by)) };
  });
  return app.resources('AWS::Lambda::Function').map(it => {
    const arn = it.attribute('Arn');
    return {
      ...it.as(arn),
      timeoutSeconds: it.given('Timeout').number(TIMEOUT_SECONDS),
      roleArn: it.given('Role').requiredText(),
      deadLetterTargetArn: it.given('DeadLetterConfig').at('TargetArn').text(undefined),
      eventInvokes: thenKnown(allGiven(invokes, arn), allKnown),
      reservedConcurrency: it.given('ReservedConcurrentExecutions').number(undefined),
      policy: policyOf(allGiven(permissions, arn)),
    };
  });
}

function sourceArnOf(by: ResourceReading): MaybeKnown<string | undefined> {
  return by.given('EventSourceArn').text(undefined);
}

function hasAny(given: PropertyValue): MaybeKnown<boolean> {
  return thenKnown(given.list(), list => list.length > 0);
}

const BATCH_ITEM_FAILURES = 'ReportBatchItemFailures';

function reportsFailures(given: PropertyValue): MaybeKnown<boolean> {
  return thenKnown(thenKnown(given.texts(), allKnown), types => types.includes(BATCH_ITEM_FAILURES));
}

/** The event source mappings of an app's templates. */
export function readMappings(app: AppReading): MappingFacts[] {
  return app.resources('AWS::Lambda::EventSourceMapping').map(it => {
    const { partition, region, account } = it.stack.environment;
    const uuid = knownValue(it.ref) ?? '';
    const sourceArn = sourceArnOf(it);
    const isQueue = typeof sourceArn === 'string' && sourceArn.includes(':sqs:');
    return {
      ...it.as(`arn:${partition}:lambda:${region}:${account}:event-source-mapping:${uuid}`),
      functionArn: namedFunction(it),
      sourceArn,
      isEnabled: it.given('Enabled').flag(true),
      batchSize: it.given('BatchSize').number(isQueue ? QUEUE_BATCH : STREAM_BATCH),
      batchingWindowSeconds: it.given('MaximumBatchingWindowInSeconds').number(0),
      maximumConcurrency: it.given('ScalingConfig').at('MaximumConcurrency').number(undefined),
      reportsBatchItemFailures: reportsFailures(it.given('FunctionResponseTypes')),
      hasFilters: hasAny(it.given('FilterCriteria').at('Filters')),
      onFailureArn: it.given('DestinationConfig').at('OnFailure').at('Destination').text(undefined),
    };
  });
}
