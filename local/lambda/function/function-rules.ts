import { parseArn } from '../../../policy/arn';
import { AccessRefused, type AwsError, notImplemented } from '../../kernel/aws-error';
import { roleCaller } from '../../kernel/caller';
import { isFifoName } from '../../kernel/messaging';
import { invalidParameter } from '../errors';
import type { LambdaContext } from '../ports';
import type { DeployedFunction } from './deployed-function';
import type { EventInvokeConfiguration } from './event-invoke-configuration';
import type { FunctionDirectory } from './function-directory';

/** Bytes the variables of a function may have, as JSON. */
const MOST_BYTES = 4096;

/** Variables Lambda sets itself and lets nobody else set. */
const RESERVED: readonly string[] = [
  '_HANDLER',
  '_X_AMZN_TRACE_ID',
  'AWS_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_DEFAULT_REGION',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'AWS_LAMBDA_INITIALIZATION_TYPE',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_LAMBDA_RUNTIME_API',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'LAMBDA_RUNTIME_DIR',
  'LAMBDA_TASK_ROOT',
];

const NAME = /^[a-zA-Z]([a-zA-Z0-9_])+$/;

/** What the names of variables have to be and are not; those Lambda reserves are told of by themselves. */
export function variableNamesProblem(names: readonly string[]): string | undefined {
  if (names.every(name => NAME.test(name) || RESERVED.includes(name))) return undefined;
  return 'Map keys must satisfy constraint: [Member must satisfy regular expression pattern: [a-zA-Z]([a-zA-Z0-9_])+]';
}

const BEGINNING =
  'Lambda was unable to configure your environment variables because the environment variables you have provided';

/**
 * What AWS has against the environment variables of a function.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
 */
export function environmentProblem(variables: Readonly<Record<string, string>>): AwsError | undefined {
  const reserved = Object.keys(variables).filter(name => RESERVED.includes(name));
  if (reserved.length > 0) {
    return invalidParameter(
      `${BEGINNING} contains reserved keys that are currently not supported for modification. ` +
        `Reserved keys used in this request: ${reserved.join(', ')}`,
    );
  }
  const measured = JSON.stringify(variables);
  if (Buffer.byteLength(measured) <= MOST_BYTES) return undefined;
  return invalidParameter(`${BEGINNING} exceeded the 4KB limit. String measured: ${measured}`);
}

/** Whether a time zone is the one the embedded AWS has. */
export function isKnownTimeZone(zone: string): boolean {
  return /^:?(UTC|Etc\/UTC)$/.test(zone);
}

/** Where a function's network interfaces are to be; nowhere, where both are empty. */
export interface FunctionNetwork {
  readonly subnetIds?: readonly string[] | undefined;
  readonly securityGroupIds?: readonly string[] | undefined;
}

/** What Lambda is known to ask for before it makes the function, and there is an interface: so it asks of all of them. */
const ASKED_FIRST = ['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DeleteNetworkInterface'];

/**
 * What AWS has against a function's network: that half of it is missing, or that the role may not have network interfaces.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export function networkProblem(
  { subnetIds = [], securityGroupIds = [] }: FunctionNetwork,
  roleArn: string,
  { access }: Pick<LambdaContext, 'access'>,
): AwsError | undefined {
  if ((subnetIds.length === 0) !== (securityGroupIds.length === 0)) {
    return invalidParameter('SubnetIds and SecurityIds must coexist or be both empty list.');
  }
  if (subnetIds.length === 0) return undefined;
  for (const name of ASKED_FIRST) {
    const { allowed, reason } = access.decide({ caller: roleCaller(roleArn), action: `ec2:${name}`, resource: '*' });
    const text = `The provided execution role does not have permissions to call ${name} on EC2`;
    if (!allowed) return new AccessRefused('InvalidParameterValueException', text, 400, reason);
  }
  return undefined;
}

/** What Lambda sends to, and what its role must be allowed. */
const SENDING = {
  sqs: { action: 'sqs:SendMessage', words: 'SendMessage on SQS', fifo: 'FIFO SQS queue' },
  sns: { action: 'sns:Publish', words: 'Publish on SNS', fifo: 'FIFO SNS topic' },
} as const;

/** What AWS has against a dead-letter target: that it is none, or that the role may not send to it. */
export function deadLetterProblem(
  targetArn: string | undefined,
  roleArn: string,
  { access }: Pick<LambdaContext, 'access'>,
): AwsError | undefined {
  if (targetArn === undefined) return undefined;
  const { service } = parseArn(targetArn) ?? {};
  if (service !== 'sqs' && service !== 'sns') {
    return invalidParameter(`Invalid dead letter queue ARN: ${targetArn} is no standard queue or topic`);
  }
  const { action, words, fifo } = SENDING[service];
  if (isFifoName(targetArn)) {
    const text = `Invalid dead letter queue ARN: ${fifo} is not supported for dead letter configuration`;
    return invalidParameter(text);
  }
  const { allowed, reason } = access.decide({ caller: roleCaller(roleArn), action, resource: targetArn });
  if (allowed) return undefined;
  const text = `The provided execution role does not have permissions to call ${words}`;
  return new AccessRefused('InvalidParameterValueException', text, 400, reason);
}

/** Services an invocation record can be sent to here, and what the function's role must be allowed for it. */
const PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ['sqs', 'sqs:SendMessage'],
  ['sns', 'sns:Publish'],
  ['lambda', 'lambda:InvokeFunction'],
  ['events', 'events:PutEvents'],
]);

type Destinations = Pick<EventInvokeConfiguration, 'onSuccessArn' | 'onFailureArn'>;

/**
 * What AWS checks of destinations before it takes them: that they can be one, and that the function's role may send there,
 * by its own policies (recorded in clients that wait for these to take hold).
 *
 * @throws AwsError `InvalidParameterValueException`, or a 501 for a bucket
 * @see https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-retain-records.html
 */
export function checkDestinations(
  destinations: Destinations,
  deployed: DeployedFunction,
  functions: FunctionDirectory,
): void {
  const { onSuccessArn, onFailureArn } = destinations;
  for (const arn of [onFailureArn, onSuccessArn]) {
    if (arn === undefined) continue;
    const service = parseArn(arn)?.service;
    if (service === 's3') throw notImplemented(`an S3 bucket as a destination of a function: ${arn}`);
    const permission = PERMISSIONS.get(service ?? '');
    if (permission === undefined || isFifoName(arn)) throw invalid(destinations);
    if (service === 'lambda') checkFunction(arn, deployed, functions);
    checkPermission(permission, arn, deployed);
  }
}

function checkPermission(action: string, resource: string, { configuration, context }: DeployedFunction): void {
  const caller = roleCaller(configuration.roleArn);
  const { allowed, reason } = context.access.decide({ caller, action, resource });
  if (allowed) return;
  const [, name] = action.split(':');
  const text = `The function's execution role does not have permissions to call ${name} on ${resource}`;
  throw new AccessRefused('InvalidParameterValueException', text, 400, reason);
}

function checkFunction(arn: string, deployed: DeployedFunction, functions: FunctionDirectory): void {
  const found = functions.find(arn);
  if (!found) throw invalidParameter(`The destination ARN ${arn} is invalid.`);
  if (found === deployed) {
    throw invalidParameter("You can't specify the function as a destination for itself.");
  }
}

function invalid({ onSuccessArn, onFailureArn }: Destinations) {
  const onSuccess = onSuccessArn ? `OnSuccess(destination=${onSuccessArn})` : 'null';
  const onFailure = onFailureArn ? `OnFailure(destination=${onFailureArn})` : 'null';
  const config = `DestinationConfig(onSuccess=${onSuccess}, onFailure=${onFailure})`;
  return invalidParameter(`The provided destination config ${config} is invalid.`);
}
