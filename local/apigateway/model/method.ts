import type { ParameterMapping } from '../mapping/parameter-mapping';
import type { Template } from '../mapping/template';

/** What happens to a body whose content type has no template. */
export const PASSTHROUGH_BEHAVIORS = ['WHEN_NO_MATCH', 'WHEN_NO_TEMPLATES', 'NEVER'] as const;
export type PassthroughBehavior = (typeof PASSTHROUGH_BEHAVIORS)[number];

/** By content type, for example `application/json`. */
export type Templates = ReadonlyMap<string, Template>;

export interface IntegrationResponse {
  /** The method response it leads to. */
  readonly statusCode: number;
  /** Which statuses of the backend it is for. @default it is the default response */
  readonly selectionPattern: RegExp | undefined;
  readonly parameters: readonly ParameterMapping[];
  readonly templates: Templates;
}

interface CommonIntegration {
  readonly passthroughBehavior: PassthroughBehavior;
  readonly requestTemplates: Templates;
  readonly responses: readonly IntegrationResponse[];
}

/** API Gateway answers itself. */
export interface MockIntegration extends CommonIntegration {
  readonly type: 'MOCK';
}

/** API Gateway calls another AWS service. */
export interface AwsIntegration extends CommonIntegration {
  readonly type: 'AWS';
  readonly httpMethod: string;
  /** `arn:aws:apigateway:us-east-1:sns:path//` */
  readonly uri: string;
  /** The role it calls with. */
  readonly roleArn: string;
  readonly requestParameters: readonly ParameterMapping[];
  readonly timeoutMs: number;
}

export type Integration = AwsIntegration | MockIntegration;

export interface Method {
  /** `ANY` answers for every method that has none of its own. */
  readonly httpMethod: string;
  readonly authorization: 'NONE' | 'AWS_IAM';
  /** `method.request.header.X-Tenant` and the like, and whether they are required. */
  readonly requestParameters: Readonly<Record<string, boolean>>;
  /** The model of the body, by content type. */
  readonly requestModels: Readonly<Record<string, string>>;
  readonly requestValidatorId: string | undefined;
  readonly integration: Integration;
}
