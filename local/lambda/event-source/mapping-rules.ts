import { parseArn } from '../../../policy/arn';
import { compileEventPattern } from '../../../policy/event-pattern/event-pattern';
import { EventPatternError } from '../../../policy/event-pattern/located-json';
import type { RoleTrust } from '../../kernel/access';
import { AccessRefused, AwsError } from '../../kernel/aws-error';
import { roleCaller } from '../../kernel/caller';
import { invalidParameter } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { Queues } from '../ports';
import type { LambdaContext } from '../trace-events';
import { isFifo, isQueueArn, type MappingConfiguration, noQueue } from './mapping-configuration';
import { QueueClient } from './queue-client';
import { type StreamService, streamServiceOf } from './stream/stream-configuration';

/** The maximum batch size without a batching window, and for a FIFO queue. */
const MOST_WITHOUT_WINDOW = 10;

/** The actions on the queue that the function's role must be allowed. */
const NEEDED = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];

/** A reason for which AWS rejects a mapping. */
export interface MappingProblem {
  /** The member of the request, and the property of the CloudFormation resource. */
  readonly property: string;
  readonly error: AwsError;
}

interface MappingDependencies {
  readonly sqs: Queues;
  readonly context: Pick<LambdaContext, 'access' | 'place'>;
  readonly mostFilters: number;
  readonly roles: RoleTrust;
}

/**
 * Returns all reasons for which AWS rejects a mapping, from its configuration and its queue. API callers receive the
 * first.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export function mappingProblems(
  configuration: MappingConfiguration,
  target: FunctionTarget,
  dependencies: MappingDependencies,
): readonly MappingProblem[] {
  if (configuration.stream) {
    const filters = filterProblems(configuration.filters, dependencies.mostFilters);
    return [...filters, ...streamProblems(configuration.queueArn, target, dependencies)];
  }
  if (!isQueueArn(configuration.queueArn)) {
    return [{ property: 'EventSourceArn', error: noQueue(configuration.queueArn) }];
  }
  const ofItself = [
    ...batchProblems(configuration),
    ...scalingProblems(configuration),
    ...filterProblems(configuration.filters, dependencies.mostFilters),
  ];
  return [...ofItself, ...queueProblems(configuration, target, dependencies)];
}

function batchProblems({
  queueArn,
  batchSize,
  maximumBatchingWindowSeconds: windowSeconds,
}: MappingConfiguration): readonly MappingProblem[] {
  const problem = (property: string, text: string): MappingProblem => ({ property, error: invalidParameter(text) });
  if (isFifo(queueArn)) {
    return [
      ...(windowSeconds > 0
        ? [problem('MaximumBatchingWindowInSeconds', 'Batching window is not supported for FIFO queues')]
        : []),
      ...(batchSize > MOST_WITHOUT_WINDOW
        ? [problem('BatchSize', `Batch size must not exceed ${MOST_WITHOUT_WINDOW} for FIFO queues`)]
        : []),
    ];
  }
  if (batchSize <= MOST_WITHOUT_WINDOW || windowSeconds > 0) return [];
  const text = `Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than ${MOST_WITHOUT_WINDOW}`;
  return [problem('BatchSize', text)];
}

/** The two ways to scale exclude each other. **Assumption LAMBDA-12:** The error texts are ours. */
function scalingProblems({ provisionedPollers, maximumConcurrency }: MappingConfiguration): readonly MappingProblem[] {
  if (!provisionedPollers) return [];
  const { minimum, maximum } = provisionedPollers;
  const texts = [
    ...(maximumConcurrency === undefined ? [] : ['MaximumConcurrency and ProvisionedPollerConfig exclude each other.']),
    ...(minimum <= maximum ? [] : [`MinimumPollers must not exceed MaximumPollers, got ${minimum} and ${maximum}.`]),
  ];
  return texts.map(text => ({ property: 'ProvisionedPollerConfig', error: invalidParameter(text) }));
}

/** **Assumption LAMBDA-13:** The error text for too many filters is ours. */
function filterProblems(filters: readonly string[], mostFilters: number): readonly MappingProblem[] {
  const property = 'FilterCriteria';
  const tooMany = filters.length > mostFilters;
  const text = `The number of filters must not exceed ${mostFilters}, got ${filters.length}.`;
  return [
    ...(tooMany ? [{ property, error: invalidParameter(text) }] : []),
    ...(filters.every(isPattern) ? [] : [{ property, error: invalidParameter('Invalid filter pattern definition.') }]),
  ];
}

function isPattern(text: string): boolean {
  try {
    compileEventPattern(text);
    return true;
  } catch (error) {
    if (!(error instanceof EventPatternError)) throw error;
    return false;
  }
}

/**
 * The actions on a stream that the function's role must be allowed. **Assumption LAMBDA-21:** AWS names ListStreams in the
 * error too, but does not say for which resource. It is not checked here.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-kinesis-create.html
 */
const NEEDED_OF_STREAM: Readonly<Record<StreamService, readonly string[]>> = {
  dynamodb: ['GetRecords', 'GetShardIterator', 'DescribeStream'],
  kinesis: ['GetRecords', 'GetShardIterator', 'DescribeStream', 'ListShards'],
};

/** The check of the role that Lambda makes when the mapping of a stream is created. */
function streamProblems(
  streamArn: string,
  target: FunctionTarget,
  { context }: MappingDependencies,
): readonly MappingProblem[] {
  const caller = roleCaller(target.configuration.roleArn);
  const service = streamServiceOf(streamArn) ?? 'kinesis';
  for (const action of NEEDED_OF_STREAM[service]) {
    const { allowed, reason } = context.access.decide({ caller, action: `${service}:${action}`, resource: streamArn });
    if (allowed) continue;
    const text =
      `Cannot access stream ${streamArn}. Please ensure the role can perform the ${NEEDED_OF_STREAM[service].join(', ')}, ` +
      'and ListStreams Actions on your stream in IAM.';
    const error = new AccessRefused('InvalidParameterValueException', text, 400, reason);
    return [{ property: 'FunctionName', error }];
  }
  return [];
}

/** The checks of the queue and of the role that Lambda makes when a mapping is created or changed. */
function queueProblems(
  { queueArn }: MappingConfiguration,
  target: FunctionTarget,
  { sqs, context, roles }: MappingDependencies,
): readonly MappingProblem[] {
  const { roleArn, timeoutSeconds } = target.configuration;
  // **Assumption LAMBDA-18:** AWS documents that queue and function must be in the same Region, but not the error.
  const { region } = context.place;
  if (parseArn(queueArn)?.region !== region) {
    const error = invalidParameter(`The queue ${queueArn} must be in the Region of the function, ${region}.`);
    return [{ property: 'EventSourceArn', error }];
  }
  for (const action of NEEDED) {
    const asked = { action: `sqs:${action}`, resource: queueArn, asksOwnPoliciesOnly: true };
    const { allowed, reason } = context.access.decide({ caller: roleCaller(roleArn), ...asked });
    if (allowed) continue;
    const text = `The provided execution role does not have permissions to call ${action} on SQS`;
    const error = new AccessRefused('InvalidParameterValueException', text, 400, reason);
    return [{ property: 'FunctionName', error }];
  }
  const hidden = hiddenSeconds(new QueueClient({ sqs, roles }, queueArn, () => roleArn));
  if (hidden instanceof AwsError) return [{ property: 'EventSourceArn', error: hidden }];
  if (hidden >= timeoutSeconds) return [];
  const text = `Queue visibility timeout: ${hidden} seconds is less than Function timeout: ${timeoutSeconds} seconds`;
  return [{ property: 'EventSourceArn', error: invalidParameter(text) }];
}

/** Returns the queue's visibility timeout in seconds, or Lambda's error when the queue does not return it. */
function hiddenSeconds(queue: QueueClient): number | AwsError {
  const { result } = queue.visibilitySeconds();
  if (!(result instanceof AwsError)) return result;
  const reported = `SQS Error Code: ${result.code}. SQS Error Message: ${result.message}`;
  return invalidParameter(`Error occurred while ReceiveMessage. ${reported}`);
}
