import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import type { Lambda } from '../lambda';

/** Nobody here asks for leave to do anything else with a function. */
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
        action: readAction(properties),
        principal: properties.requiredString('Principal'),
        sourceArn: properties.string('SourceArn'),
        sourceAccount: properties.string('SourceAccount'),
      };
      properties.attempt('FunctionName', () => lambda.functionNamed(functionName).addPermission(permission));
      return { ref: statementId, attributes: { Id: statementId } };
    },
  };
}

function readAction(properties: PropertyReader): string {
  const action = properties.requiredString('Action');
  if (action && !ACTIONS.includes(action)) {
    const rule = `must be one of ${ACTIONS.join(', ')}: the embedded Lambda answers no other action`;
    properties.problem('Action', rule, action);
  }
  return action;
}
