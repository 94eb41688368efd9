import { roleCaller } from '../kernel/caller';
import { arnIn } from '../kernel/place';
import type { ServiceContext } from '../kernel/service-api';
import { badRequest, notFound } from './errors';
import { Executor } from './execute/executor';
import type { AccessLog, MethodSetting, Stage } from './model/rest-api';
import { RestApi } from './model/rest-api';
import { type ApiGatewayDependencies, GatewayLog } from './ports';
import type { ApiGatewayTraceEvent } from './trace-events';

const ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyz0123456789';
const API_ID_LENGTH = 10;
const ID_LENGTH = 6;
const LOG_STREAM_DIGITS = 32;

interface CreateStageInput {
  readonly stageName: string;
  readonly deploymentId: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly accessLog: AccessLog | undefined;
  readonly methodSettings: readonly MethodSetting[];
}

/**
 * API Gateway's REST APIs. An API with a stage answers on the network under its own host name:
 * `https://{id}.execute-api.{region}.amazonaws.com/{stage}/…`.
 */
export class ApiGateway {
  private readonly apis = new Map<string, RestApi>();
  private readonly log: GatewayLog;

  constructor(
    private readonly context: ServiceContext<ApiGatewayTraceEvent>,
    private readonly neighbours: ApiGatewayDependencies,
  ) {
    this.log = new GatewayLog(neighbours.logs);
  }

  createRestApi(name: string): RestApi {
    const api = new RestApi(this.identifier(API_ID_LENGTH), name, this.identifier(API_ID_LENGTH));
    this.apis.set(api.id, api);
    const executor = new Executor(this.context, this.neighbours, this.log, api);
    this.neighbours.network.attach(this.hostName(api.id), executor.answer);
    return api;
  }

  /** Deletes an API with its stages. Its host name answers as for an API that does not exist. */
  deleteRestApi(id: string): void {
    const api = this.restApi(id);
    api.stages.clear();
    this.apis.delete(id);
  }

  restApi(id: string): RestApi {
    const api = this.apis.get(id);
    if (!api) throw notFound('Invalid API identifier specified');
    return api;
  }

  /** Every deployed stage with its URL, in the order of creation. */
  stages(): readonly { readonly name: string; readonly url: string }[] {
    return [...this.apis.values()].flatMap(({ id, name, stages }) =>
      [...stages.keys()].map(stage => ({ name: `${name}/${stage}`, url: `https://${this.hostName(id)}/${stage}/` })),
    );
  }

  /** Creates an id, in the form of API Gateway's ids of resources, deployments and validators. */
  newId(): string {
    return this.identifier(ID_LENGTH);
  }

  setCloudWatchRole(roleArn: string): void {
    const log = arnIn(this.context.place, 'logs', 'log-group:API-Gateway-Execution-Logs:log-stream:any');
    const mayWrite = this.context.access.decide({
      caller: roleCaller(roleArn),
      action: 'logs:PutLogEvents',
      resource: log,
    });
    if (!mayWrite.allowed || !this.neighbours.roles.decideAssumeRole('apigateway.amazonaws.com', roleArn).allowed) {
      throw badRequest(
        'The role ARN does not have required permissions configured. Please grant trust permission for API Gateway and add the required role policy.',
      );
    }
    this.log.roleArn = roleArn;
  }

  createStage(api: RestApi, input: CreateStageInput): Stage {
    if (api.stages.has(input.stageName)) throw badRequest(`Stage already exists`);
    return this.putStage(api, input, this.context.random.hex(LOG_STREAM_DIGITS));
  }

  /** Changes a stage. Its throttles begin with full buckets. */
  updateStage(api: RestApi, input: CreateStageInput): Stage {
    const before = api.stages.get(input.stageName);
    if (!before) throw notFound('Invalid stage identifier specified');
    return this.putStage(api, input, before.logStreamName);
  }

  private putStage(api: RestApi, input: CreateStageInput, logStreamName: string): Stage {
    const { stageName: name, deploymentId, variables, accessLog, methodSettings } = input;
    const logs = accessLog !== undefined || methodSettings.some(({ loggingLevel }) => loggingLevel !== 'OFF');
    if (logs && this.log.roleArn === undefined) {
      throw badRequest('CloudWatch Logs role ARN must be set in account settings to enable logging');
    }
    const stage: Stage = {
      name,
      deployment: api.deployment(deploymentId),
      variables,
      accessLog,
      methodSettings,
      logStreamName,
      tokenBuckets: new Map(),
    };
    api.stages.set(name, stage);
    return stage;
  }

  private hostName(apiId: string): string {
    const { region, urlSuffix } = this.context.place;
    return `${apiId}.execute-api.${region}.${urlSuffix}`;
  }

  private identifier(length: number): string {
    const { random } = this.context;
    return Array.from({ length }, () => ID_CHARACTERS[random.integer(0, ID_CHARACTERS.length - 1)]).join('');
  }
}
