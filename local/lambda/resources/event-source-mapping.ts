import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import { parseArn } from '../../kernel/arn';
import { roleCaller } from '../../kernel/caller';
import { arnIn } from '../../kernel/place';
import type { MappingConfiguration } from '../event-source/mapping-configuration';
import { QueueClient } from '../event-source/queue-client';
import type { Lambda } from '../lambda';
import { wholeNumber } from './read';

/** What the function's role must be allowed on the queue. */
const NEEDED = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventsourcemapping.html */
export function eventSourceMappingResourceType(lambda: Lambda): ResourceType {
  return {
    type: 'AWS::Lambda::EventSourceMapping',
    create: (properties, _context) => {
      properties.withoutEffect('Tags');
      const functionName = properties.requiredString('FunctionName');
      const configuration = readMapping(properties);
      const created = properties.attempt('FunctionName', () =>
        queueIsFit(properties, configuration, functionName, lambda)
          ? lambda.createEventSourceMapping(functionName, configuration)
          : undefined,
      );
      const uuid = created?.uuid ?? '';
      const arn = arnIn(lambda.context.place, 'lambda', `event-source-mapping:${uuid}`);
      return { ref: uuid, attributes: { Id: uuid, EventSourceMappingArn: arn } };
    },
  };
}

function readMapping(properties: PropertyReader): MappingConfiguration {
  const maximumBatchingWindowSeconds = wholeNumber(properties, 'MaximumBatchingWindowInSeconds', {
    least: 0,
    most: 300,
    otherwise: 0,
  });
  const batchSize = wholeNumber(properties, 'BatchSize', { least: 1, most: 10_000, otherwise: 10 });
  if (batchSize > 10 && maximumBatchingWindowSeconds === 0) {
    const rule = 'above 10 needs a MaximumBatchingWindowInSeconds of at least 1';
    properties.problem('BatchSize', rule, batchSize);
  }
  return {
    queueArn: readQueueArn(properties),
    batchSize,
    maximumBatchingWindowSeconds,
    reportBatchItemFailures: readResponseTypes(properties),
    maximumConcurrency: readMaximumConcurrency(properties),
    enabled: properties.boolean('Enabled') ?? true,
  };
}

function readQueueArn(properties: PropertyReader): string {
  const arn = properties.requiredString('EventSourceArn');
  const { service, resource = '' } = parseArn(arn) ?? {};
  if (arn && (service !== 'sqs' || resource.endsWith('.fifo'))) {
    properties.problem('EventSourceArn', 'must be a standard queue: the embedded AWS maps no other source', arn);
  }
  return arn;
}

function readResponseTypes(properties: PropertyReader): boolean {
  const types = properties.strings('FunctionResponseTypes') ?? [];
  const unknown = types.find(type => type !== 'ReportBatchItemFailures');
  if (unknown) properties.problem('FunctionResponseTypes', 'may hold ReportBatchItemFailures only', unknown);
  return types.length > 0;
}

function readMaximumConcurrency(properties: PropertyReader): number | undefined {
  const scaling = properties.object('ScalingConfig');
  return scaling && wholeNumber(scaling, 'MaximumConcurrency', { least: 2, most: 1000, otherwise: undefined });
}

/** What Lambda checks when the mapping is created: the role's permissions, and that the queue hides messages long enough. */
function queueIsFit(
  properties: PropertyReader,
  { queueArn }: MappingConfiguration,
  functionName: string,
  lambda: Lambda,
): boolean {
  const { roleArn, timeoutSeconds } = lambda.functionNamed(functionName).configuration;
  for (const action of NEEDED) {
    const request = { caller: roleCaller(roleArn), action: `sqs:${action}`, resource: queueArn };
    const decision = lambda.context.access.decide(request);
    if (decision.allowed) continue;
    const text = `The provided execution role does not have permissions to call ${action} on SQS`;
    properties.problem('FunctionName', `is refused (${text}: ${decision.reason})`, functionName);
    return false;
  }
  const queue = new QueueClient(lambda.neighbours.sqs, queueArn, roleArn);
  const hiddenSeconds = properties.attempt('EventSourceArn', () => queue.visibilitySeconds());
  if (hiddenSeconds === undefined) return false;
  if (hiddenSeconds >= timeoutSeconds) return true;
  const text = `Queue visibility timeout: ${hiddenSeconds} seconds is less than Function timeout: ${timeoutSeconds} seconds`;
  properties.problem('EventSourceArn', `is refused (${text})`, queueArn);
  return false;
}
