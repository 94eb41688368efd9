import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import { parseArn } from '../../kernel/arn';
import { DEFAULT_EVENT_INVOKE_CONFIGURATION } from '../function-configuration';
import type { Lambda } from '../lambda';
import { oneOf, wholeNumber } from './read';

const { maximumRetryAttempts, maximumEventAgeSeconds } = DEFAULT_EVENT_INVOKE_CONFIGURATION;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventinvokeconfig.html */
export function eventInvokeConfigResourceType(lambda: Lambda): ResourceType {
  return {
    type: 'AWS::Lambda::EventInvokeConfig',
    create: (properties, context) => {
      const functionName = properties.requiredString('FunctionName');
      oneOf(properties, 'Qualifier', ['$LATEST'], '$LATEST');
      const destinations = properties.object('DestinationConfig');
      const attempts = { least: 0, most: 2, otherwise: maximumRetryAttempts };
      const age = { least: 60, most: 21_600, otherwise: maximumEventAgeSeconds };
      const configuration = {
        maximumRetryAttempts: wholeNumber(properties, 'MaximumRetryAttempts', attempts),
        maximumEventAgeSeconds: wholeNumber(properties, 'MaximumEventAgeInSeconds', age),
        onSuccessArn: readDestination(destinations?.object('OnSuccess')),
        onFailureArn: readDestination(destinations?.object('OnFailure')),
      };
      properties.attempt('FunctionName', () => {
        lambda.functionNamed(functionName).eventInvoke = configuration;
      });
      return { ref: context.physicalName(), attributes: {} };
    },
  };
}

function readDestination(properties: PropertyReader | undefined): string | undefined {
  const destination = properties?.string('Destination');
  if (destination === undefined) return undefined;
  const service = parseArn(destination)?.service;
  if (service === 'sqs' || service === 'sns') return destination;
  return properties?.problem('Destination', 'must be a queue or a topic: the embedded AWS knows no other', destination);
}
