import type { ResourceType } from '../../cloudformation/resource-type';
import { digestOf } from '../function/code-digest';
import { qualified } from '../function/function-name';
import type { Lambda } from '../lambda';

/**
 * Publishes a version. `ProvisionedConcurrencyConfig` is refused like everything that is not read: environments are made
 * on demand here, and one that is kept warm would say something else of a cold start than AWS.
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
  };
}
