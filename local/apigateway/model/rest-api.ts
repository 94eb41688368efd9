import {
  type ApiResource,
  badRequest,
  type Deployment,
  isVariable,
  ModelSchemas,
  methodKey,
  notFound,
  type RequestValidator,
} from './deployment';
import type { ConfiguredGatewayResponse, GatewayResponseType } from './gateway-response';
import type { Method } from './method';
import type { Stage } from './stage';

/** @see https://docs.aws.amazon.com/apigateway/latest/developerguide/models-mappings-models.html */
const MODELS_OF_EVERY_API = {
  Empty: { type: 'object' },
  Error: { type: 'object', properties: { message: { type: 'string' } } },
};

/** A REST API: its current resources, its deployments and its stages. */
export class RestApi {
  readonly root: ApiResource;
  readonly stages = new Map<string, Stage>();
  readonly validators = new Map<string, RequestValidator>();
  readonly schemas: ModelSchemas;
  readonly gatewayResponses = new Map<GatewayResponseType, ConfiguredGatewayResponse>();
  private readonly resources = new Map<string, ApiResource>();
  private readonly methods = new Map<string, Method>();
  private readonly deployments = new Map<string, Deployment>();

  constructor(
    readonly id: string,
    public name: string,
    rootResourceId: string,
  ) {
    this.root = { id: rootResourceId, parentId: undefined, pathPart: '', path: '/' };
    this.resources.set(rootResourceId, this.root);
    this.schemas = new ModelSchemas(id);
    for (const [modelName, schema] of Object.entries(MODELS_OF_EVERY_API)) this.schemas.add(modelName, schema);
  }

  addResource(id: string, parentId: string, pathPart: string): ApiResource {
    const parent = this.resources.get(parentId);
    if (!parent) throw notFound('Invalid Resource identifier specified');
    if (!/^([\w.:$-]+|\{[\w.-]+\+?\})$/.test(pathPart)) {
      throw badRequest(
        "Resource's path part only allow a-zA-Z0-9._-: or a valid greedy path variable and curly braces at the beginning and the end.",
      );
    }
    const siblings = [...this.resources.values()].filter(it => it.parentId === parentId);
    if (siblings.some(it => it.pathPart === pathPart)) {
      throw badRequest(`Another resource with the same parent already has this name: ${pathPart}`);
    }
    if (isVariable(pathPart) && siblings.some(it => isVariable(it.pathPart))) {
      throw badRequest('A sibling of this resource already has a variable path part -- only one is allowed');
    }
    const path = `${parent.path === '/' ? '' : parent.path}/${pathPart}`;
    const resource: ApiResource = { id, parentId, pathPart, path };
    this.resources.set(id, resource);
    return resource;
  }

  putMethod(resourceId: string, method: Method): void {
    if (!this.resources.has(resourceId)) throw notFound('Invalid Resource identifier specified');
    this.methods.set(methodKey(resourceId, method.httpMethod), method);
  }

  /** Deletes a resource without children, and its methods. */
  removeResource(id: string): void {
    this.resources.delete(id);
    for (const key of [...this.methods.keys()].filter(it => it.startsWith(`${id}/`))) this.methods.delete(key);
  }

  removeMethod(resourceId: string, httpMethod: string): void {
    this.methods.delete(methodKey(resourceId, httpMethod));
  }

  removeDeployment(id: string): void {
    if ([...this.stages.values()].some(({ deployment }) => deployment.id === id)) {
      throw badRequest('Active stages pointing to this deployment must be moved or deleted');
    }
    this.deployments.delete(id);
  }

  deploy(id: string): Deployment {
    if (this.methods.size === 0) throw badRequest("The REST API doesn't contain any methods");
    const deployment: Deployment = {
      id,
      resources: [...this.resources.values()],
      methods: new Map(this.methods),
      validators: new Map(this.validators),
      schemas: this.schemas.snapshot(),
      gatewayResponses: new Map(this.gatewayResponses),
    };
    this.deployments.set(id, deployment);
    return deployment;
  }

  deployment(id: string): Deployment {
    const deployment = this.deployments.get(id);
    if (!deployment) throw notFound('Invalid Deployment identifier specified');
    return deployment;
  }
}
