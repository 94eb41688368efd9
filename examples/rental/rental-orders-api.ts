import { Aws, type RemovalPolicy } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  AuthorizationType,
  AwsIntegration,
  EndpointType,
  JsonSchemaType,
  JsonSchemaVersion,
  LogGroupLogDestination,
  type Method,
  MethodLoggingLevel,
  type Model,
  PassthroughBehavior,
  RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { Grant, type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { acknowledge } from './checks';

/** Properties of a `RentalOrdersApi`. */
interface RentalOrdersApiProps {
  /** The topic every order is published to. */
  readonly topic: ITopic;

  /** The name of the API. */
  readonly apiName: string;

  /**
   * Whether to set the role with which API Gateway logs. The setting is shared by the whole account and Region: use
   * false if another stack sets it.
   *
   * @default true
   */
  readonly setAccountLoggingRole?: boolean;

  /**
   * How long access and execution logs are stored.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What happens to the logs when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

const STAGE = 'prod';

/** The rate and burst of requests per second above which API Gateway answers 429. */
const THROTTLING = { throttlingRateLimit: 100, throttlingBurstLimit: 200 };

const TEXT = { type: JsonSchemaType.STRING, minLength: 1, maxLength: 128 };

/** The required members of an order, which may have others. Amounts are in the currency's smallest unit. */
const ORDER_SCHEMA = {
  schema: JsonSchemaVersion.DRAFT4,
  title: 'RentalOrder',
  type: JsonSchemaType.OBJECT,
  required: ['orderId', 'status', 'customerId', 'vehicleClass', 'days', 'dailyRate', 'currency'],
  properties: {
    orderId: TEXT,
    status: { type: JsonSchemaType.STRING, pattern: '^[a-z]+(-[a-z]+)*$', maxLength: 32 },
    customerId: TEXT,
    vehicleClass: TEXT,
    days: { type: JsonSchemaType.INTEGER, minimum: 1 },
    dailyRate: { type: JsonSchemaType.INTEGER, minimum: 0 },
    currency: { type: JsonSchemaType.STRING, pattern: '^[A-Z]{3}$' },
  },
};

/**
 * A request of SNS's query API, as form fields. The status is also a message attribute, because subscriptions filter by
 * attributes.
 */
function publishTemplate(topicArn: string): string {
  return [
    'Action=Publish',
    'Version=2010-03-31',
    `TopicArn=$util.urlEncode('${topicArn}')`,
    'Message=$util.urlEncode($input.body)',
    'MessageAttributes.entry.1.Name=order-status',
    'MessageAttributes.entry.1.Value.DataType=String',
    "MessageAttributes.entry.1.Value.StringValue=$util.urlEncode($input.path('$.status'))",
  ].join('&');
}

interface Answer {
  readonly statusCode: string;
  /** The status codes of SNS it applies to; none for success, which is the default. */
  readonly selectionPattern?: string;
  readonly template: string;
}

const message = (text: string) => JSON.stringify({ message: text });

const LATER = message('The order could not be published now: try again');

/**
 * SNS also answers 400 if the topic's key is disabled, throttled or not allowed: `KMS…`. The order itself is valid
 * then.
 */
const REFUSED = [
  "#if($input.path('$.Error.Code').startsWith('KMS'))#set($context.responseOverride.status = 503)",
  LATER,
  '#else',
  message('SNS does not accept this order'),
  '#end',
].join('');

/**
 * The responses to the caller for SNS's status codes. Faults of this backend, such as a missing permission, must not be
 * a 4xx.
 */
const ANSWERS: readonly Answer[] = [
  {
    statusCode: '200',
    template: `{"messageId":"$input.path('$.PublishResponse.PublishResult.MessageId')"}`,
  },
  { statusCode: '400', selectionPattern: '400', template: REFUSED },
  { statusCode: '500', selectionPattern: '4(?!00|29)\\d{2}', template: message('The order could not be published') },
  {
    statusCode: '503',
    selectionPattern: '(429|5\\d{2})',
    template: LATER,
  },
];

/**
 * A REST API whose `POST /orders` publishes the order to a topic, with no function in between: signed requests only,
 * checked against a model, throttled and logged.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-api-integration-types.html
 */
export class RentalOrdersApi extends Construct {
  /** The API. */
  public readonly restApi: RestApi;
  /** `POST /orders`. */
  public readonly ordersMethod: Method;

  constructor(scope: Construct, id: string, props: RentalOrdersApiProps) {
    super(scope, id);
    this.restApi = this.addRestApi(props);
    this.ordersMethod = this.addOrdersMethod(props.topic);
    acknowledge(
      this.restApi,
      'AwsSolutions-APIG3',
      'Callers sign with IAM; add a web ACL if you open the API to the public.',
    );
    acknowledge(this.restApi, 'AwsSolutions-COG4', 'Callers sign with IAM credentials instead of a Cognito token.');
  }

  /** Lets a caller post orders. */
  public grantPost(grantee: IGrantable): Grant {
    const resourceArns = [this.ordersMethod.methodArn];
    return Grant.addToPrincipal({ grantee, actions: ['execute-api:Invoke'], resourceArns });
  }

  private addRestApi(props: RentalOrdersApiProps): RestApi {
    const cloudWatchRole = props.setAccountLoggingRole ?? true;
    const api = new RestApi(this, 'RestApi', {
      restApiName: props.apiName,
      description: 'Takes rental orders and publishes them.',
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole,
      deployOptions: {
        stageName: STAGE,
        ...THROTTLING,
        loggingLevel: MethodLoggingLevel.ERROR,
        accessLogDestination: new LogGroupLogDestination(this.addLogGroup('AccessLog', props)),
        accessLogFormat: AccessLogFormat.jsonWithStandardFields(),
      },
    });
    // Created before the stage. Otherwise API Gateway would create the log group itself without a retention, and the
    // deployment would fail because it exists.
    const executionLog = this.addLogGroup(
      'ExecutionLog',
      props,
      `API-Gateway-Execution-Logs_${api.restApiId}/${STAGE}`,
    );
    api.deploymentStage.node.addDependency(executionLog);
    const role = api.node.tryFindChild('CloudWatchRole');
    if (role) {
      acknowledge(
        role,
        'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]',
        'AWS requires this policy, and the role serves every API of the account and Region.',
      );
    }
    return api;
  }

  private addLogGroup(
    id: string,
    { logRetention, removalPolicy }: RentalOrdersApiProps,
    logGroupName?: string,
  ): LogGroup {
    return new LogGroup(this, id, {
      logGroupName,
      retention: logRetention ?? RetentionDays.THREE_MONTHS,
      removalPolicy,
    });
  }

  private addOrdersMethod(topic: ITopic): Method {
    return this.restApi.root.addResource('orders').addMethod('POST', this.integration(topic), {
      authorizationType: AuthorizationType.IAM,
      requestModels: { 'application/json': this.addModel() },
      requestValidator: this.restApi.addRequestValidator('OrderValidator', {
        validateRequestBody: true,
        validateRequestParameters: true,
      }),
      methodResponses: ANSWERS.map(({ statusCode }) => ({ statusCode })),
    });
  }

  private addModel(): Model {
    return this.restApi.addModel('Order', {
      contentType: 'application/json',
      modelName: 'RentalOrder',
      schema: ORDER_SCHEMA,
    });
  }

  private integration(topic: ITopic): AwsIntegration {
    return new AwsIntegration({
      service: 'sns',
      region: Aws.REGION,
      path: '/',
      integrationHttpMethod: 'POST',
      options: {
        credentialsRole: this.addPublisher(topic),
        passthroughBehavior: PassthroughBehavior.NEVER,
        requestParameters: {
          'integration.request.header.Content-Type': "'application/x-www-form-urlencoded'",
          'integration.request.header.Accept': "'application/json'",
        },
        requestTemplates: { 'application/json': publishTemplate(topic.topicArn) },
        integrationResponses: ANSWERS.map(({ statusCode, selectionPattern, template }) => ({
          statusCode,
          selectionPattern,
          responseTemplates: { 'application/json': template },
        })),
      },
    });
  }

  private addPublisher(topic: ITopic): Role {
    const role = new Role(this, 'Publisher', {
      description: 'Lets the rental API publish orders.',
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
    });
    role.addToPolicy(new PolicyStatement({ actions: ['sns:Publish'], resources: [topic.topicArn] }));
    topic.masterKey?.grant(role, 'kms:Decrypt', 'kms:GenerateDataKey');
    return role;
  }
}
