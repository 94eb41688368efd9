import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import type { Lambda } from '../lambda';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-alias.html */
export function aliasResourceType(lambda: Lambda): ResourceType {
  return {
    type: 'AWS::Lambda::Alias',
    create: properties => {
      const functionName = properties.requiredString('FunctionName');
      const name = properties.requiredString('Name');
      const settings = {
        functionVersion: properties.requiredString('FunctionVersion'),
        description: properties.string('Description'),
        weights: readWeights(properties),
      };
      const alias = properties.attempt('FunctionName', () =>
        lambda.functionNamed(functionName).aliases.create(name, settings),
      );
      const arn = alias?.arn ?? '';
      return { ref: arn, attributes: { AliasArn: arn } };
    },
  };
}

/** Of each version but the first, the part of the invocations that goes to it. */
function readWeights(properties: PropertyReader): Readonly<Record<string, number>> {
  const routes = properties.object('RoutingConfig')?.objects('AdditionalVersionWeights') ?? [];
  const weights = routes.map(route => {
    const weight = route.number('FunctionWeight') ?? 0;
    if (weight < 0 || weight > 1) route.problem('FunctionWeight', 'must be a number from 0 to 1', weight);
    return [route.requiredString('FunctionVersion'), weight] as const;
  });
  return Object.fromEntries(weights);
}
