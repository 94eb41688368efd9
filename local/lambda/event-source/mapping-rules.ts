import { compileEventPattern, EventPatternError } from '../../event-pattern';
import { AccessRefused, AwsError } from '../../kernel/aws-error';
import { roleCaller } from '../../kernel/caller';
import { invalidParameter } from '../errors';
import type { FunctionTarget } from '../function/deployed-function';
import type { LambdaContext, Queues } from '../ports';
import { isFifo, isQueueArn, type MappingConfiguration, noQueue } from './mapping-configuration';
import { QueueClient } from './queue-client';

/** Messages a batch has without a window, and a batch of a FIFO queue at most. */
const MOST_WITHOUT_WINDOW = 10;

/** What the function's role must be allowed on the queue. */
const NEEDED = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];

/** What keeps a mapping from being as asked for. */
export interface MappingProblem {
  /** The member of the request, and property of the resource type, it is about. */
  readonly property: string;
  readonly error: AwsError;
}

/** Whom AWS asks before it takes a mapping. */
export interface MappingNeighbours {
  readonly sqs: Queues;
  readonly context: Pick<LambdaContext, 'access'>;
  /** Filters a mapping may have. */
  readonly mostFilters: number;
}

/**
 * Everything AWS has against a mapping: what it says, and the queue it says it of. Clients are told the first.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
 */
export function mappingProblems(
  configuration: MappingConfiguration,
  target: FunctionTarget,
  neighbours: MappingNeighbours,
): readonly MappingProblem[] {
  if (!isQueueArn(configuration.queueArn)) {
    return [{ property: 'EventSourceArn', error: noQueue(configuration.queueArn) }];
  }
  const ofItself = [
    ...batchProblems(configuration),
    ...scalingProblems(configuration),
    ...filterProblems(configuration.filters, neighbours.mostFilters),
  ];
  return [...ofItself, ...queueProblems(configuration, target, neighbours)];
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

/** AWS says that the two ways to scale exclude each other, and publishes no text: ours. */
function scalingProblems({ provisionedPollers, maximumConcurrency }: MappingConfiguration): readonly MappingProblem[] {
  if (!provisionedPollers) return [];
  const { minimum, maximum } = provisionedPollers;
  const texts = [
    ...(maximumConcurrency === undefined ? [] : ['MaximumConcurrency and ProvisionedPollerConfig exclude each other.']),
    ...(minimum <= maximum ? [] : [`MinimumPollers must not exceed MaximumPollers, got ${minimum} and ${maximum}.`]),
  ];
  return texts.map(text => ({ property: 'ProvisionedPollerConfig', error: invalidParameter(text) }));
}

/** AWS publishes no text for too many filters: ours. */
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

/** What Lambda asks the queue, and of the role, when a mapping is created or changed. */
function queueProblems(
  { queueArn }: MappingConfiguration,
  target: FunctionTarget,
  { sqs, context }: MappingNeighbours,
): readonly MappingProblem[] {
  const { roleArn, timeoutSeconds } = target.configuration;
  for (const action of NEEDED) {
    const request = { caller: roleCaller(roleArn), action: `sqs:${action}`, resource: queueArn };
    const { allowed, reason } = context.access.decide(request);
    if (allowed) continue;
    const text = `The provided execution role does not have permissions to call ${action} on SQS`;
    const error = new AccessRefused('InvalidParameterValueException', text, 400, reason);
    return [{ property: 'FunctionName', error }];
  }
  const hidden = hiddenSeconds(new QueueClient(sqs, queueArn, () => roleArn));
  if (hidden instanceof AwsError) return [{ property: 'EventSourceArn', error: hidden }];
  if (hidden >= timeoutSeconds) return [];
  const text = `Queue visibility timeout: ${hidden} seconds is less than Function timeout: ${timeoutSeconds} seconds`;
  return [{ property: 'EventSourceArn', error: invalidParameter(text) }];
}

/** How long the queue hides messages, or what Lambda says of a queue that does not tell. */
function hiddenSeconds(queue: QueueClient): number | AwsError {
  const { result } = queue.visibilitySeconds();
  if (!(result instanceof AwsError)) return result;
  const reported = `SQS Error Code: ${result.code}. SQS Error Message: ${result.message}`;
  return invalidParameter(`Error occurred while ReceiveMessage. ${reported}`);
}
