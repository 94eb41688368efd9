import type { ResourceType } from '../../cloudformation/resource-type';
import type { Lambda } from '../lambda';
import { attempt } from './read';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-lambda-permission.html */
export function permissionResourceType(lambda: Lambda): ResourceType {
  return {
    type: 'AWS::Lambda::Permission',
    create: (properties, context) => {
      const statementId = context.physicalName(100);
      const functionName = properties.requiredString('FunctionName');
      const permission = {
        statementId,
        action: properties.requiredString('Action'),
        principal: properties.requiredString('Principal'),
        sourceArn: properties.string('SourceArn'),
        sourceAccount: properties.string('SourceAccount'),
      };
      attempt(properties, 'FunctionName', () => lambda.functionNamed(functionName).addPermission(permission));
      return { ref: statementId, attributes: { Id: statementId } };
    },
  };
}
