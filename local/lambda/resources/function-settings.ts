import type { PropertyReader } from '../../cloudformation/property-reader';
import { type PutResource, putType, type ResourceType } from '../../cloudformation/resource-type';
import { digestOf } from '../function/code';
import { LATEST, qualified } from '../function/function-configuration';
import type { Lambda } from '../lambda';
import { wholeNumber } from './read';

export function aliasResourceType(lambda: Lambda): ResourceType {
  const put: PutResource = (properties, _context, existing) => {
    const functionName = properties.requiredString('FunctionName');
    const name = properties.requiredString('Name');
    const settings = {
      functionVersion: properties.requiredString('FunctionVersion'),
      description: properties.string('Description'),
      weights: readWeights(properties),
    };
    const alias = properties.attempt('FunctionName', () => {
      const { aliases } = lambda.functionNamed(functionName);
      return existing ? aliases.update(name, settings) : aliases.create(name, settings);
    });
    const arn = alias?.arn ?? '';
    return { ref: arn, attributes: { AliasArn: arn } };
  };
  return putType('AWS::Lambda::Alias', put, ({ properties }) => {
    const [FunctionName, Name] = [properties.string('FunctionName'), properties.string('Name')];
    lambda.call('DeleteAlias', lambda.owner, { FunctionName, Name });
  });
}

/** Reads the shares of the additional versions. */
function readWeights(properties: PropertyReader): Readonly<Record<string, number>> {
  const routes = properties.object('RoutingConfig')?.objects('AdditionalVersionWeights') ?? [];
  const weights = routes.map(route => {
    const weight = route.number('FunctionWeight') ?? 0;
    if (weight < 0 || weight > 1) route.problem('FunctionWeight', 'must be a number from 0 to 1', weight);
    return [route.requiredString('FunctionVersion'), weight] as const;
  });
  return Object.fromEntries(weights);
}

/**
 * Publishes a version. Does not support `ProvisionedConcurrencyConfig`: environments are started on demand here, so its
 * cold starts would differ from AWS.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-version.html
 */
export function versionResourceType(lambda: Lambda): ResourceType {
  return {
    type: 'AWS::Lambda::Version',
    create: properties => {
      const functionName = properties.requiredString('FunctionName');
      const description = properties.string('Description');
      const codeSha256 = properties.string('CodeSha256');
      const published = properties.attempt('FunctionName', () => {
        const { versions, configuration } = lambda.functionNamed(functionName);
        properties.attempt('CodeSha256', () =>
          versions.checkCode(codeSha256, codeSha256 === undefined ? '' : digestOf(configuration).sha256),
        );
        return versions.publish(description).configuration;
      });
      const { functionArn = '', version = '' } = published ?? {};
      const arn = qualified(functionArn, version);
      return { ref: arn, attributes: { Version: version, FunctionArn: arn } };
    },
    // Every property is create-only.
    update: (_properties, _context, { ref, attributes }) => ({ ref, attributes }),
    delete: ({ ref }) => lambda.call('DeleteFunction', lambda.owner, { FunctionName: ref }),
  };
}

/** The allowed actions of a permission, in addition to the implemented API actions. */
const ACTIONS = ['lambda:InvokeFunction', 'lambda:*', '*'];

export function permissionResourceType(lambda: Lambda): ResourceType {
  return {
    type: 'AWS::Lambda::Permission',
    create: (properties, context) => {
      const statementId = context.physicalName(100);
      const functionName = properties.requiredString('FunctionName');
      const permission = {
        statementId,
        action: readAction(properties, lambda),
        principal: properties.requiredString('Principal'),
        sourceArn: properties.string('SourceArn'),
        sourceAccount: properties.string('SourceAccount'),
      };
      properties.attempt('FunctionName', () => {
        if (properties.standInReason) return;
        const { deployed, qualifier } = lambda.target(functionName);
        deployed.permissions.add(qualifier, permission);
      });
      return { ref: statementId, attributes: { Id: statementId } };
    },
    // Every property is create-only.
    update: (_properties, _context, { ref, attributes }) => ({ ref, attributes }),
    delete: ({ ref: StatementId, properties }) => {
      const FunctionName = properties.string('FunctionName');
      lambda.call('RemovePermission', lambda.owner, { FunctionName, StatementId });
    },
  };
}

function readAction(properties: PropertyReader, lambda: Lambda): string {
  const action = properties.requiredString('Action');
  if (action && !ACTIONS.includes(action) && !lambda.implements(action.replace('lambda:', ''))) {
    const rule = `must be ${ACTIONS.join(', ')}, or an action that the embedded Lambda implements`;
    if (action === 'lambda:InvokeFunctionUrl') properties.needsStandIn('Action', rule, action);
    else properties.problem('Action', rule, action);
  }
  return action;
}

export function eventInvokeConfigResourceType(lambda: Lambda): ResourceType {
  const put: PutResource = (properties, context) => {
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
  };
  return putType('AWS::Lambda::EventInvokeConfig', put, ({ properties }) => {
    const [FunctionName, Qualifier] = [properties.string('FunctionName'), properties.string('Qualifier')];
    lambda.call('DeleteFunctionEventInvokeConfig', lambda.owner, { FunctionName, Qualifier });
  });
}

function readDestinations(destinations: PropertyReader | undefined) {
  return {
    onSuccessArn: destinations?.object('OnSuccess')?.string('Destination'),
    onFailureArn: destinations?.object('OnFailure')?.string('Destination'),
  };
}
