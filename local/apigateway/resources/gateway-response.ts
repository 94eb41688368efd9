import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';
import { isGatewayResponseType } from '../model/gateway-response';
import { stringMap } from './string-map';

const HEADER = /^gatewayresponse\.header\.(.+)$/;

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-apigateway-gatewayresponse.html */
export const gatewayResponseResourceType = (apiGateway: ApiGateway): ResourceType => ({
  type: 'AWS::ApiGateway::GatewayResponse',
  create(properties) {
    const apiId = properties.requiredString('RestApiId');
    const type = properties.requiredString('ResponseType');
    const statusCode = properties.number('StatusCode');
    const templates = stringMap(properties, 'ResponseTemplates');
    const headers = Object.entries(stringMap(properties, 'ResponseParameters')).map(([target, expression]) => {
      const [, name = ''] = HEADER.exec(target) ?? [];
      const isStatic = /^'.*'$/s.test(expression);
      if (!name || !(isStatic || expression.startsWith('context.'))) {
        properties.problem(`ResponseParameters.${target}`, 'is not a mapping that is implemented', expression);
      }
      return [name, expression];
    });
    const id = apiGateway.newId();
    if (!isGatewayResponseType(type)) {
      properties.problem('ResponseType', 'is not a kind of answer that occurs in the embedded AWS', type);
    } else if (properties.allProblems().length === 0) {
      const response = { statusCode, headers: Object.fromEntries(headers), templates };
      apiGateway.restApi(apiId).gatewayResponses.set(type, response);
    }
    return { ref: id, attributes: { Id: id } };
  },
});
