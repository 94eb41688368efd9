import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import type { Lambda } from '../lambda';

/** What one may allow beside the API actions there are. */
const ACTIONS = ['lambda:InvokeFunction', 'lambda:*', '*'];

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-permission.html */
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
        const { deployed, qualifier } = lambda.target(functionName);
        deployed.permissions.add(qualifier, permission);
      });
      return { ref: statementId, attributes: { Id: statementId } };
    },
  };
}

function readAction(properties: PropertyReader, lambda: Lambda): string {
  const action = properties.requiredString('Action');
  if (action && !ACTIONS.includes(action) && !lambda.implements(action.replace('lambda:', ''))) {
    const rule = `must be ${ACTIONS.join(', ')}, or an action the embedded Lambda answers`;
    properties.problem('Action', rule, action);
  }
  return action;
}
