import type { AliasConfiguration, AliasRoutingConfiguration } from '@aws-sdk/client-lambda';
import { Constraints } from '../../kernel/constraints';
import { preconditionFailed } from '../errors';
import type { Alias } from '../function/aliases';
import { type LambdaFamily, onFunction, pageAsked } from './lambda-action';

const NAME = '(?!^[0-9]+$)([a-zA-Z0-9-_]+)';

const WEIGHT =
  'Map value must satisfy constraint: [Member must have value less than or equal to 1.0, ' +
  'Member must have value greater than or equal to 0.0, Member must not be null]';

export const aliasActions = {
  CreateAlias: onFunction(({ deployed }, { Name = '', FunctionVersion = '', Description, RoutingConfig }) => {
    new Constraints().pattern('name', Name, NAME).check();
    const weights = RoutingConfig && weightsOf(RoutingConfig);
    const settings = { functionVersion: FunctionVersion, description: Description, weights };
    return describeAlias(deployed.aliases.create(Name, settings));
  }),

  GetAlias: onFunction(({ deployed }, { Name = '' }) => describeAlias(deployed.aliases.get(Name))),

  ListAliases: onFunction(({ deployed }, input) => {
    const { FunctionVersion: wanted } = input;
    const all = deployed.aliases.all().filter(({ functionVersion }) => (wanted ?? functionVersion) === functionVersion);
    const { items, nextToken } = pageAsked(all, input, 50);
    return { Aliases: items.map(describeAlias), NextMarker: nextToken };
  }),

  UpdateAlias: onFunction(
    ({ deployed: { aliases } }, { Name = '', FunctionVersion, Description, RoutingConfig, RevisionId }) => {
      const { revisionId } = aliases.get(Name);
      if ((RevisionId ?? revisionId) !== revisionId) throw preconditionFailed();
      const changes = {
        ...(FunctionVersion !== undefined && { functionVersion: FunctionVersion }),
        ...(Description !== undefined && { description: Description }),
        ...(RoutingConfig && { weights: weightsOf(RoutingConfig) }),
      };
      return describeAlias(aliases.update(Name, changes));
    },
  ),

  DeleteAlias: onFunction(({ deployed }, { Name = '' }) => {
    deployed.aliases.delete(Name);
    return {};
  }),
} satisfies LambdaFamily;

function describeAlias({ arn, name, functionVersion, description, route, revisionId }: Alias) {
  return {
    AliasArn: arn,
    Name: name,
    FunctionVersion: functionVersion,
    Description: description,
    ...(route && { RoutingConfig: { AdditionalVersionWeights: { [route.version]: route.weight } } }),
    RevisionId: revisionId,
  } satisfies AliasConfiguration;
}

/**
 * Returns the weights of a routing configuration.
 *
 * @throws AwsError `ValidationException` for a weight outside 0 to 1
 */
function weightsOf(routing: AliasRoutingConfiguration): Readonly<Record<string, number>> {
  const weights = routing.AdditionalVersionWeights ?? {};
  const constraints = new Constraints();
  for (const [version, weight] of Object.entries(weights)) {
    if (weight >= 0 && weight <= 1) continue;
    constraints.breach('routingConfig.additionalVersionWeights', `{${version}=${weight}}`, WEIGHT);
  }
  constraints.check();
  return weights;
}
