import { parseArn } from '../../../policy/arn';
import { AccessRefused, notImplemented } from '../../kernel/aws-error';
import { roleCaller } from '../../kernel/caller';
import { isFifoName } from '../../kernel/fifo-name';
import { invalidParameter } from '../errors';
import type { DeployedFunction } from './deployed-function';
import type { EventInvokeConfiguration } from './event-invoke-configuration';
import type { FunctionDirectory } from './function-directory';

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
