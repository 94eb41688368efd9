import type { Clock } from '../../kernel/clock';
import { badRequest, notFound } from '../errors';
import type { ConfiguredGatewayResponse, GatewayResponseType } from './gateway-response';
import type { Method } from './method';
import { ModelSchemas } from './model-schemas';

/** One node of the tree of paths. */
export interface ApiResource {
  readonly id: string;
  /** Undefined for the root. */
  readonly parentId: string | undefined;
  /** `orders`, `{orderId}` or `{proxy+}`; empty for the root. */
  readonly pathPart: string;
  /** The path from the root, for example `/orders/{orderId}`. */
  readonly path: string;
}

export interface RequestValidator {
  readonly validateRequestBody: boolean;
  readonly validateRequestParameters: boolean;
}

/** A snapshot of an API. Later changes of the API do not affect its stages. */
export interface Deployment {
  readonly id: string;
  readonly resources: readonly ApiResource[];
  /** By `resource id/HTTP method`. */
  readonly methods: ReadonlyMap<string, Method>;
  readonly validators: ReadonlyMap<string, RequestValidator>;
  readonly schemas: ModelSchemas;
  readonly gatewayResponses: ReadonlyMap<GatewayResponseType, ConfiguredGatewayResponse>;
}

export const methodKey = (resourceId: string, httpMethod: string): string => `${resourceId}/${httpMethod}`;

export const isVariable = (pathPart: string): boolean => pathPart.startsWith('{');

export const isGreedy = (pathPart: string): boolean => pathPart.endsWith('+}');

export type LoggingLevel = 'OFF' | 'ERROR' | 'INFO';

export interface MethodSetting {
  /** `/orders`, or `/*` for every path. */
  readonly resourcePath: string;
  /** `POST`, or `*` for every method. */
  readonly httpMethod: string;
  readonly loggingLevel: LoggingLevel;
  /** Whether each method has metrics in addition to those of the stage. */
  readonly metricsEnabled: boolean;
  readonly throttle: { readonly burstLimit: number; readonly rateLimit: number } | undefined;
}

export interface AccessLog {
  readonly logGroupName: string;
  /** Text with `$context` variables. */
  readonly format: string;
}

/** A deployment that clients can call. */
export interface Stage {
  readonly name: string;
  readonly deployment: Deployment;
  readonly variables: Readonly<Record<string, string>>;
  readonly accessLog: AccessLog | undefined;
  /** Settings, the most specific first. */
  readonly methodSettings: readonly MethodSetting[];
  /** The name of its log stream: random digits, as on AWS. */
  readonly logStreamName: string;
  /** The tokens left for each throttled method, by `resource path/HTTP method`. */
  readonly tokenBuckets: Map<string, TokenBucket>;
}

export function settingFor(stage: Stage, resourcePath: string, httpMethod: string): MethodSetting | undefined {
  return stage.methodSettings.find(
    it =>
      (it.resourcePath === '/*' || it.resourcePath === resourcePath) &&
      (it.httpMethod === '*' || it.httpMethod === httpMethod),
  );
}

/**
 * A token bucket: lets requests through at a steady rate, with bursts.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-request-throttling.html
 */
export class TokenBucket {
  private tokens: number;
  private filledAtMs: number;

  /**
   * @param rateLimit tokens added a second
   * @param burstLimit the maximum number of tokens
   */
  constructor(
    private readonly clock: Clock,
    private readonly rateLimit: number,
    private readonly burstLimit: number,
  ) {
    this.tokens = burstLimit;
    this.filledAtMs = clock.nowMs;
  }

  /** Takes one token; false when there is none. */
  take(): boolean {
    const elapsedSeconds = (this.clock.nowMs - this.filledAtMs) / 1_000;
    this.tokens = Math.min(this.burstLimit, this.tokens + elapsedSeconds * this.rateLimit);
    this.filledAtMs = this.clock.nowMs;
    if (this.tokens < 1) return false;
    this.tokens -= 1;
    return true;
  }
}

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
