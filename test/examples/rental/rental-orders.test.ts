import { RemovalPolicy } from 'aws-cdk-lib';
import { Match } from 'aws-cdk-lib/assertions';
import { ManagedPolicy, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { RentalBilling, RentalOrders, type RentalOrdersProps, RentalOrdersStack } from '../../../examples/rental';
import { newApp, newStack, only, problemsOf, templateOf, warningIds } from '../../lib/support';

const WHOLE: RentalOrdersProps = {
  opsEmail: 'ops@example.com',
  billingEndpoint: 'https://billing.acme.test/v1/invoices',
};

function stackOf(props: RentalOrdersProps = WHOLE): RentalOrdersStack {
  return new RentalOrdersStack(newApp(), 'RentalOrders', { rentalOrders: props });
}

/** JSON in which an object or a list that fits takes one line. */
function jsonLines(value: unknown, indent = ''): string {
  const line = JSON.stringify(value);
  if (typeof value !== 'object' || value === null || line.length <= 120) return line;
  const deeper = `${indent}  `;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Object.entries(value).map(
    ([name, member]) => `${deeper}${Array.isArray(value) ? '' : `"${name}": `}${jsonLines(member, deeper)}`,
  );
  return [open, members.join(',\n'), indent + close].join('\n');
}

const stack = stackOf();
const template = templateOf(stack);

describe('RentalOrders', () => {
  test('has the names of the blog post', () => {
    const names = (type: string, property: string) =>
      Object.values(template.findResources(type)).map(({ Properties }) => Properties[property]);
    expect(names('AWS::SNS::Topic', 'TopicName').sort()).toEqual(['Rental-Ops', 'Rental-Orders']);
    expect(names('AWS::SQS::Queue', 'QueueName').sort()).toEqual([
      'Rental-Billing-DLQ',
      'Rental-Billing-Fanout-DLQ',
      'Rental-Fulfilment',
      'Rental-Fulfilment-DLQ',
      'Rental-Fulfilment-Fanout-DLQ',
    ]);
    expect(names('AWS::Lambda::Function', 'FunctionName')).toEqual(['Rental-Billing']);
  });

  test('takes another prefix for all of them', () => {
    const other = templateOf(stackOf({ ...WHOLE, namePrefix: 'Van-Hire' }));
    expect(JSON.stringify(other.findResources('AWS::SQS::Queue'))).toContain('Van-Hire-Billing-Fanout-DLQ');
    const named = [
      'AWS::SQS::Queue',
      'AWS::SNS::Topic',
      'AWS::Lambda::Function',
      'AWS::KMS::Alias',
      'AWS::CloudWatch::Alarm',
      'AWS::CloudWatch::Dashboard',
    ];
    for (const type of named) expect(JSON.stringify(other.findResources(type))).not.toMatch(/"(alias\/)?Rental-/);
  });

  test('fans out confirmed and canceled orders, each subscription to its own fan-out dead-letter queue', () => {
    for (const [protocol, queueName] of [
      ['sqs', 'Rental-Fulfilment-Fanout-DLQ'],
      ['lambda', 'Rental-Billing-Fanout-DLQ'],
    ]) {
      const [queue] = only(template, 'AWS::SQS::Queue', { Properties: { QueueName: queueName } });
      template.hasResourceProperties('AWS::SNS::Subscription', {
        Protocol: protocol,
        FilterPolicy: { 'order-status': ['confirmed', 'canceled'] },
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [queue, 'Arn'] } },
      });
    }
  });

  test('gives the fulfilment system 3 tries, and the function’s failures a queue', () => {
    const [fulfilmentDlq] = only(template, 'AWS::SQS::Queue', { Properties: { QueueName: 'Rental-Fulfilment-DLQ' } });
    template.hasResourceProperties('AWS::SQS::Queue', {
      QueueName: 'Rental-Fulfilment',
      RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [fulfilmentDlq, 'Arn'] }, maxReceiveCount: 3 },
    });
    const [billingDlq] = only(template, 'AWS::SQS::Queue', { Properties: { QueueName: 'Rental-Billing-DLQ' } });
    template.hasResourceProperties('AWS::Lambda::Function', {
      FunctionName: 'Rental-Billing',
      Architectures: ['arm64'],
      DeadLetterConfig: { TargetArn: { 'Fn::GetAtt': [billingDlq, 'Arn'] } },
      Environment: { Variables: { BILLING_URL: 'https://billing.acme.test/v1/invoices' } },
    });
  });

  test('encrypts topics and queues with one key, rotated, which SNS and CloudWatch may use', () => {
    const [key] = only(template, 'AWS::KMS::Key', { Properties: { EnableKeyRotation: true } });
    const KmsMasterKeyId = { 'Fn::GetAtt': [key, 'Arn'] };
    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId });
    template.allResourcesProperties('AWS::SNS::Topic', { KmsMasterKeyId });
    const grants = ['cloudwatch.amazonaws.com', 'sns.amazonaws.com'].map(Service =>
      Match.objectLike({ Principal: { Service } }),
    );
    template.hasResourceProperties('AWS::KMS::Key', { KeyPolicy: { Statement: Match.arrayWith(grants) } });
  });

  test.each([
    ['Rental-Fulfilment-Fanout-DLQ-Arrivals', 'NumberOfMessagesSent'],
    ['Rental-Billing-Fanout-DLQ-Arrivals', 'NumberOfMessagesSent'],
    ['Rental-Billing-DLQ-Arrivals', 'NumberOfMessagesSent'],
    ['Rental-Orders-Lost', 'NumberOfNotificationsFailedToRedriveToDlq'],
  ])('has the alarm %s on %s above 0, which tells the ops topic', (AlarmName, MetricName) => {
    const [ops] = only(template, 'AWS::SNS::Topic', { Properties: { TopicName: 'Rental-Ops' } });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      AlarmName,
      MetricName,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      AlarmActions: [{ Ref: ops }],
    });
  });

  test('gives every alarm an action', () => {
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) => Properties);
    expect(alarms.map(({ AlarmName }) => AlarmName).sort()).toEqual([
      'Rental-Billing-DLQ-Age',
      'Rental-Billing-DLQ-Arrivals',
      'Rental-Billing-Fanout-DLQ-Age',
      'Rental-Billing-Fanout-DLQ-Arrivals',
      'Rental-Billing-LostEvents',
      'Rental-Fulfilment-Age',
      'Rental-Fulfilment-DLQ-Age',
      'Rental-Fulfilment-DLQ-Growth',
      'Rental-Fulfilment-Fanout-DLQ-Age',
      'Rental-Fulfilment-Fanout-DLQ-Arrivals',
      'Rental-Orders-Lost',
    ]);
    expect(alarms.filter(({ AlarmActions }) => !AlarmActions)).toEqual([]);
  });

  test('has a dashboard with each of its dead-letter queues, and no more metrics than a free one has', () => {
    const [, { Properties }] = only(template, 'AWS::CloudWatch::Dashboard');
    expect(Properties['DashboardName']).toBe('Rental-Orders');
    const body = JSON.stringify(Properties['DashboardBody']);
    const queues = Object.entries(template.findResources('AWS::SQS::Queue'));
    expect(queues.filter(([id]) => !body.includes(`{"Fn::GetAtt":["${id}","QueueName"]}`))).toEqual([]);
    expect(body.split('AWS/').length - 1).toBeLessThanOrEqual(50);
  });

  test('logs successes and failures of both protocols', () => {
    const logging = ['sqs', 'lambda'].map(Protocol =>
      Match.objectLike({
        Protocol,
        SuccessFeedbackRoleArn: Match.anyValue(),
        SuccessFeedbackSampleRate: '100',
        FailureFeedbackRoleArn: Match.anyValue(),
      }),
    );
    template.hasResourceProperties('AWS::SNS::Topic', { TopicName: 'Rental-Orders', DeliveryStatusLogging: logging });
  });

  test('lets the fulfilment system receive orders, by a policy to attach or by a grant', () => {
    const statements = [
      Match.objectLike({ Action: Match.arrayWith(['sqs:ReceiveMessage', 'sqs:DeleteMessage']) }),
      Match.objectLike({ Action: 'kms:Decrypt' }),
    ];
    template.hasResourceProperties('AWS::IAM::ManagedPolicy', { PolicyDocument: { Statement: statements } });
    expect(stack.rentalOrders.fulfilmentConsumerPolicy).toBeInstanceOf(ManagedPolicy);
    const granted = newStack();
    const role = new Role(granted, 'Instance', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
    expect(new RentalOrders(granted, 'Rental', WHOLE).grantFulfilment(role).success).toBe(true);
    templateOf(granted).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: statements },
      Roles: [granted.resolve(role.roleName)],
    });
  });

  test('leaves nothing behind by default, and keeps key, queues and logs where told to retain', () => {
    const retained = templateOf(stackOf({ ...WHOLE, removalPolicy: RemovalPolicy.RETAIN }));
    const types = ['AWS::KMS::Key', 'AWS::SQS::Queue', 'AWS::Logs::LogGroup'];
    for (const type of types) {
      template.allResources(type, { DeletionPolicy: 'Delete' });
    }
    const kept = Object.values<{ Type: string; DeletionPolicy?: string }>(retained.toJSON().Resources)
      .filter(({ Type }) => types.includes(Type))
      .map(({ Type, DeletionPolicy }) => `${Type} ${DeletionPolicy}`);
    // The log of the function that creates the topic's log groups is never of use without the stack.
    expect(kept.filter(it => !it.endsWith(' Retain'))).toEqual(['AWS::Logs::LogGroup Delete']);
    retained.hasResourceProperties('Custom::DeliveryStatusLogGroups', { OnDelete: 'Keep' });
    template.hasResourceProperties('Custom::DeliveryStatusLogGroups', { OnDelete: 'Delete' });
  });

  test('warns where nobody would hear an alarm, or answer at the billing endpoint, and of nothing else', () => {
    expect(warningIds(stack)).toEqual([]);
    expect(warningIds(stackOf({}))).toEqual(['no-billing-endpoint', 'ops-topic-unheard']);
  });

  test('does not show the path of a wrong URL, which may hold a token', () => {
    const billingEndpoint = 'ftp://billing.example.com/token';
    expect(problemsOf(() => new RentalBilling(newStack(), 'Billing', { billingEndpoint }))).toContain(
      '  - billingEndpoint must be an absolute http or https URL, got "ftp://billing.example.com"',
    );
  });

  test('reports all that is wrong at once', () => {
    const props = { namePrefix: 'Rental Cars', billingEndpoint: 'billing.acme.test' };
    expect(problemsOf(() => new RentalOrders(newStack(), 'Rental', props))).toEqual([
      'Stack/Rental has 2 problems:',
      '  - namePrefix must be 1 to 50 alphanumeric characters, hyphens and underscores, got "Rental Cars"',
      '  - billingEndpoint must be an absolute http or https URL, got "17 characters that are not a URL"',
    ]);
  });

  test('leaves the logging role of the account alone where told to', () => {
    const alone = templateOf(stackOf({ ...WHOLE, setAccountLoggingRole: false }));
    alone.resourceCountIs('AWS::ApiGateway::Account', 0);
    template.resourceCountIs('AWS::ApiGateway::Account', 1);
  });

  describe('with its systems', () => {
    const around = templateOf(stackOf({ opsEmail: 'ops@example.com', systems: true }));

    test('starts the instance when it has its permissions, and reaches SQS and S3', () => {
      const [, group] = only(around, 'AWS::AutoScaling::AutoScalingGroup');
      const needed = ['AWS::EC2::VPCEndpoint', 'AWS::EC2::SubnetRouteTableAssociation'].flatMap(type =>
        Object.keys(around.findResources(type)),
      );
      const [policy] = only(around, 'AWS::IAM::Policy', {
        Properties: { PolicyName: Match.stringLikeRegexp('SystemRole') },
      });
      expect(group).toMatchObject({ DependsOn: expect.arrayContaining([policy, ...needed]) });
    });

    test('has no way to the internet, and no server for the billing system', () => {
      for (const type of ['NatGateway', 'InternetGateway', 'Instance']) around.resourceCountIs(`AWS::EC2::${type}`, 0);
      around.resourceCountIs('AWS::ApiGateway::RestApi', 2);
    });

    test('has no stub where there is a billing system', () => {
      templateOf(stackOf({ ...WHOLE, systems: true })).resourceCountIs('AWS::ApiGateway::RestApi', 1);
    });
  });

  test('has one custom resource, for the log groups of its topic', () => {
    const types = new Set(
      Object.values(template.toJSON().Resources as Record<string, { Type: string }>).map(({ Type }) => Type),
    );
    expect([...types].filter(type => /^(Custom::|AWS::CloudFormation::)/.test(type))).toEqual([
      'Custom::DeliveryStatusLogGroups',
    ]);
  });

  test('keeps its template: a changed logical id replaces a live resource, so read a difference before accepting it', () => {
    const json = template.toJSON() as { Resources: Record<string, { Properties?: object }> };
    const [dashboard, { Properties }] = only(template, 'AWS::CloudWatch::Dashboard');
    // The layout of the dashboard has its own test, and may change freely.
    const withoutBody = { ...json.Resources[dashboard], Properties: { ...Properties, DashboardBody: '<body>' } };
    const Resources = { ...json.Resources, [dashboard]: withoutBody };
    const text = jsonLines({ ...json, Resources })
      .replaceAll(/[0-9a-f]{64}\.zip/g, '<asset>.zip')
      .replaceAll(/\/blob\/v[^/]+\//g, '/blob/v<version>/')
      .replaceAll(/(RestApiDeployment[0-9A-F]{8})[0-9a-f]{32}/g, '$1<hash>');
    expect(text).toMatchSnapshot();
  });
});

describe('POST /orders', () => {
  const [, { Properties }] = only(template, 'AWS::ApiGateway::Method');
  const integration = Properties['Integration'] as Record<string, unknown>;

  test('wants a signature and a body that fits the model', () => {
    expect(Properties['AuthorizationType']).toBe('AWS_IAM');
    const [model] = only(template, 'AWS::ApiGateway::Model');
    expect(Properties['RequestModels']).toEqual({ 'application/json': { Ref: model } });
    template.hasResourceProperties('AWS::ApiGateway::RequestValidator', { ValidateRequestBody: true });
  });

  test('publishes the body, with its status as the attribute order-status', () => {
    const [topic] = only(template, 'AWS::SNS::Topic', { Properties: { TopicName: 'Rental-Orders' } });
    expect(integration['RequestTemplates']).toEqual({
      'application/json': {
        'Fn::Join': [
          '',
          [
            "Action=Publish&Version=2010-03-31&TopicArn=$util.urlEncode('",
            { Ref: topic },
            "')&Message=$util.urlEncode($input.body)&MessageAttributes.entry.1.Name=order-status&MessageAttributes.entry.1.Value.DataType=String&MessageAttributes.entry.1.Value.StringValue=$util.urlEncode($input.path('$.status'))",
          ],
        ],
      },
    });
    expect(integration['PassthroughBehavior']).toBe('NEVER');
  });

  test.each([
    [200, '200'],
    [400, '400'],
    [403, '500'],
    [404, '500'],
    [429, '503'],
    [500, '503'],
    [503, '503'],
  ])('answers what SNS answered %s with %s, by one pattern alone', (status, answered) => {
    const responses = integration['IntegrationResponses'] as { SelectionPattern?: string; StatusCode: string }[];
    const matching = responses.filter(({ SelectionPattern }) =>
      SelectionPattern ? new RegExp(`^(?:${SelectionPattern})$`).test(String(status)) : false,
    );
    const fallback = responses.filter(({ SelectionPattern }) => !SelectionPattern);
    expect((matching.length > 0 ? matching : fallback).map(({ StatusCode }) => StatusCode)).toEqual([answered]);
  });

  test('lets API Gateway publish to the topic with its key, and nothing more', () => {
    template.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: [
          { Action: 'sns:Publish', Effect: 'Allow', Resource: Match.objectLike({ Ref: Match.anyValue() }) },
          { Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Effect: 'Allow', Resource: Match.anyValue() },
        ],
      },
    });
  });

  test('can be granted', () => {
    const granted = newStack();
    const role = new Role(granted, 'Shop', { assumedBy: new ServicePrincipal('ec2.amazonaws.com') });
    expect(new RentalOrders(granted, 'Rental', WHOLE).api.grantPost(role).success).toBe(true);
    templateOf(granted).hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: [Match.objectLike({ Action: 'execute-api:Invoke' })] },
      Roles: [granted.resolve(role.roleName)],
    });
  });
});
