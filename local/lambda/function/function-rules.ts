import { parseArn } from '../../../policy/arn';
import { AccessRefused, type AwsError, notImplemented } from '../../kernel/aws-error';
import { roleCaller } from '../../kernel/caller';
import { isFifoName } from '../../kernel/messaging';
import { invalidParameter } from '../errors';
import type { LambdaContext } from '../trace-events';
import type { DeployedFunction } from './deployed-function';
import type { EventInvokeConfiguration } from './event-invoke-configuration';
import type { FunctionDirectory } from './function-directory';

/** The maximum size of a function's environment variables as JSON, in bytes. */
const MOST_BYTES = 4096;

/** Environment variables that Lambda sets itself and does not let functions configure. */
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

/** Returns AWS's error text for invalid names of variables. Reserved names have a separate error. */
export function variableNamesProblem(names: readonly string[]): string | undefined {
  if (names.every(name => NAME.test(name) || RESERVED.includes(name))) return undefined;
  return 'Map keys must satisfy constraint: [Member must satisfy regular expression pattern: [a-zA-Z]([a-zA-Z0-9_])+]';
}

const BEGINNING =
  'Lambda was unable to configure your environment variables because the environment variables you have provided';

/**
 * Returns AWS's error for the environment variables of a function; undefined when they are valid.
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

/** Whether the embedded AWS supports a time zone: only UTC. */
export function isKnownTimeZone(zone: string): boolean {
  return /^:?(UTC|Etc\/UTC)$/.test(zone);
}

/** Where a function's network interfaces are created. Empty lists mean no VPC. */
interface FunctionNetwork {
  readonly subnetIds?: readonly string[] | undefined;
  readonly securityGroupIds?: readonly string[] | undefined;
}

/** The permissions that Lambda is known to check before it creates a function in a VPC. */
const ASKED_FIRST = ['CreateNetworkInterface', 'DescribeNetworkInterfaces', 'DeleteNetworkInterface'];

/**
 * Returns AWS's error for the network of a function: an incomplete configuration, or a role that may not manage network
 * interfaces. Undefined when it is valid.
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

/** The dead-letter targets that Lambda supports, and the permissions its role needs. */
const SENDING = {
  sqs: { action: 'sqs:SendMessage', words: 'SendMessage on SQS', fifo: 'FIFO SQS queue' },
  sns: { action: 'sns:Publish', words: 'Publish on SNS', fifo: 'FIFO SNS topic' },
} as const;

/**
 * Returns AWS's error for a dead-letter target: it is not one, or the role may not send to it. Undefined when it is
 * valid.
 */
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
  const caller = roleCaller(roleArn);
  const { allowed, reason } = access.decide({ caller, action, resource: targetArn, asksOwnPoliciesOnly: true });
  if (allowed) return undefined;
  const text = `The provided execution role does not have permissions to call ${words}`;
  return new AccessRefused('InvalidParameterValueException', text, 400, reason);
}

/** The destinations that the embedded AWS supports, and the permission the function's role needs for each. */
const PERMISSIONS: ReadonlyMap<string, string> = new Map([
  ['sqs', 'sqs:SendMessage'],
  ['sns', 'sns:Publish'],
  ['lambda', 'lambda:InvokeFunction'],
  ['events', 'events:PutEvents'],
]);

type Destinations = Pick<EventInvokeConfiguration, 'onSuccessArn' | 'onFailureArn'>;

/**
 * Checks destinations as AWS does: they must exist as a kind of destination, and the policies of the function's role
 * must allow sending to them. (The second check was recorded from clients that wait for new policies to take effect.)
 *
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
  const { allowed, reason } = context.access.decide({ caller, action, resource, asksOwnPoliciesOnly: true });
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
