import type { ResourceType } from '../cloudformation/resource-type';
import type { ApiGateway } from './api-gateway';
import { methodResourceType } from './resources/method';
import {
  gatewayResponseResourceType,
  modelResourceType,
  requestValidatorResourceType,
  resourceResourceType,
  restApiResourceType,
} from './resources/rest-api';
import { accountResourceType, deploymentResourceType, stageResourceType } from './resources/stage';

export { ApiGateway } from './api-gateway';
export type { ApiGatewayTraceEvent } from './trace-events';

/** The resource types of API Gateway's REST APIs, without keys, usage plans, authorizers and domains. */
export const apiGatewayResourceTypes = (apiGateway: ApiGateway): ResourceType[] =>
  [
    accountResourceType,
    deploymentResourceType,
    gatewayResponseResourceType,
    methodResourceType,
    modelResourceType,
    requestValidatorResourceType,
    resourceResourceType,
    restApiResourceType,
    stageResourceType,
  ].map(resourceType => resourceType(apiGateway));
