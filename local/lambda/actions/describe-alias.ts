import type { AliasConfiguration, AliasRoutingConfiguration } from '@aws-sdk/client-lambda';
import { lambdaConstraints } from '../constraints';
import type { Alias } from '../function/aliases';

export function describeAlias({ arn, name, functionVersion, description, route, revisionId }: Alias) {
  return {
    AliasArn: arn,
    Name: name,
    FunctionVersion: functionVersion,
    Description: description,
    ...(route && { RoutingConfig: { AdditionalVersionWeights: { [route.version]: route.weight } } }),
    RevisionId: revisionId,
  } satisfies AliasConfiguration;
}

const WEIGHT =
  'Map value must satisfy constraint: [Member must have value less than or equal to 1.0, ' +
  'Member must have value greater than or equal to 0.0, Member must not be null]';

/**
 * The weights of a routing configuration.
 *
 * @throws AwsError `ValidationException` for one that is no part of a whole
 */
export function weightsOf(routing: AliasRoutingConfiguration): Readonly<Record<string, number>> {
  const weights = routing.AdditionalVersionWeights ?? {};
  const constraints = lambdaConstraints();
  for (const [version, weight] of Object.entries(weights)) {
    if (weight >= 0 && weight <= 1) continue;
    constraints.breach('routingConfig.additionalVersionWeights', `{${version}=${weight}}`, WEIGHT);
  }
  constraints.check();
  return weights;
}
