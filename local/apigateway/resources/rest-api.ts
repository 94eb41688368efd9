import type { PropertyReader } from '../../cloudformation/property-reader';
import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-restapi.html */
export const restApiResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::RestApi',
  create(properties) {
    const name = properties.requiredString('Name');
    readEndpoint(properties);
    properties.withoutEffect('Description', 'Tags', 'FailOnWarnings');
    const api = apiGateway.createRestApi(name);
    return { ref: api.id, attributes: { RestApiId: api.id, RootResourceId: api.root.id } };
  },
});

/** Regional and edge-optimized endpoints answer alike here; a private one answers inside a VPC only. */
function readEndpoint(properties: PropertyReader): void {
  const endpoint = properties.object('EndpointConfiguration');
  const types = endpoint?.strings('Types') ?? [];
  endpoint?.withoutEffect('IpAddressType');
  if (types.includes('PRIVATE')) {
    properties.problem('EndpointConfiguration.Types', 'PRIVATE is not implemented: there is no VPC', types);
  }
}
