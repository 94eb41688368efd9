import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type App, CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import * as apigateway from 'aws-cdk-lib/aws-apigateway';
import { Alarm, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { LoggingProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { RentalOrdersStack } from '../../examples/rental';
import { type Ratio, type Row, sideBySide } from './measure';
import { synthesized } from './synthesized';

const ROUNDS = 7;

function resourceTypes(assembly: string, stack: string): string[] {
  const template = JSON.parse(readFileSync(path.join(assembly, `${stack}.template.json`), 'utf8')) as {
    Resources: Record<string, { Type: string }>;
  };
  return Object.values(template.Resources)
    .map(({ Type }) => Type)
    .sort();
}

/** The bundle of the billing function, as built. */
const CODE = path.resolve(__dirname, '../lambda/rental-billing');

async function synthesis(): Promise<Ratio> {
  const ours = (app: App): void => {
    new RentalOrdersStack(app, 'RentalOrders', { rentalOrders: { opsEmail: 'ops@example.com' } });
  };
  const plain = (app: App): void => plainRentalStack(app, CODE);
  const count = (fill: (app: App) => void, stack: string) => synthesized(fill, dir => resourceTypes(dir, stack).length);
  const [measuredMs, againstMs] = await sideBySide(
    ROUNDS,
    () => synthesized(ours, () => {}),
    () => synthesized(plain, () => {}),
  );
  return {
    what: `synthesis of RentalOrders (${await count(ours, 'RentalOrders')} resources)`,
    measuredMs,
    against: `the same kinds as plain L2s (${await count(plain, 'PlainRental')} resources)`,
    againstMs,
  };
}

/** Adds the same resources as `RentalOrders`, written with plain L2 constructs. */
function plainRentalStack(app: App, code: string): void {
  const stack = new Stack(app, 'PlainRental');
  const masterKey = new Key(stack, 'Key', { enableKeyRotation: true });
  new Alias(stack, 'KeyAlias', { aliasName: 'alias/plain-rental', targetKey: masterKey });
  const queue = (id: string, deadLetterQueue?: Queue): Queue =>
    new Queue(stack, id, {
      encryptionMasterKey: masterKey,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      ...(deadLetterQueue && { deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 3 } }),
    });
  const fulfilmentDlq = queue('FulfilmentDlq');
  const billingDlq = queue('BillingDlq');
  const fulfilmentFanoutDlq = queue('FulfilmentFanoutDlq');
  const billingFanoutDlq = queue('BillingFanoutDlq');
  const fulfilment = queue('Fulfilment', fulfilmentDlq);

  const billingLog = new LogGroup(stack, 'BillingLog');
  const billing = new LambdaFunction(stack, 'Billing', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromAsset(code),
    deadLetterQueue: billingDlq,
    logGroup: billingLog,
  });

  const topic = new Topic(stack, 'Orders', { masterKey, enforceSSL: true });
  const ops = new Topic(stack, 'Ops', { masterKey, enforceSSL: true });
  ops.addSubscription(new EmailSubscription('ops@example.com'));
  topic.addSubscription(new SqsSubscription(fulfilment, { deadLetterQueue: fulfilmentFanoutDlq }));
  topic.addSubscription(new LambdaSubscription(billing, { deadLetterQueue: billingFanoutDlq }));
  const feedback = new Role(stack, 'Feedback', { assumedBy: new ServicePrincipal('sns.amazonaws.com') });
  feedback.addToPolicy(new PolicyStatement({ actions: ['logs:PutLogEvents'], resources: ['*'] }));
  for (const protocol of [LoggingProtocol.SQS, LoggingProtocol.LAMBDA]) {
    topic.addLoggingConfig({ protocol, failureFeedbackRole: feedback, successFeedbackRole: feedback });
  }
  for (const name of ['Success', 'Failure', 'Access']) new LogGroup(stack, `${name}Log`);
  new ManagedPolicy(stack, 'Consumer', {
    statements: [new PolicyStatement({ actions: ['sqs:ReceiveMessage'], resources: [fulfilment.queueArn] })],
  });
  alarms(stack, ops, [fulfilment, fulfilmentDlq, billingDlq, fulfilmentFanoutDlq, billingFanoutDlq], topic, billing);
  api(stack, topic);
}

function alarms(stack: Stack, ops: Topic, queues: readonly Queue[], topic: Topic, billing: LambdaFunction): void {
  const metrics: IMetric[] = [
    ...queues.flatMap(queue => [queue.metricNumberOfMessagesSent(), queue.metricApproximateAgeOfOldestMessage()]),
    topic.metricNumberOfNotificationsFailed(),
    ...['DeadLetterErrors', 'AsyncEventsDropped', 'RecursiveInvocationsDropped'].map(name => billing.metric(name)),
  ];
  metrics.forEach((metric, i) => {
    new Alarm(stack, `Alarm${i}`, { metric, threshold: 0, evaluationPeriods: 1 }).addAlarmAction(new SnsAction(ops));
  });
}

function api(stack: Stack, topic: Topic): void {
  const credentialsRole = new Role(stack, 'ApiRole', { assumedBy: new ServicePrincipal('apigateway.amazonaws.com') });
  topic.grantPublish(credentialsRole);
  const rest = new apigateway.RestApi(stack, 'Api', { cloudWatchRole: true });
  const model = rest.addModel('Order', { schema: { type: apigateway.JsonSchemaType.OBJECT } });
  const integration = new apigateway.AwsIntegration({ service: 'sns', path: '/', options: { credentialsRole } });
  rest.root.addResource('orders').addMethod('POST', integration, {
    authorizationType: apigateway.AuthorizationType.IAM,
    requestModels: { 'application/json': model },
    requestValidatorOptions: { validateRequestBody: true },
  });
  new CfnOutput(stack, 'OrdersUrl', { value: rest.urlForPath('/orders') });
}

export const ROWS: readonly Row[] = [synthesis];
