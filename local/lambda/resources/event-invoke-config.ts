import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import { LATEST } from '../function/function-configuration';
import type { Lambda } from '../lambda';
import { wholeNumber } from './read';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-eventinvokeconfig.html */
export function eventInvokeConfigResourceType(lambda: Lambda): ResourceType {
  return {
    type: 'AWS::Lambda::EventInvokeConfig',
    create: (properties, context) => {
      const functionName = properties.requiredString('FunctionName');
      const qualifier = properties.requiredString('Qualifier') || LATEST;
      const destinations = properties.object('DestinationConfig');
      const attempts = { least: 0, most: 2, otherwise: undefined };
      const age = { least: 60, most: 21_600, otherwise: undefined };
      const configuration = {
        maximumRetryAttempts: wholeNumber(properties, 'MaximumRetryAttempts', attempts),
        maximumEventAgeSeconds: wholeNumber(properties, 'MaximumEventAgeInSeconds', age),
        ...readDestinations(destinations),
      };
      properties.attempt('FunctionName', () => {
        const { deployed } = lambda.target(functionName, qualifier);
        properties.attempt('DestinationConfig', () => lambda.checkDestinations(configuration, deployed));
        deployed.eventInvokes.put(qualifier, configuration);
      });
      return { ref: context.physicalName(), attributes: {} };
    },
  };
}

function readDestinations(destinations: PropertyReader | undefined) {
  return {
    onSuccessArn: destinations?.object('OnSuccess')?.string('Destination'),
    onFailureArn: destinations?.object('OnFailure')?.string('Destination'),
  };
}
