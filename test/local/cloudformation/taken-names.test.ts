import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Alarm, AlarmRule, CompositeAlarm, Dashboard, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnAlias, Key } from 'aws-cdk-lib/aws-kms';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, LogStream, MetricFilter, QueryDefinition, QueryString } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule, CfnScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import type { Construct } from 'constructs';
import { AssemblyError, LocalAws } from '../../../local';
import { assemblyOf } from '../../support/assembly';

const lateness = new Metric({ namespace: 'Shop', metricName: 'Lateness' });

const alarm = (scope: Construct, alarmName: string) =>
  new Alarm(scope, 'Alarm', { alarmName, metric: lateness, threshold: 1, evaluationPeriods: 1 });

async function problemsOf(fill: (stack: Stack) => void, fillSecond = fill): Promise<readonly string[]> {
  const assembly = assemblyOf(app => {
    const first = new Stack(app, 'First');
    fill(first);
    const second = new Stack(app, 'Second');
    second.addStackDependency(first);
    fillSecond(second);
  });
  const deployed = await LocalAws.deploy(assembly).catch((error: unknown) => error);
  if (deployed instanceof AssemblyError) return deployed.problems;
  if (!(deployed instanceof LocalAws)) throw deployed;
  await deployed.close();
  return [];
}

const taken = (type: string, identifier: string): string =>
  `Resource of type '${type}' with identifier '${identifier}' already exists.`;

test.each<[string, (stack: Stack) => unknown, string]>([
  ['an alarm', stack => alarm(stack, 'late'), taken('AWS::CloudWatch::Alarm', 'late')],
  [
    'a composite alarm',
    stack => new CompositeAlarm(stack, 'Any', { compositeAlarmName: 'any', alarmRule: AlarmRule.fromBoolean(true) }),
    taken('AWS::CloudWatch::CompositeAlarm', 'any'),
  ],
  [
    'a dashboard',
    stack => new Dashboard(stack, 'Ops', { dashboardName: 'Ops' }),
    taken('AWS::CloudWatch::Dashboard', 'Ops'),
  ],
  [
    'a rule',
    stack => new Rule(stack, 'Rule', { ruleName: 'nightly', eventPattern: { source: ['shop'] } }),
    taken('AWS::Events::Rule', 'nightly'),
  ],
  ['an event bus', stack => new EventBus(stack, 'Bus', { eventBusName: 'shop' }), 'Event bus shop already exists.'],
  ['a queue', stack => new Queue(stack, 'Queue', { queueName: 'orders' }), taken('AWS::SQS::Queue', 'orders')],
  ['a topic', stack => new Topic(stack, 'Topic', { topicName: 'orders' }), taken('AWS::SNS::Topic', 'orders')],
  [
    'a log group',
    stack => new LogGroup(stack, 'Logs', { logGroupName: '/shop', removalPolicy: RemovalPolicy.DESTROY }),
    taken('AWS::Logs::LogGroup', '{"/properties/LogGroupName":"/shop"}'),
  ],
  [
    'a log stream',
    stack =>
      new LogStream(stack, 'Stream', {
        logGroup: stack.stackName === 'First' ? new LogGroup(stack, 'G', { logGroupName: '/g' }) : imported(stack),
        logStreamName: 's',
      }),
    'The specified log stream already exists',
  ],
  [
    'a metric filter',
    stack =>
      new MetricFilter(stack, 'Filter', {
        logGroup: stack.stackName === 'First' ? new LogGroup(stack, 'G', { logGroupName: '/g' }) : imported(stack),
        filterName: 'errors',
        filterPattern: { logPatternString: 'ERROR' },
        metricNamespace: 'Shop',
        metricName: 'Errors',
      }),
    taken('AWS::Logs::MetricFilter', '{"/properties/LogGroupName":"/g","/properties/FilterName":"errors"}'),
  ],
  [
    'a function',
    stack =>
      new CfnFunction(stack, 'Function', {
        functionName: 'f',
        role: role(stack).roleArn,
        code: { zipFile: 'exports.handler = async () => {};' },
        handler: 'index.handler',
        runtime: 'nodejs22.x',
      }),
    'Function already exist: f',
  ],
  [
    'a schedule',
    stack =>
      new CfnSchedule(stack, 'Schedule', {
        name: 'nightly',
        scheduleExpression: 'rate(1 day)',
        flexibleTimeWindow: { mode: 'OFF' },
        target: { arn: new Queue(stack, 'Target').queueArn, roleArn: role(stack, 'scheduler.amazonaws.com').roleArn },
      }),
    'Schedule nightly already exists.',
  ],
  [
    'a schedule group',
    stack => new CfnScheduleGroup(stack, 'Group', { name: 'nights' }),
    'Schedule group nights already exists.',
  ],
  [
    'a role',
    stack => new Role(stack, 'Role', { roleName: 'r', assumedBy: new ServicePrincipal('lambda.amazonaws.com') }),
    'Role with name r already exists.',
  ],
  [
    'a managed policy',
    stack =>
      new ManagedPolicy(stack, 'Policy', {
        managedPolicyName: 'p',
        statements: [new PolicyStatement({ actions: ['sqs:*'], resources: ['*'] })],
      }),
    'A policy called p already exists. Duplicate names are not allowed.',
  ],
  [
    'an alias of a key',
    stack => new CfnAlias(stack, 'Alias', { aliasName: 'alias/a', targetKeyId: new Key(stack, 'Key').keyId }),
    'An alias with the name arn:aws:kms:us-east-1:123456789012:alias/a already exists',
  ],
  [
    'a secret',
    stack => new Secret(stack, 'Secret', { secretName: 's' }),
    'The operation failed because the secret s already exists.',
  ],
  [
    'a parameter',
    stack => new StringParameter(stack, 'Parameter', { parameterName: '/p', stringValue: 'v' }),
    'The parameter already exists.',
  ],
])('CloudFormation refuses to create %s whose name another stack has taken', async (_, fill, text) => {
  expect(await problemsOf(fill)).toEqual([
    expect.stringMatching(new RegExp(`^Second.*${text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}`)),
  ]);
});

test('a metric alarm and a composite one share their names', async () => {
  const composite = (stack: Stack): void => {
    new CompositeAlarm(stack, 'Any', { compositeAlarmName: 'late', alarmRule: AlarmRule.fromBoolean(true) });
  };
  expect(await problemsOf(stack => void alarm(stack, 'late'), composite)).toEqual([
    expect.stringContaining(taken('AWS::CloudWatch::CompositeAlarm', 'late')),
  ]);
});

test('rules of one name on two buses, query definitions of one name, and what CloudFormation names are created', async () => {
  const fill = (stack: Stack): void => {
    const bus = new EventBus(stack, 'Bus', { eventBusName: stack.stackName });
    new Rule(stack, 'Rule', { eventBus: bus, ruleName: 'nightly', eventPattern: { source: ['shop'] } });
    // Its handler only puts: aws-cloudformation-resource-providers-logs, aws-logs-querydefinition.
    new QueryDefinition(stack, 'Query', {
      queryDefinitionName: 'errors',
      queryString: new QueryString({ fields: ['@message'] }),
    });
    new Alarm(stack, 'Alarm', { metric: lateness, threshold: 1, evaluationPeriods: 1 });
    new Queue(stack, 'Queue');
  };
  expect(await problemsOf(fill)).toEqual([]);
});

const imported = (stack: Stack) => LogGroup.fromLogGroupName(stack, 'G', '/g');

const role = (stack: Stack, service = 'lambda.amazonaws.com') =>
  new Role(stack, 'Role', { assumedBy: new ServicePrincipal(service) });
