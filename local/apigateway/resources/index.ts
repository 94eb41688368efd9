import type { ResourceType } from '../../cloudformation/resource-type';
import type { ApiGateway } from '../api-gateway';
import { accountResourceType } from './account';
import { deploymentResourceType } from './deployment';
import { gatewayResponseResourceType } from './gateway-response';
import { methodResourceType } from './method';
import { modelResourceType } from './model';
import { requestValidatorResourceType } from './request-validator';
import { resourceResourceType } from './resource';
import { restApiResourceType } from './rest-api';
import { stageResourceType } from './stage';

/** The resource types of API Gateway's REST APIs; keys, usage plans, authorizers and domains are not among them. */
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
