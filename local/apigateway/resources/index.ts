import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';
import { methodResourceType } from './method';
import {
  accountResourceType,
  deploymentResourceType,
  gatewayResponseResourceType,
  modelResourceType,
  requestValidatorResourceType,
  resourceResourceType,
  restApiResourceType,
  stageResourceType,
} from './rest-api';

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
