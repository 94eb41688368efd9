import { CloudFormationClient, CreateStackCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  ListMetricsCommand,
  PutMetricAlarmCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  PutSubscriptionFilterCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  EventBridgeClient,
  PutEventsCommand,
  PutPermissionCommand,
  PutRuleCommand,
  PutTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import { CreateRoleCommand, IAMClient, PutRolePolicyCommand } from '@aws-sdk/client-iam';
import { CreateKeyCommand, DecryptCommand, EncryptCommand, GetKeyPolicyCommand, KMSClient } from '@aws-sdk/client-kms';
import {
  CreateTopicCommand,
  ListSubscriptionsCommand,
  PublishCommand,
  SetSubscriptionAttributesCommand,
  SetTopicAttributesCommand,
  SNSClient,
  SubscribeCommand,
} from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
  TagQueueCommand,
} from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type AccountAndRegion, LocalAws } from '../../../local';

const HOME = '123456789012';
const OTHER = '222222222222';
const EU = { account: OTHER, region: 'eu-west-1' };

/** Clients of one account in one Region. */
class Clients {
  readonly sns: SNSClient;
  readonly sqs: SQSClient;
  readonly iam: IAMClient;
  readonly sts: STSClient;
  readonly kms: KMSClient;
  readonly events: EventBridgeClient;

  constructor(aws: LocalAws, where: AccountAndRegion = {}) {
    const config = aws.clientConfig(where);
    this.sns = new SNSClient(config);
    this.sqs = new SQSClient(config);
    this.iam = new IAMClient(config);
    this.sts = new STSClient(config);
    this.kms = new KMSClient(config);
    this.events = new EventBridgeClient(config);
  }

  async queue(name: string, statement?: object): Promise<{ readonly url: string; readonly arn: string }> {
    const { QueueUrl: url = '' } = await this.sqs.send(new CreateQueueCommand({ QueueName: name }));
    const { Attributes } = await this.sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] }),
    );
    const arn = Attributes?.QueueArn ?? '';
    if (statement) {
      const Policy = JSON.stringify({ Version: '2012-10-17', Statement: { Resource: arn, ...statement } });
      await this.sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { Policy } }));
    }
    return { url, arn };
  }

  async topic(name: string): Promise<string> {
    return (await this.sns.send(new CreateTopicCommand({ Name: name }))).TopicArn ?? '';
  }

  async role(name: string, principal: object, statement?: object): Promise<string> {
    const trust = {
      Version: '2012-10-17',
      Statement: { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: principal },
    };
    const AssumeRolePolicyDocument = JSON.stringify(trust);
    const { Role } = await this.iam.send(new CreateRoleCommand({ RoleName: name, AssumeRolePolicyDocument }));
    if (statement) {
      const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: { Effect: 'Allow', ...statement } });
      await this.iam.send(new PutRolePolicyCommand({ RoleName: name, PolicyName: 'own', PolicyDocument }));
    }
    return Role?.Arn ?? '';
  }

  async bodies(QueueUrl: string): Promise<readonly string[]> {
    const { Messages = [] } = await this.sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
    return Messages.map(({ Body = '' }) => Body);
  }
}

const start = (...places: AccountAndRegion[]) => LocalAws.start({ places: places.length > 0 ? places : [EU] });

/** Lets SNS send to a queue for one topic. */
const fromSns = (topicArn: string, account = HOME) => ({
  Effect: 'Allow',
  Principal: { Service: 'sns.amazonaws.com' },
  Action: 'sqs:SendMessage',
  Condition: { ArnEquals: { 'aws:SourceArn': topicArn }, StringEquals: { 'aws:SourceAccount': account } },
});

describe('accounts and Regions', () => {
  test('tell who calls', async () => {
    const aws = start();
    const of = async (where?: AccountAndRegion) =>
      (await new Clients(aws, where).sts.send(new GetCallerIdentityCommand({}))).Arn;
    expect(await of()).toBe(`arn:aws:iam::${HOME}:root`);
    expect(await of({ account: OTHER })).toBe(`arn:aws:iam::${OTHER}:root`);
    expect(await of({ region: 'eu-west-1' })).toBe(`arn:aws:iam::${HOME}:root`);
    await aws.close();
  });

  test('have names of their own, and messages of their own', async () => {
    const aws = start();
    const urls = [];
    for (const where of [{}, { region: 'eu-west-1' }, EU])
      urls.push((await new Clients(aws, where).queue('Orders')).url);
    expect(urls).toEqual([
      `https://sqs.us-east-1.amazonaws.com/${HOME}/Orders`,
      `https://sqs.eu-west-1.amazonaws.com/${HOME}/Orders`,
      `https://sqs.eu-west-1.amazonaws.com/${OTHER}/Orders`,
    ]);
    expect(aws.state().places).toEqual([
      { account: HOME, region: 'us-east-1' },
      { account: HOME, region: 'eu-west-1' },
      EU,
    ]);
    expect(aws.state().queues.map(({ url }) => url)).toEqual(urls);
    await aws.close();
  });

  test('are named by trace events only outside the default account and Region', async () => {
    const aws = start();
    for (const where of [{}, { region: 'eu-west-1' }, EU]) await new Clients(aws, where).queue('Orders');
    const created = aws.trace.events.filter(({ type }) => type === 'sqs.queue-created');
    expect(created.map(({ account, region }) => [account, region])).toEqual([
      [undefined, undefined],
      [undefined, 'eu-west-1'],
      [OTHER, 'eu-west-1'],
    ]);
    await aws.close();
  });

  test('do not change what happens in the default place', async () => {
    const ids = async (aws: LocalAws) => {
      const { url } = await new Clients(aws).queue('Orders');
      const { MessageId } = await new Clients(aws).sqs.send(
        new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }),
      );
      await aws.close();
      return MessageId;
    };
    const busy = start();
    const { url } = await new Clients(busy, EU).queue('Orders');
    await new Clients(busy, EU).sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }));
    expect(await ids(busy)).toBe(await ids(LocalAws.start()));
  });

  test('that were not declared are refused by one message', async () => {
    const aws = start();
    const message =
      `This simulation has the accounts ${HOME}, ${OTHER} and the Regions us-east-1, eu-west-1, and not the account ` +
      '333333333333. Name others in the env of a stack, or in the option places.';
    expect(() => aws.clientConfig({ account: '333333333333' })).toThrow(message);
    expect(() => aws.clientConfig({ region: 'ap-south-1' })).toThrow('and not the Region ap-south-1');
    expect(() => aws.clientConfig({ account: '1' })).toThrow('where.account must be twelve digits, got "1"');
    expect(() => LocalAws.start({ places: [{ region: 'x' }] })).toThrow('places[0].region must be a Region');
    const { sqs } = new Clients(aws);
    const call = sqs.send(
      new SendMessageCommand({ QueueUrl: 'https://sqs.us-east-1.amazonaws.com/333333333333/Q', MessageBody: 'x' }),
    );
    await expect(call).rejects.toMatchObject({
      name: 'NotImplemented',
      message: expect.stringContaining(message),
    });
    await aws.close();
  });
});

describe('SNS', () => {
  test.each([
    ['with', true],
    ['without', false],
  ])('delivers to a queue of another account and Region %s a policy that names the topic', async (_, isAllowed) => {
    const aws = start();
    const [here, there] = [new Clients(aws), new Clients(aws, EU)];
    const topicArn = await here.topic('Orders');
    const queue = await there.queue('Orders', fromSns(isAllowed ? topicArn : `${topicArn}-Other`));
    const { SubscriptionArn = '' } = await here.sns.send(
      new SubscribeCommand({ TopicArn: topicArn, Protocol: 'sqs', Endpoint: queue.arn, ReturnSubscriptionArn: true }),
    );
    await aws.advance({ seconds: 1 });
    if (isAllowed) {
      const [asked = '{}'] = await there.bodies(queue.url);
      expect(JSON.parse(asked)).toMatchObject({ Type: 'SubscriptionConfirmation', TopicArn: topicArn });
      const { SubscribeURL } = JSON.parse(asked);
      expect((await aws.request('GET', SubscribeURL, '', { signed: false })).status).toBe(200);
    } else aws.confirmSubscription(queue.arn);
    const raw = { SubscriptionArn, AttributeName: 'RawMessageDelivery', AttributeValue: 'true' };
    await here.sns.send(new SetSubscriptionAttributesCommand(raw));
    await here.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'confirmed' }));
    await aws.advance({ seconds: 1 });
    expect(await there.bodies(queue.url)).toEqual(isAllowed ? ['confirmed'] : []);
    expect(aws.trace.events.filter(({ type }) => type === 'sns.lost')).toHaveLength(isAllowed ? 0 : 1);
    await aws.close();
  });

  test('lets an account subscribe that the topic allows, which then owns the subscription', async () => {
    const aws = start({ account: OTHER });
    const [here, there] = [new Clients(aws), new Clients(aws, { account: OTHER })];
    const topicArn = await here.topic('Orders');
    const queue = await there.queue('Orders', fromSns(topicArn));
    const subscribe = new SubscribeCommand({
      TopicArn: topicArn,
      Protocol: 'sqs',
      Endpoint: queue.arn,
      Attributes: { RawMessageDelivery: 'true' },
    });
    await expect(there.sns.send(subscribe)).rejects.toMatchObject({ name: 'AuthorizationErrorException' });
    const Statement = { Effect: 'Allow', Principal: { AWS: OTHER }, Action: 'sns:Subscribe', Resource: topicArn };
    const AttributeValue = JSON.stringify({ Version: '2012-10-17', Statement });
    const policy = { TopicArn: topicArn, AttributeName: 'Policy', AttributeValue };
    await here.sns.send(new SetTopicAttributesCommand(policy));
    const { SubscriptionArn } = await there.sns.send(subscribe);
    const owned = async ({ sns }: Clients) => (await sns.send(new ListSubscriptionsCommand({}))).Subscriptions;
    expect([await owned(here), await owned(there)]).toMatchObject([[], [{ SubscriptionArn, Owner: OTHER }]]);
    // Its dead-letter queue belongs to the subscriber (assumption SNS-54).
    const [own, foreign] = [await there.queue('DLQ'), await here.queue('DLQ')];
    const redrive = (deadLetterTargetArn: string) =>
      new SetSubscriptionAttributesCommand({
        SubscriptionArn,
        AttributeName: 'RedrivePolicy',
        AttributeValue: JSON.stringify({ deadLetterTargetArn }),
      });
    await there.sns.send(redrive(own.arn));
    await expect(there.sns.send(redrive(foreign.arn))).rejects.toThrow('must be in the same account');
    await expect(there.sns.send(redrive(own.arn.replace('us-east-1', 'eu-west-1')))).rejects.toThrow('same region');
    await here.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'hello' }));
    await aws.runUntilIdle();
    expect(await there.bodies(queue.url)).toEqual(['hello']);
    await aws.close();
  });
});

describe('policies across accounts', () => {
  const roleOf = (aws: LocalAws, statement?: object) => {
    const here = new Clients(aws);
    return here.role('Sender', { AWS: HOME }, statement);
  };

  test.each([
    ['both sides', true, true, true],
    ['only the role', true, false, false],
    ['only the queue', false, true, false],
  ])('%s allowing: the call succeeds %s %s -> %s', async (_, role, queue, succeeds) => {
    const aws = start({ account: OTHER });
    const [here, there] = [new Clients(aws), new Clients(aws, { account: OTHER })];
    const RoleArn = await roleOf(aws, role ? { Action: 'sqs:*', Resource: '*' } : undefined);
    const statement = { Effect: 'Allow', Principal: { AWS: RoleArn }, Action: 'sqs:*' };
    const { url } = await there.queue('Orders', queue ? statement : undefined);
    const { Credentials } = await here.sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'me' }));
    const credentials = {
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
      sessionToken: Credentials?.SessionToken ?? '',
    };
    const sqs = new SQSClient({ ...aws.clientConfig(), credentials });
    const sent = await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' })).catch(({ name }) => name);
    expect(typeof sent === 'string' ? sent : 'sent').toBe(succeeds ? 'sent' : 'AccessDenied');
    // No policy can allow this (limitations of SQS's policies).
    const tag = sqs.send(new TagQueueCommand({ QueueUrl: url, Tags: { a: 'b' } }));
    await expect(tag).rejects.toMatchObject({ name: 'AccessDenied' });
    await aws.close();
  });

  test('find a queue by its owner', async () => {
    const aws = start({ account: OTHER });
    const [here, there] = [new Clients(aws), new Clients(aws, { account: OTHER })];
    const ask = new GetQueueUrlCommand({ QueueName: 'Orders', QueueOwnerAWSAccountId: OTHER });
    const { url } = await there.queue('Orders', {
      Effect: 'Allow',
      Principal: { AWS: HOME },
      Action: 'sqs:GetQueueUrl',
    });
    expect((await here.sqs.send(ask)).QueueUrl).toBe(url);
    await aws.close();
  });

  test('assume a role that trusts the account, and act in its account', async () => {
    const aws = start({ account: OTHER });
    const [here, there] = [new Clients(aws), new Clients(aws, { account: OTHER })];
    const trusted = await there.role('Trusted', { AWS: HOME }, { Action: 'sqs:*', Resource: '*' });
    const closed = await there.role('Closed', { AWS: OTHER });
    const assume = (RoleArn: string) => here.sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'me' }));
    await expect(assume(closed)).rejects.toMatchObject({ name: 'AccessDenied' });
    const { Credentials } = await assume(trusted);
    const credentials = {
      accessKeyId: Credentials?.AccessKeyId ?? '',
      secretAccessKey: Credentials?.SecretAccessKey ?? '',
    };
    const config = { ...aws.clientConfig(), credentials };
    expect((await new STSClient(config).send(new GetCallerIdentityCommand({}))).Account).toBe(OTHER);
    const { QueueUrl } = await new SQSClient(config).send(new CreateQueueCommand({ QueueName: 'Theirs' }));
    expect(QueueUrl).toBe(`https://sqs.us-east-1.amazonaws.com/${OTHER}/Theirs`);
    await aws.close();
  });

  test('let another account use a key, but not manage it', async () => {
    const aws = start({ account: OTHER });
    const [here, there] = [new Clients(aws), new Clients(aws, { account: OTHER })];
    const everyone = (AWS: string) => ({ Effect: 'Allow', Principal: { AWS }, Action: 'kms:*', Resource: '*' });
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [everyone(OTHER), everyone(HOME)] });
    const { KeyMetadata } = await there.kms.send(new CreateKeyCommand({ Policy }));
    const KeyId = KeyMetadata?.Arn ?? '';
    const { CiphertextBlob } = await here.kms.send(new EncryptCommand({ KeyId, Plaintext: Buffer.from('secret') }));
    const { Plaintext } = await here.kms.send(new DecryptCommand({ CiphertextBlob }));
    expect(Buffer.from(Plaintext ?? []).toString()).toBe('secret');
    await expect(here.kms.send(new GetKeyPolicyCommand({ KeyId }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    await aws.close();
  });
});

describe('EventBridge', () => {
  const entry = (EventBusName?: string) => ({
    Entries: [{ Source: 'rental', DetailType: 'Order', Detail: '{"id":1}', ...(EventBusName && { EventBusName }) }],
  });
  const busArn = (account: string, region = 'us-east-1') => `arn:aws:events:${region}:${account}:event-bus/default`;
  const permit = (clients: Clients, Principal: string) =>
    clients.events.send(new PutPermissionCommand({ Action: 'events:PutEvents', Principal, StatementId: 'others' }));

  async function rule(clients: Clients, target: { readonly Arn: string; readonly RoleArn?: string }): Promise<void> {
    await clients.events.send(new PutRuleCommand({ Name: 'all', EventPattern: '{"source":["rental"]}' }));
    await clients.events.send(new PutTargetsCommand({ Rule: 'all', Targets: [{ Id: '1', ...target }] }));
  }

  const sender = (clients: Clients, name = 'Sender') =>
    clients.role(name, { Service: 'events.amazonaws.com' }, { Action: ['events:PutEvents', 'sqs:*'], Resource: '*' });

  const fromEvents = { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage' };

  test.each([
    ['allows', true],
    ['does not allow', false],
  ])('sends to a bus of another account and Region that %s it', async (_, isAllowed) => {
    const aws = start();
    const [here, there] = [new Clients(aws), new Clients(aws, EU)];
    const queue = await there.queue('Orders', fromEvents);
    await rule(there, { Arn: queue.arn });
    await rule(here, { Arn: busArn(OTHER, 'eu-west-1'), RoleArn: await sender(here) });
    if (isAllowed) await permit(there, HOME);
    await here.events.send(new PutEventsCommand(entry()));
    await aws.runUntilIdle();
    const events = (await there.bodies(queue.url)).map(body => JSON.parse(body));
    expect(events).toMatchObject(isAllowed ? [{ account: HOME, region: 'us-east-1', detail: { id: 1 } }] : []);
    const dropped = aws.trace.events.filter(({ type }) => type === 'events.dropped');
    expect(dropped).toMatchObject(isAllowed ? [] : [{ errorCode: 'NO_PERMISSIONS' }]);
    await aws.close();
  });

  test('puts events on a bus of another account in the same Region only (assumption EVENTS-14)', async () => {
    const aws = start();
    const [here, there] = [new Clients(aws), new Clients(aws, { account: OTHER })];
    const queue = await there.queue('Orders', fromEvents);
    await rule(there, { Arn: queue.arn });
    const put = new PutEventsCommand(entry(busArn(OTHER)));
    await expect(here.events.send(put)).rejects.toMatchObject({ name: 'AccessDeniedException' });
    await permit(there, HOME);
    await here.events.send(put);
    await here.events.send(new PutEventsCommand(entry(busArn(HOME, 'eu-west-1'))));
    await aws.runUntilIdle();
    expect(await there.bodies(queue.url)).toHaveLength(1);
    await aws.close();
  });

  test('does not send an event on to a third account', async () => {
    const third = { account: '333333333333' };
    const aws = start({ account: OTHER }, third);
    const [here, there] = [new Clients(aws), new Clients(aws, { account: OTHER })];
    await permit(there, HOME);
    await permit(new Clients(aws, third), OTHER);
    await rule(here, { Arn: busArn(OTHER), RoleArn: await sender(here) });
    await rule(there, { Arn: busArn(third.account), RoleArn: await sender(there) });
    await here.events.send(new PutEventsCommand(entry()));
    await aws.runUntilIdle();
    expect(aws.trace.events.filter(({ type }) => type === 'events.not-sent-on')).toMatchObject([
      { account: OTHER, reason: `the event came from the account ${HOME} and is not sent to a third account` },
    ]);
    // No metric counts it (assumption EVENTS-16).
    const { Metrics = [] } = await new CloudWatchClient(aws.clientConfig({ account: OTHER })).send(
      new ListMetricsCommand({ Namespace: 'AWS/Events' }),
    );
    const names = new Set(Metrics.map(({ MetricName }) => MetricName));
    expect([names.has('TriggeredRules'), names.has('InvocationsCreated')]).toEqual([true, false]);
    await aws.close();
  });

  test('sends to a queue of another account with a role that both sides allow (assumption EVENTS-15)', async () => {
    const aws = start();
    const [here, there] = [new Clients(aws), new Clients(aws, { account: OTHER })];
    const RoleArn = await sender(here);
    const queue = await there.queue('Orders', {
      Effect: 'Allow',
      Principal: { AWS: RoleArn },
      Action: 'sqs:SendMessage',
    });
    await expect(rule(here, { Arn: queue.arn })).rejects.toThrow('RoleArn is required for target');
    await expect(rule(here, { Arn: queue.arn.replace('us-east-1', 'eu-west-1'), RoleArn })).rejects.toThrow(
      'in the Region',
    );
    const foreign = await sender(there);
    await expect(rule(here, { Arn: queue.arn, RoleArn: foreign })).rejects.toThrow('iam:PassRole');
    await rule(here, { Arn: queue.arn, RoleArn });
    await here.events.send(new PutEventsCommand(entry()));
    await aws.runUntilIdle();
    expect(await there.bodies(queue.url)).toHaveLength(1);
    await aws.close();
  });
});

describe('CloudWatch', () => {
  test('notifies a topic of another account in the same Region, if its policy allows the alarm', async () => {
    const aws = start({ account: OTHER });
    const there = new Clients(aws, { account: OTHER });
    const cloudWatch = new CloudWatchClient(aws.clientConfig());
    const topicArn = await there.topic('Ops');
    const queue = await there.queue('Ops', fromSns(topicArn, OTHER));
    await there.sns.send(new SubscribeCommand({ TopicArn: topicArn, Protocol: 'sqs', Endpoint: queue.arn }));
    const alarm = {
      AlarmName: 'Late',
      Namespace: 'Rental',
      MetricName: 'Late',
      Statistic: 'Sum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    } as const;
    await cloudWatch.send(new PutMetricAlarmCommand({ ...alarm, AlarmActions: [topicArn] }));
    const elsewhere = new PutMetricAlarmCommand({
      ...alarm,
      AlarmActions: [topicArn.replace('us-east-1', 'eu-west-1')],
    });
    await expect(cloudWatch.send(elsewhere)).rejects.toThrow('Invalid region eu-west-1 specified');
    const set = (StateValue: 'ALARM' | 'OK') =>
      cloudWatch.send(new SetAlarmStateCommand({ AlarmName: 'Late', StateValue, StateReason: 'test' }));
    await set('ALARM');
    await aws.advance({ seconds: 1 });
    expect(aws.trace.events.filter(({ type }) => type === 'cloudwatch.action-failed')).toHaveLength(1);
    const Statement = {
      Effect: 'Allow',
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Resource: topicArn,
      Condition: { StringEquals: { 'aws:SourceAccount': HOME } },
    };
    const AttributeValue = JSON.stringify({ Version: '2012-10-17', Statement });
    await there.sns.send(
      new SetTopicAttributesCommand({ TopicArn: topicArn, AttributeName: 'Policy', AttributeValue }),
    );
    await set('OK');
    await set('ALARM');
    await aws.advance({ seconds: 1 });
    const [told = '{}'] = await there.bodies(queue.url);
    expect(JSON.parse(JSON.parse(told).Message)).toMatchObject({ AlarmName: 'Late', AWSAccountId: HOME });
    await aws.close();
  });

  test('refuses a subscription filter to a function of another account (assumption LOGS-9)', async () => {
    const aws = start();
    const logs = new CloudWatchLogsClient(aws.clientConfig());
    await logs.send(new CreateLogGroupCommand({ logGroupName: 'orders' }));
    for (const place of [`us-east-1:${OTHER}`, `eu-west-1:${HOME}`]) {
      const filter = new PutSubscriptionFilterCommand({
        logGroupName: 'orders',
        filterName: 'all',
        filterPattern: '',
        destinationArn: `arn:aws:lambda:${place}:function:Worker`,
      });
      await expect(logs.send(filter)).rejects.toMatchObject({ name: 'InvalidParameterException' });
    }
    await aws.close();
  });
});

describe('a table', () => {
  test('of another account is reached by its ARN, as far as its policy allows', async () => {
    const aws = start({ account: OTHER, region: 'us-east-1' });
    const there = aws.clientConfig({ account: OTHER, region: 'us-east-1' });
    const TableName = `arn:aws:dynamodb:us-east-1:${OTHER}:table/orders`;
    const Statement = { Effect: 'Allow', Action: 'dynamodb:GetItem', Principal: { AWS: HOME }, Resource: TableName };
    const Properties = {
      TableName: 'orders',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      ResourcePolicy: { PolicyDocument: { Version: '2012-10-17', Statement } },
      StreamSpecification: { StreamViewType: 'KEYS_ONLY' },
    };
    const TemplateBody = JSON.stringify({ Resources: { Table: { Type: 'AWS::DynamoDB::Table', Properties } } });
    await new CloudFormationClient(there).send(new CreateStackCommand({ StackName: 'Orders', TemplateBody }));
    await aws.runUntilIdle();
    const Item = { id: { S: '1' } };
    await new DynamoDBClient(there).send(new PutItemCommand({ TableName, Item }));
    const client = new DynamoDBClient(aws.clientConfig());
    const read = await client.send(new GetItemCommand({ TableName, Key: Item }));
    expect(read.Item).toEqual(Item);
    await expect(client.send(new PutItemCommand({ TableName, Item }))).rejects.toMatchObject({
      name: 'AccessDeniedException',
    });
    const unknown = client.send(new GetItemCommand({ TableName: TableName.replace(OTHER, '999999999999'), Key: Item }));
    await expect(unknown).rejects.toMatchObject({ name: 'NotImplemented' });
    await aws.close();
  });
});

describe('a client', () => {
  test('that signs for another Region than that of the host is refused, as by the URL of a queue elsewhere', async () => {
    const aws = start();
    const { url } = await new Clients(aws, { region: 'eu-west-1' }).queue('Orders');
    const { sqs } = new Clients(aws);
    await expect(sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody: 'x' }))).rejects.toMatchObject({
      name: 'InvalidSignatureException',
      message: 'Credential should be scoped to a valid region.',
    });
    await aws.close();
  });

  test('at a port acts in the Region of its signature and in the account of its access key', async () => {
    const aws = start();
    const { url: endpoint, close } = await aws.listen();
    const client = (accessKeyId: string, region: string) =>
      new SQSClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey: 'any' } });
    const there = client(OTHER, 'eu-west-1');
    const { QueueUrl } = await there.send(new CreateQueueCommand({ QueueName: 'Orders' }));
    expect(QueueUrl).toBe(`${endpoint}/${OTHER}/Orders`);
    await there.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
    const { Attributes } = await there.send(ask);
    expect(Attributes).toEqual({ QueueArn: `arn:aws:sqs:eu-west-1:${OTHER}:Orders` });
    const send = (sqs: SQSClient) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    await expect(send(client('any', 'eu-west-1'))).rejects.toMatchObject({ name: 'AccessDenied' });
    await expect(send(client(OTHER, 'us-east-1'))).rejects.toMatchObject({ name: 'QueueDoesNotExist' });
    const unknown = client('999999999999', 'eu-west-1').send(new CreateQueueCommand({ QueueName: 'Orders' }));
    await expect(unknown).rejects.toThrow('and not the account 999999999999');
    await close();
    await aws.close();
  });
});
