import type { ParameterMapping } from '../mapping/parameter-mapping';
import type { Template } from '../mapping/template';

/** How to treat a body whose content type has no template. */
export const PASSTHROUGH_BEHAVIORS = ['WHEN_NO_MATCH', 'WHEN_NO_TEMPLATES', 'NEVER'] as const;
export type PassthroughBehavior = (typeof PASSTHROUGH_BEHAVIORS)[number];

/** Templates by content type, for example `application/json`. */
export type Templates = ReadonlyMap<string, Template>;

export interface IntegrationResponse {
  readonly statusCode: number;
  /** The backend's statuses it applies to. @default it is the default response */
  readonly selects: ((status: number) => boolean) | undefined;
  readonly parameters: readonly ParameterMapping[];
  readonly templates: Templates;
}

interface CommonIntegration {
  readonly passthroughBehavior: PassthroughBehavior;
  readonly requestTemplates: Templates;
  readonly responses: readonly IntegrationResponse[];
}

/** API Gateway itself answers. */
export interface MockIntegration extends CommonIntegration {
  readonly type: 'MOCK';
}

/** API Gateway calls another AWS service. */
export interface AwsIntegration extends CommonIntegration {
  readonly type: 'AWS';
  readonly httpMethod: string;
  /** `arn:aws:apigateway:us-east-1:sns:path//` */
  readonly uri: string;
  readonly roleArn: string;
  readonly requestParameters: readonly ParameterMapping[];
  readonly timeoutMs: number;
}

/** API Gateway passes the whole request to a function, whose result is the answer. */
export interface ProxyIntegration {
  readonly type: 'AWS_PROXY';
  readonly functionArn: string;
  /** The role for the call. @default - the function's policy must allow API Gateway */
  readonly roleArn: string | undefined;
  readonly timeoutMs: number;
}

export type MappedIntegration = AwsIntegration | MockIntegration;

export type Integration = MappedIntegration | ProxyIntegration;

export interface Method {
  /** `ANY` answers for every HTTP method without a method of its own. */
  readonly httpMethod: string;
  readonly authorization: 'NONE' | 'AWS_IAM';
  /** Whether each parameter, such as `method.request.header.X-Tenant`, is required. */
  readonly requestParameters: Readonly<Record<string, boolean>>;
  /** The model of the body, by content type. */
  readonly requestModels: Readonly<Record<string, string>>;
  readonly requestValidatorId: string | undefined;
  readonly integration: Integration;
}
