import { parseArn } from '../../kernel/arn';
import { notImplemented } from '../../kernel/aws-error';
import { isFifoName } from '../../kernel/fifo-name';
import { invalidParameter } from '../errors';
import type { DeployedFunction } from './deployed-function';
import type { EventInvokeConfiguration } from './event-invoke-configuration';
import type { FunctionDirectory } from './function-directory';

/** Services an invocation record can be sent to here. */
const SERVICES = ['sqs', 'sns', 'lambda', 'events'];

type Destinations = Pick<EventInvokeConfiguration, 'onSuccessArn' | 'onFailureArn'>;

/**
 * What AWS checks of destinations before it takes them.
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
    if (service === undefined || !SERVICES.includes(service) || isFifoName(arn)) throw invalid(destinations);
    if (service === 'lambda') checkFunction(arn, deployed, functions);
  }
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
