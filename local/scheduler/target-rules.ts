import type { Target as TargetInput } from '@aws-sdk/client-scheduler';
import { parseArn } from '../../policy/arn';
import { notImplemented } from '../kernel/aws-error';
import { validationException } from '../kernel/constraints';
import { jsonProblem } from '../kernel/json';
import type { SchedulerDependencies } from './ports';
import type { ScheduleTarget } from './schedule';

/** The target parameters, with the service that each belongs to. */
const PARAMETERS = {
  EcsParameters: 'ecs',
  EventBridgeParameters: 'events',
  EventBridgePutEventsV2Parameters: 'events',
  EventBridgePutRawEventsParameters: 'events',
  KinesisParameters: 'kinesis',
  SageMakerPipelineParameters: 'sagemaker',
  SqsParameters: 'sqs',
} as const satisfies Partial<Readonly<Record<keyof TargetInput, string>>>;

/** The services with templated targets in the embedded AWS, and those that only AWS has. */
const TEMPLATED: readonly string[] = ['sqs', 'sns', 'lambda', 'events'];
const TEMPLATED_ON_AWS: readonly string[] = [
  'codebuild',
  'codepipeline',
  'ecs',
  'firehose',
  'inspector',
  'kinesis',
  'sagemaker',
  'states',
];

/** Templated targets whose input must be JSON. */
const TAKES_JSON: readonly string[] = ['lambda', 'events'];

const NOT_JSON = 'JSON syntax error in input for the target.';

/**
 * Checks the rules for a target that are not in the API model. The target itself need not exist.
 * @throws AwsError for the first problem only, as AWS does
 */
export function checkTarget(target: ScheduleTarget, region: string, services: SchedulerDependencies['services']): void {
  const universal = universalTarget(target.Arn);
  if (universal) checkUniversal(universal, target.Input, services);
  else checkTemplated(target, region);
  checkDeadLetterQueue(target.DeadLetterConfig?.Arn);
}

function isParameter(name: string): name is keyof typeof PARAMETERS {
  return Object.hasOwn(PARAMETERS, name);
}

function checkUniversal(
  { service, api, action }: UniversalTarget,
  input: string | undefined,
  services: SchedulerDependencies['services'],
): void {
  if (isReadOnly(api)) throw validationException(`${api} API is not supported.`);
  const found = services.get(service);
  if (!found?.implements(action)) throw notImplemented(`the universal target ${service}:${api}`);
  if (input === undefined) throw validationException('You must provide an input to set this target for your schedule.');
  if (jsonProblem(input)) throw validationException(NOT_JSON);
}

function checkParameters(target: ScheduleTarget, service: string): void {
  const blocks = Object.keys(target)
    .filter(isParameter)
    .filter(name => target[name] !== undefined);
  const other = blocks.find(name => PARAMETERS[name] !== service);
  if (other) throw validationException(`Parameters ${other} not supported for the target.`);
  const unknown = blocks.find(name => name.startsWith('EventBridgePut'));
  if (unknown) throw notImplemented(`${unknown} of schedules`);
  if (service === 'events' && !target.EventBridgeParameters) {
    throw validationException('Parameters EventBridgeParameters must be specified.');
  }
  if (service !== 'sqs') return;
  const isFifo = target.Arn.endsWith('.fifo');
  const group = target.SqsParameters?.MessageGroupId;
  if (isFifo && group === undefined) throw validationException('Parameters SqsParameters must be specified.');
  if (!isFifo && group !== undefined) throw validationException('Parameters MessageGroupId not valid for the target.');
}

function checkTemplated(target: ScheduleTarget, region: string): void {
  const arn = parseArn(target.Arn);
  if (!arn) throw validationException('Provided Arn is not in correct format.');
  const { service } = arn;
  if (TEMPLATED_ON_AWS.includes(service)) throw notImplemented(`the schedule target ${target.Arn}`);
  if (!TEMPLATED.includes(service)) throw validationException(`${service} is not a supported service for a target.`);
  if (arn.region !== region) {
    throw validationException(`The target ARN provided does not match the current region ${region}.`);
  }
  checkParameters(target, service);
  if (TAKES_JSON.includes(service) && target.Input !== undefined && jsonProblem(target.Input)) {
    throw validationException(NOT_JSON);
  }
}

function checkDeadLetterQueue(arn: string | undefined): void {
  if (arn === undefined) return;
  const service = parseArn(arn)?.service;
  if (service !== 'sqs') throw validationException(`${service ?? arn} is not supported as a dead letter resource.`);
  if (arn.endsWith('.fifo')) throw validationException('SQS FIFO is not supported by Dead Letter Queues.');
}

/** One action of one service, as `arn:aws:scheduler:::aws-sdk:sqs:sendMessage` names it. */
interface UniversalTarget {
  /** For example `sqs`. */
  readonly service: string;
  /** For example `sendMessage`. */
  readonly api: string;
  /** The action name in the API: `SendMessage`. */
  readonly action: string;
}

const RESOURCE = /^aws-sdk:([\w-]+):(\w+)$/;
const READ_ONLY = /^(get|describe|list)/;

/**
 * @see https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
 * @returns undefined for any other ARN
 */
export function universalTarget(arn: string): UniversalTarget | undefined {
  const { service: scheduler, region, account, resource = '' } = parseArn(arn) ?? {};
  if (scheduler !== 'scheduler' || region !== '' || account !== '') return undefined;
  const [, service, api] = RESOURCE.exec(resource) ?? [];
  if (service === undefined || api === undefined) return undefined;
  return { service, api, action: api.slice(0, 1).toUpperCase() + api.slice(1) };
}

/** Whether an action only reads. Schedules may not call such actions. */
function isReadOnly(api: string): boolean {
  return READ_ONLY.test(api);
}
