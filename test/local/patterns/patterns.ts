import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { WebSocketApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { WebSocketLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { CfnApplicationInferenceProfile } from 'aws-cdk-lib/aws-bedrock';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnCloudFrontOriginAccessIdentity, Distribution } from 'aws-cdk-lib/aws-cloudfront';
import { RestApiOrigin, S3BucketOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { UserPool } from 'aws-cdk-lib/aws-cognito';
import { AttributeType, StreamViewType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { Cluster, ContainerImage, FargateService, FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { CfnCacheCluster } from 'aws-cdk-lib/aws-elasticache';
import { ApplicationLoadBalancer } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { LambdaTarget } from 'aws-cdk-lib/aws-elasticloadbalancingv2-targets';
import { CfnDomain as CfnElasticsearch } from 'aws-cdk-lib/aws-elasticsearch';
import { EventBus, type IRuleTarget, Rule } from 'aws-cdk-lib/aws-events';
import * as targets from 'aws-cdk-lib/aws-events-targets';
import { CfnJob } from 'aws-cdk-lib/aws-glue';
import { type IGrantable, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnTopicRule } from 'aws-cdk-lib/aws-iot';
import { CfnIndex } from 'aws-cdk-lib/aws-kendra';
import { Stream } from 'aws-cdk-lib/aws-kinesis';
import { CfnApplication } from 'aws-cdk-lib/aws-kinesisanalytics';
import { DeliveryStream, KinesisStreamSource, S3Bucket } from 'aws-cdk-lib/aws-kinesisfirehose';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, KinesisEventSource, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Domain, EngineVersion } from 'aws-cdk-lib/aws-opensearchservice';
import { CfnPipe } from 'aws-cdk-lib/aws-pipes';
import { ARecord, PublicHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGateway } from 'aws-cdk-lib/aws-route53-targets';
import { Bucket, EventType } from 'aws-cdk-lib/aws-s3';
import * as notifications from 'aws-cdk-lib/aws-s3-notifications';
import { CfnEndpoint, CfnEndpointConfig } from 'aws-cdk-lib/aws-sagemaker';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import type { Deployed } from '../../support/deployed';
import { inlineFunction } from '../../support/inline-function';

/**
 * A pattern of AWS Solutions Constructs, as an app of aws-cdk-lib with the same resources.
 *
 * @see https://docs.aws.amazon.com/solutions/latest/constructs/
 */
export interface Pattern {
  readonly fill: (stack: Stack) => void;
  /** Sends a message in. It reaches the queue or function `End`. @default - the pattern ends in a stand-in */
  readonly send?: (deployed: Deployed) => unknown;
}

/** Calls an AWS service with the SDK that every Node.js runtime has. */
const calling = (client: string, command: string, input: string): string =>
  `const sdk = require('@aws-sdk/client-${client}');
   const client = new sdk[Object.keys(sdk).find(name => name.endsWith('Client') && !name.startsWith('__'))]();
   exports.handler = async () => { await client.send(new sdk.${command}(${input})); };`;

const fn = (
  stack: Stack,
  id: string,
  code = 'exports.handler = async () => ({ body: "" });',
  target = '',
): LambdaFunction =>
  inlineFunction(stack, id, code, { timeout: Duration.seconds(10), environment: { TARGET: target } });

// What a pattern begins or ends with.
const endFunction = (stack: Stack): LambdaFunction => fn(stack, 'End');
const endQueue = (stack: Stack): Queue => new Queue(stack, 'End');
const topicToEnd = (stack: Stack): Topic => {
  const topic = new Topic(stack, 'Topic');
  topic.addSubscription(new SqsSubscription(endQueue(stack)));
  return topic;
};
const table = (stack: Stack): Table =>
  new Table(stack, 'Table', {
    partitionKey: { name: 'id', type: AttributeType.STRING },
    stream: StreamViewType.NEW_IMAGE,
  });
const stream = (stack: Stack): Stream => new Stream(stack, 'Stream');
const machine = (stack: Stack): StateMachine =>
  new StateMachine(stack, 'Machine', { definitionBody: DefinitionBody.fromChainable(new Pass(stack, 'Pass')) });
const bucket = (stack: Stack): Bucket => new Bucket(stack, 'Bucket');
const firehose = (stack: Stack, source?: Stream): DeliveryStream =>
  new DeliveryStream(stack, 'Delivery', {
    destination: new S3Bucket(bucket(stack)),
    ...(source && { source: new KinesisStreamSource(source) }),
  });
const roleOf = (stack: Stack, service: string): Role =>
  new Role(stack, `Role-${service}`, { assumedBy: new ServicePrincipal(`${service}.amazonaws.com`) });

const rule = (stack: Stack, target: IRuleTarget): void => {
  new Rule(stack, 'Rule', { eventPattern: { source: ['shop'] }, targets: [target] });
};

/** A REST API that calls an action of a service. */
const serviceApi = (
  stack: Stack,
  service: string,
  action: string,
  grant: (to: IGrantable) => unknown,
  template: string,
): void => {
  const credentialsRole = roleOf(stack, 'apigateway');
  grant(credentialsRole);
  const integration = new apigateway.AwsIntegration({
    service,
    action,
    options: {
      credentialsRole,
      requestParameters: { 'integration.request.header.Content-Type': "'application/x-www-form-urlencoded'" },
      requestTemplates: { 'application/json': template },
      integrationResponses: [{ statusCode: '200' }],
    },
  });
  const api = new apigateway.RestApi(stack, 'Api', { cloudWatchRole: false });
  api.root.addMethod('POST', integration, { methodResponses: [{ statusCode: '200' }] });
};
const lambdaApi = (stack: Stack, more: Partial<apigateway.LambdaRestApiProps> = {}): apigateway.RestApi =>
  new apigateway.LambdaRestApi(stack, 'Api', { handler: endFunction(stack), cloudWatchRole: false, ...more });

const iotRule = (stack: Stack, action: CfnTopicRule.ActionProperty): void => {
  new CfnTopicRule(stack, 'IotRule', { topicRulePayload: { sql: 'SELECT *', actions: [action] } });
};

/** A service of containers that may use something. */
const fargate = (stack: Stack, grant: (to: IGrantable) => unknown): void => {
  const taskDefinition = new FargateTaskDefinition(stack, 'Task');
  taskDefinition.addContainer('App', { image: ContainerImage.fromRegistry('app') });
  const cluster = new Cluster(stack, 'Cluster', { vpc: new Vpc(stack, 'Vpc') });
  new FargateService(stack, 'Service', { cluster, taskDefinition });
  grant(taskDefinition.taskRole);
};

const pipe = (stack: Stack, source: string, parameters: object = {}): void => {
  const target = machine(stack).stateMachineArn;
  new CfnPipe(stack, 'Pipe', { source, target, roleArn: roleOf(stack, 'pipes').roleArn, ...parameters });
};

/** A function that uses something whose name is in its environment. */
const using = (stack: Stack, target: string, grant: (to: IGrantable) => unknown, code?: string): void => {
  grant(fn(stack, 'Start', code, target));
};

/** A function that calls a service of machine learning about objects in a bucket; the service tells a topic when it is done. */
const analyzing = (stack: Stack, action: string): void => {
  const it = topicToEnd(stack);
  const statement = new PolicyStatement({ actions: [action], resources: ['*'] });
  using(stack, it.topicArn, to => {
    bucket(stack).grantReadWrite(to);
    it.grantPublish(to);
    to.grantPrincipal.addToPrincipalPolicy(statement);
  });
};

const elasticsearch = (stack: Stack): void => {
  new UserPool(stack, 'Users').addDomain('Login', { cognitoDomain: { domainPrefix: 'kibana' } });
  new CfnElasticsearch(stack, 'Search', { elasticsearchVersion: '7.10' });
};

const sageMaker = (stack: Stack): string => {
  const productionVariants = [{ modelName: 'm', variantName: 'v', initialVariantWeight: 1 }];
  const { attrEndpointConfigName } = new CfnEndpointConfig(stack, 'Settings', { productionVariants });
  return new CfnEndpoint(stack, 'Endpoint', { endpointConfigName: attrEndpointConfigName }).attrEndpointName;
};

// Senders.
const post = ({ aws }: Deployed) => aws.request('POST', aws.state().apis[0]?.url ?? '', '{"id":"1"}');
const invoke = ({ aws }: Deployed) =>
  new LambdaClient(aws.clientConfig()).send(new InvokeCommand({ FunctionName: aws.resource('Test/Start').ref }));
const busEvent = ({ aws }: Deployed) => aws.emit.event({ source: 'shop', detailType: 'Sold', detail: {} });
const upload = ({ aws }: Deployed) => aws.emit.s3({ bucket: 'Test/Bucket', key: 'a' });
const publish = ({ aws }: Deployed) => aws.publish('Test/Topic', 'hello');
const insert = ({ aws }: Deployed) => {
  const id = { id: { S: '1' } };
  return aws.emit.dynamoDb({ table: 'Test/Table', records: [{ event: 'INSERT', keys: id, newImage: id }] });
};
const start = { startingPosition: 'LATEST' as never };

/** By the names of their packages, `@aws-solutions-constructs/<name>`. */
export const PATTERNS: Readonly<Record<string, Pattern>> = {
  'aws-alb-lambda': {
    fill: s => {
      const balancer = new ApplicationLoadBalancer(s, 'Balancer', { vpc: new Vpc(s, 'Vpc') });
      balancer.addListener('Http', { port: 80 }).addTargets('End', { targets: [new LambdaTarget(endFunction(s))] });
    },
  },
  'aws-apigateway-dynamodb': {
    fill: s => {
      const it = table(s);
      serviceApi(s, 'dynamodb', 'PutItem', to => it.grantWriteData(to), '{}');
    },
  },
  'aws-apigateway-iot': { fill: s => serviceApi(s, 'iotdata', 'Publish', () => undefined, '{}') },
  'aws-apigateway-kinesisstreams': {
    fill: s => {
      const it = stream(s);
      serviceApi(s, 'kinesis', 'PutRecord', to => it.grantWrite(to), '{}');
    },
  },
  'aws-apigateway-lambda': { fill: s => void lambdaApi(s), send: post },
  'aws-apigateway-sagemakerendpoint': {
    fill: s => {
      const grant = (to: IGrantable) =>
        to.grantPrincipal.addToPrincipalPolicy(
          new PolicyStatement({
            actions: ['sagemaker:InvokeEndpoint'],
            resources: [`arn:aws:sagemaker:*:*:${sageMaker(s)}`],
          }),
        );
      serviceApi(s, 'runtime.sagemaker', 'InvokeEndpoint', grant, '{}');
    },
  },
  'aws-apigateway-sqs': {
    fill: s => {
      const it = endQueue(s);
      const body = `Action=SendMessage&QueueUrl=$util.urlEncode('${it.queueUrl}')&MessageBody=$util.urlEncode($input.body)`;
      serviceApi(s, 'sqs', 'SendMessage', to => it.grantSendMessages(to), body);
    },
    send: post,
  },
  'aws-apigatewayv2websocket-sqs': {
    fill: s => {
      endQueue(s);
      const integration = new WebSocketLambdaIntegration('Connect', fn(s, 'Start'));
      new WebSocketApi(s, 'Api', { connectRouteOptions: { integration } });
    },
  },
  'aws-cloudfront-apigateway': {
    fill: s => void new Distribution(s, 'Site', { defaultBehavior: { origin: new RestApiOrigin(lambdaApi(s)) } }),
    send: post,
  },
  'aws-cloudfront-apigateway-lambda': {
    fill: s => void new Distribution(s, 'Site', { defaultBehavior: { origin: new RestApiOrigin(lambdaApi(s)) } }),
    send: post,
  },
  'aws-cloudfront-oai-s3': {
    fill: s => {
      const settings = { comment: 'reads the bucket' };
      new CfnCloudFrontOriginAccessIdentity(s, 'Identity', { cloudFrontOriginAccessIdentityConfig: settings });
      new Distribution(s, 'Site', { defaultBehavior: { origin: S3BucketOrigin.withOriginAccessIdentity(bucket(s)) } });
    },
  },
  'aws-cloudfront-s3': {
    fill: s =>
      void new Distribution(s, 'Site', {
        defaultBehavior: { origin: S3BucketOrigin.withOriginAccessControl(bucket(s)) },
      }),
  },
  'aws-cognito-apigateway-lambda': {
    fill: s => {
      const authorizer = new apigateway.CognitoUserPoolsAuthorizer(s, 'Pool', {
        cognitoUserPools: [new UserPool(s, 'Users')],
      });
      lambdaApi(s, { defaultMethodOptions: { authorizer } });
    },
    send: post,
  },
  'aws-dynamodbstreams-lambda': {
    fill: s => endFunction(s).addEventSource(new DynamoEventSource(table(s), start)),
    send: insert,
  },
  'aws-dynamodbstreams-lambda-elasticsearch-kibana': {
    fill: s => {
      endFunction(s).addEventSource(new DynamoEventSource(table(s), start));
      elasticsearch(s);
    },
    send: insert,
  },
  'aws-dynamodbstreams-pipes-stepfunctions': {
    fill: s => pipe(s, table(s).tableStreamArn ?? '', { sourceParameters: { dynamoDbStreamParameters: start } }),
  },
  'aws-eventbridge-kinesisfirehose-s3': { fill: s => rule(s, new targets.FirehoseDeliveryStream(firehose(s))) },
  'aws-eventbridge-kinesisstreams': { fill: s => rule(s, new targets.KinesisStream(stream(s))) },
  'aws-eventbridge-lambda': { fill: s => rule(s, new targets.LambdaFunction(endFunction(s))), send: busEvent },
  'aws-eventbridge-sns': { fill: s => rule(s, new targets.SnsTopic(topicToEnd(s))), send: busEvent },
  'aws-eventbridge-sqs': { fill: s => rule(s, new targets.SqsQueue(endQueue(s))), send: busEvent },
  'aws-eventbridge-stepfunctions': { fill: s => rule(s, new targets.SfnStateMachine(machine(s))) },
  'aws-fargate-dynamodb': { fill: s => fargate(s, to => table(s).grantReadWriteData(to)) },
  'aws-fargate-eventbridge': { fill: s => fargate(s, to => new EventBus(s, 'Bus').grantPutEventsTo(to, 'grant')) },
  'aws-fargate-kinesisfirehose': { fill: s => fargate(s, to => firehose(s).grantPutRecords(to)) },
  'aws-fargate-kinesisstreams': { fill: s => fargate(s, to => stream(s).grantWrite(to)) },
  'aws-fargate-s3': { fill: s => fargate(s, to => bucket(s).grantReadWrite(to)) },
  'aws-fargate-sns': { fill: s => fargate(s, to => topicToEnd(s).grantPublish(to)), send: publish },
  'aws-fargate-sqs': { fill: s => fargate(s, to => endQueue(s).grantSendMessages(to)) },
  'aws-fargate-stepfunctions': { fill: s => fargate(s, to => machine(s).grantStartExecution(to)) },
  'aws-iot-kinesisfirehose-s3': {
    fill: s =>
      iotRule(s, {
        firehose: { deliveryStreamName: firehose(s).deliveryStreamName, roleArn: roleOf(s, 'iot').roleArn },
      }),
  },
  'aws-iot-kinesisstreams': {
    fill: s => iotRule(s, { kinesis: { streamName: stream(s).streamName, roleArn: roleOf(s, 'iot').roleArn } }),
  },
  'aws-iot-lambda': { fill: s => iotRule(s, { lambda: { functionArn: endFunction(s).functionArn } }) },
  'aws-iot-lambda-dynamodb': {
    fill: s => {
      const worker = endFunction(s);
      table(s).grantReadWriteData(worker);
      iotRule(s, { lambda: { functionArn: worker.functionArn } });
    },
  },
  'aws-iot-s3': {
    fill: s => iotRule(s, { s3: { bucketName: bucket(s).bucketName, key: 'k', roleArn: roleOf(s, 'iot').roleArn } }),
  },
  'aws-iot-sqs': {
    fill: s => iotRule(s, { sqs: { queueUrl: endQueue(s).queueUrl, roleArn: roleOf(s, 'iot').roleArn } }),
  },
  'aws-kinesisfirehose-s3': { fill: s => void firehose(s) },
  'aws-kinesisfirehose-s3-and-kinesisanalytics': {
    fill: s => {
      const kinesisFirehoseInput = {
        resourceArn: firehose(s).deliveryStreamArn,
        roleArn: roleOf(s, 'kinesisanalytics').roleArn,
      };
      const recordColumns = [{ name: 'id', sqlType: 'INTEGER' }];
      const inputSchema = { recordColumns, recordFormat: { recordFormatType: 'JSON' } };
      new CfnApplication(s, 'Analytics', { inputs: [{ namePrefix: 'IN', inputSchema, kinesisFirehoseInput }] });
    },
  },
  'aws-kinesisstreams-gluejob': {
    fill: s => {
      const role = roleOf(s, 'glue');
      stream(s).grantRead(role);
      new CfnJob(s, 'Job', {
        role: role.roleArn,
        command: { name: 'gluestreaming', scriptLocation: bucket(s).s3UrlForObject('job.py') },
      });
    },
  },
  'aws-kinesisstreams-kinesisfirehose-s3': { fill: s => void firehose(s, stream(s)) },
  'aws-kinesisstreams-lambda': {
    fill: s => endFunction(s).addEventSource(new KinesisEventSource(stream(s), start)),
    send: ({ aws }) => aws.emit.kinesis({ stream: 'Test/Stream', records: [{ partitionKey: 'a', data: 'hello' }] }),
  },
  'aws-lambda-bedrockinferenceprofile': {
    fill: s => {
      const profile = new CfnApplicationInferenceProfile(s, 'Profile', {
        inferenceProfileName: 'fast',
        modelSource: { copyFrom: 'arn:aws:bedrock:us-east-1::foundation-model/amazon.nova-lite-v1:0' },
      });
      using(s, profile.attrInferenceProfileArn, () => undefined);
    },
  },
  'aws-lambda-comprehend': { fill: s => analyzing(s, 'comprehend:DetectSentiment') },
  'aws-lambda-dynamodb': { fill: s => using(s, '', to => table(s).grantReadWriteData(to)) },
  'aws-lambda-elasticachememcached': {
    fill: s => {
      const cluster = new CfnCacheCluster(s, 'Cache', {
        cacheNodeType: 'cache.t4g.micro',
        engine: 'memcached',
        numCacheNodes: 2,
      });
      using(s, cluster.attrConfigurationEndpointAddress, () => undefined);
    },
  },
  'aws-lambda-elasticsearch-kibana': {
    fill: s => {
      endFunction(s);
      elasticsearch(s);
    },
  },
  'aws-lambda-eventbridge': {
    fill: s => {
      rule(s, new targets.SqsQueue(endQueue(s)));
      const bus = EventBus.fromEventBusName(s, 'Bus', 'default');
      const entry = "{ Entries: [{ Source: 'shop', DetailType: 'Sold', Detail: '{}' }] }";
      using(s, '', to => bus.grantPutEventsTo(to, 'grant'), calling('eventbridge', 'PutEventsCommand', entry));
    },
    send: invoke,
  },
  'aws-lambda-kendra': {
    fill: s => {
      const { attrId } = new CfnIndex(s, 'Index', {
        edition: 'DEVELOPER_EDITION',
        name: 'i',
        roleArn: roleOf(s, 'kendra').roleArn,
      });
      using(s, attrId, () => undefined);
    },
  },
  'aws-lambda-kinesisfirehose': { fill: s => using(s, '', to => firehose(s).grantPutRecords(to)) },
  'aws-lambda-kinesisstreams': { fill: s => using(s, '', to => stream(s).grantWrite(to)) },
  'aws-lambda-opensearch': {
    fill: s =>
      using(s, '', to => new Domain(s, 'Domain', { version: EngineVersion.OPENSEARCH_2_19 }).grantReadWrite(to)),
  },
  'aws-lambda-polly': { fill: s => analyzing(s, 'polly:SynthesizeSpeech') },
  'aws-lambda-s3': { fill: s => using(s, '', to => bucket(s).grantReadWrite(to)) },
  'aws-lambda-sagemakerendpoint': { fill: s => using(s, sageMaker(s), () => undefined) },
  'aws-lambda-secretsmanager': { fill: s => using(s, '', to => new Secret(s, 'Secret').grantRead(to)) },
  'aws-lambda-sns': {
    fill: s => {
      const it = topicToEnd(s);
      const input = "{ TopicArn: process.env.TARGET, Message: 'hello' }";
      using(s, it.topicArn, to => it.grantPublish(to), calling('sns', 'PublishCommand', input));
    },
    send: invoke,
  },
  'aws-lambda-sqs': {
    fill: s => {
      const it = endQueue(s);
      const input = "{ QueueUrl: process.env.TARGET, MessageBody: 'hello' }";
      using(s, it.queueUrl, to => it.grantSendMessages(to), calling('sqs', 'SendMessageCommand', input));
    },
    send: invoke,
  },
  'aws-lambda-sqs-lambda': {
    fill: s => {
      const it = new Queue(s, 'Queue');
      endFunction(s).addEventSource(new SqsEventSource(it));
      const input = "{ QueueUrl: process.env.TARGET, MessageBody: 'hello' }";
      using(s, it.queueUrl, to => it.grantSendMessages(to), calling('sqs', 'SendMessageCommand', input));
    },
    send: invoke,
  },
  'aws-lambda-ssmstringparameter': {
    fill: s => using(s, '', to => new StringParameter(s, 'Parameter', { stringValue: 'x' }).grantRead(to)),
  },
  'aws-lambda-stepfunctions': { fill: s => using(s, '', to => machine(s).grantStartExecution(to)) },
  'aws-lambda-textract': { fill: s => analyzing(s, 'textract:StartDocumentAnalysis') },
  'aws-lambda-transcribe': { fill: s => analyzing(s, 'transcribe:StartTranscriptionJob') },
  'aws-lambda-translate': { fill: s => analyzing(s, 'translate:TranslateText') },
  'aws-openapigateway-lambda': { fill: s => void lambdaApi(s), send: post },
  'aws-route53-apigateway': {
    fill: s => {
      const zone = new PublicHostedZone(s, 'Zone', { zoneName: 'example.com' });
      const certificate = new Certificate(s, 'Certificate', { domainName: 'api.example.com' });
      const api = lambdaApi(s, {
        domainName: { domainName: 'api.example.com', certificate },
      });
      new ARecord(s, 'Alias', { zone, target: RecordTarget.fromAlias(new ApiGateway(api)) });
    },
    send: post,
  },
  'aws-s3-lambda': {
    fill: s =>
      bucket(s).addEventNotification(EventType.OBJECT_CREATED, new notifications.LambdaDestination(endFunction(s))),
    send: upload,
  },
  'aws-s3-sns': {
    fill: s =>
      bucket(s).addEventNotification(EventType.OBJECT_CREATED, new notifications.SnsDestination(topicToEnd(s))),
    send: upload,
  },
  'aws-s3-sqs': {
    fill: s => bucket(s).addEventNotification(EventType.OBJECT_CREATED, new notifications.SqsDestination(endQueue(s))),
    send: upload,
  },
  'aws-s3-stepfunctions': {
    fill: s => {
      bucket(s).enableEventBridgeNotification();
      new Rule(s, 'Rule', { eventPattern: { source: ['aws.s3'] }, targets: [new targets.SfnStateMachine(machine(s))] });
    },
  },
  'aws-sns-lambda': {
    fill: s => void new Topic(s, 'Topic').addSubscription(new LambdaSubscription(endFunction(s))),
    send: publish,
  },
  'aws-sns-sqs': { fill: s => void topicToEnd(s), send: publish },
  'aws-sqs-lambda': {
    fill: s => endFunction(s).addEventSource(new SqsEventSource(new Queue(s, 'Queue'))),
    send: ({ aws, sqs }) =>
      sqs.send(new SendMessageCommand({ QueueUrl: aws.resource('Test/Queue').ref, MessageBody: 'hello' })),
  },
  'aws-sqs-pipes-stepfunctions': { fill: s => pipe(s, endQueue(s).queueArn) },
  'aws-wafwebacl-apigateway': {
    fill: s => {
      const visibilityConfig = { cloudWatchMetricsEnabled: true, metricName: 'm', sampledRequestsEnabled: true };
      const acl = new CfnWebACL(s, 'Acl', { defaultAction: { allow: {} }, scope: 'REGIONAL', visibilityConfig });
      const resourceArn = lambdaApi(s).deploymentStage.stageArn;
      new CfnWebACLAssociation(s, 'Association', { resourceArn, webAclArn: acl.attrArn });
    },
    send: post,
  },
};
