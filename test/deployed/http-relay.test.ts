import {
  GetEventSourceMappingCommand,
  GetFunctionConfigurationCommand,
  InvokeCommand,
  LambdaClient,
} from '@aws-sdk/client-lambda';
import type { Message } from '@aws-sdk/client-sqs';
import { Duration, type Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import {
  AlarmDefaults,
  AlarmSet,
  DurableTopic,
  HttpRelay,
  type HttpRelayOptions,
  OpsTopic,
  RelayAuthorization,
  RelayEndpoint,
} from '../../lib';
import { type Behaviour, type ReceivedRequest, response } from '../../local';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';
import { statedSecret } from '../support/stated-secret';
import { groupIn, vpcIn } from '../support/vpc';

describe('http relay', () => {
  const HOST = 'partner.example.com';
  const URL = `https://${HOST}/orders`;
  const DOWN: Behaviour = { reply: response(503) };

  const textOf = ({ body }: ReceivedRequest) => Buffer.from(body).toString('utf8');

  /** A topic whose messages a relay posts to a partner. */
  function relaying(
    options: HttpRelayOptions = {},
    endpoint = () => RelayEndpoint.fromUrl(URL),
  ): (stack: Stack) => void {
    return stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
      const { fifo = false } = options;
      const topic = new DurableTopic(stack, 'Orders', {
        alarmActions,
        fifo,
        contentBasedDeduplication: fifo || undefined,
      });
      topic.deliverToQueue(
        'Partner',
        new HttpRelay(stack, 'Relay', { endpoint: endpoint(), alarmActions, ...options }).queue,
      );
    };
  }

  /** A short schedule that ends soon: exactly 3 retries, one minute apart. */
  const SHORT: HttpRelayOptions = {
    retryPolicy: { numRetries: 3, minDelayTarget: Duration.minutes(1), maxDelayTarget: Duration.minutes(1) },
    jitterPercent: 0,
  };

  /** Returns the posted messages, and when, in seconds since the start of the simulation. */
  const posted = (deployed: Deployed) =>
    deployed.aws
      .endpoint(HOST)
      .requests.map(request => ({ at: deployed.secondsAt(request.atMs), text: textOf(request) }));

  const attributesOf = ({ MessageAttributes = {} }: Message) =>
    Object.fromEntries(Object.entries(MessageAttributes).map(([name, { StringValue }]) => [name, StringValue]));

  const DEAD = 'Relay/Queue/DeadLetterQueue';

  test('A relay tries by its policy, and sends what it gives up to the dead-letter queue, which says why and tells', async () => {
    const deployed = await Deployed.stack(relaying(SHORT));
    deployed.aws.endpoint(HOST).behave(DOWN);
    await deployed.advance({ minutes: 1 });
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 10 });
    const [first = { at: 0 }, ...retries] = posted(deployed);
    expect(retries.map(({ at }) => Math.round(at - first.at))).toEqual([60, 120, 180]);
    const [message, ...others] = await deployed.receive(DEAD);
    expect(others).toEqual([]);
    expect(JSON.parse(message?.Body ?? '')).toMatchObject({ Message: 'order 7' });
    expect(attributesOf(message as Message)).toMatchObject({
      DeadLetterCause: 'retries-spent',
      AttemptsSpent: '4',
      LastStatusCode: '503',
    });
    expect(deployed.alarmed(`${DEAD}/ArrivalsAlarm`)).toHaveLength(1);
    const dimension = { FunctionName: deployed.ref('Relay/Function') };
    expect(await deployed.sum('DeadLetterOffice/Relay', 'Attempts', dimension)).toBe(4);
    expect(await deployed.sum('DeadLetterOffice/Relay', 'Dead', dimension)).toBe(1);
  });

  test('A relay, which has a breaker, is stopped while its endpoint fails, tried by one message at a time, and started once it answers', async () => {
    const deployed = await Deployed.stack(relaying({ jitterPercent: 0 }));
    const [mapping] = deployed.aws.services.lambda.mappings.all();
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const state = async () => {
      const { State, ScalingConfig } = await lambda.send(new GetEventSourceMappingCommand({ UUID: mapping?.uuid }));
      return [State, ScalingConfig?.MaximumConcurrency];
    };
    deployed.aws.endpoint(HOST).behave(DOWN);
    await deployed.advance({ minutes: 1 });
    for (let i = 0; i < 50; i += 1) await deployed.publish('Orders', `order ${i}`);
    await deployed.advance({ minutes: 6 });
    expect(await state()).toEqual(['Disabled', 2]);
    const before = posted(deployed).length;
    await deployed.advance({ minutes: 20 });
    expect(await state()).toEqual(['Disabled', 2]);
    expect(posted(deployed).length - before).toBeLessThanOrEqual(5);
    deployed.aws.endpoint(HOST).behave();
    await deployed.advance({ minutes: 30 });
    expect(await state()).toEqual(['Enabled', 5]);
    await deployed.advance({ hours: 1 });
    expect(await deployed.receive('Relay/Queue')).toEqual([]);
    expect(await deployed.take(DEAD)).toEqual([]);
  });

  describe('A relay with keys and secrets', () => {
    const KEY = 'key-of-good-news';

    const fill = (stack: Stack) => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
      const encryptionMasterKey = new Key(stack, 'QueueKey');
      const relay = new HttpRelay(stack, 'Relay', {
        endpoint: RelayEndpoint.fromSecret(
          statedSecret(stack, 'Where', JSON.stringify({ url: `${URL}?token=t0ken` })),
          {
            field: 'url',
          },
        ),
        headersSecret: statedSecret(stack, 'Headers', JSON.stringify({ 'X-Api-Key': KEY })),
        authorization: RelayAuthorization.oauthClientCredentials({
          tokenUrl: 'https://auth.example.com/token',
          credentialsSecret: statedSecret(stack, 'Client', '{"client_id":"relay","client_secret":"cl1ent"}'),
          audience: 'orders',
          credentialsInBody: true,
        }),
        signingSecret: statedSecret(stack, 'Signing', `whsec_${Buffer.from('k'.repeat(32)).toString('base64')}`),
        encryptionMasterKey,
        alarmActions,
        ...SHORT,
      });
      new DurableTopic(stack, 'Orders', { alarmActions }).deliverToQueue('Partner', relay.queue);
    };

    test('posts to the secret URL with the secret headers, signed, and tells the log none of it', async () => {
      const deployed = await Deployed.stack(fill);
      deployed.aws.endpoint(HOST).behave({ ...DOWN, count: 1 });
      const tokens = deployed.aws.endpoint('auth.example.com');
      tokens.behave({ reply: response(200, JSON.stringify({ access_token: 't0ken-7', expires_in: 3_600 })) });
      await deployed.publish('Orders', 'order 7');
      await deployed.advance({ minutes: 5 });
      const requests = deployed.aws.endpoint(HOST).requests;
      expect(requests).toHaveLength(2);
      expect(requests[1]).toMatchObject({ path: '/orders?token=t0ken' });
      expect(requests[1]?.headers).toMatchObject({
        authorization: 'Bearer t0ken-7',
        'x-api-key': KEY,
        'webhook-signature': expect.stringMatching(/^v1,/),
      });
      expect(tokens.requests.map(({ text }) => text)).toEqual([
        'grant_type=client_credentials&audience=orders&client_id=relay&client_secret=cl1ent',
      ]);
      const log = deployed.log(deployed.ref('Relay/Log')).join('\n');
      expect(log).toContain(HOST);
      for (const hidden of ['t0ken', 'cl1ent', 'good-news', 'whsec_', 'k'.repeat(32)])
        expect(log).not.toContain(hidden);
    });
  });

  test('A topic relays to an endpoint by a relay of its own, and by one that is there, each with what it wants', async () => {
    const deployed = await Deployed.stack(stack => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
      const topic = new DurableTopic(stack, 'Orders', { alarmActions, masterKey: new Key(stack, 'OrdersKey') });
      const filterPolicy = { status: SubscriptionFilter.stringFilter({ allowlist: ['confirmed'] }) };
      topic.relayToEndpoint('Partner', URL, { filterPolicy, rawMessageDelivery: true });
      const endpoint = RelayEndpoint.fromUrl('https://other.example.com/');
      topic.deliverToRelay('Other', new HttpRelay(stack, 'Relay', { endpoint, alarmActions }));
    });
    for (const StringValue of ['confirmed', 'cancelled']) {
      const MessageAttributes = { status: { DataType: 'String', StringValue } };
      await deployed.publish('Orders', `order ${StringValue}`, { MessageAttributes });
    }
    await deployed.advance({ minutes: 2 });
    expect(posted(deployed).map(({ text }) => text)).toEqual(['order confirmed']);
    const others = deployed.aws.endpoint('other.example.com').requests.map(it => JSON.parse(textOf(it)).Message);
    expect(others.sort()).toEqual(['order cancelled', 'order confirmed']);
  });

  test('A FIFO relay delivers a group in order, however often its first message fails', async () => {
    const deployed = await Deployed.stack(relaying({ ...SHORT, fifo: true }));
    deployed.aws.endpoint(HOST).behave({ ...DOWN, count: 2 });
    for (const order of ['a', 'b', 'c']) await deployed.publish('Orders', order, { MessageGroupId: 'customer-7' });
    await deployed.advance({ minutes: 10 });
    expect(posted(deployed).map(({ text }) => JSON.parse(text).Message)).toEqual(['a', 'a', 'a', 'b', 'c']);
    expect(await deployed.take(DEAD)).toEqual([]);
  });

  /** https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html: 4 KB, of all environment variables together. */
  test('A relay that is told as much as may be, and has two secrets with long names, can be deployed', async () => {
    const endpoint = () => RelayEndpoint.fromUrl(`${URL}?${'x'.repeat(460)}`);
    const fill = (stack: Stack) => {
      AlarmDefaults.of(stack).use(AlarmSet.ALL);
      const secretNamed = (id: string) => Secret.fromSecretNameV2(stack, id, `${id}/${'long'.repeat(30)}`);
      const headers = { 'X-Long': 'x'.repeat(2_048 - 13) };
      const [headersSecret, signingSecret] = [secretNamed('Headers'), secretNamed('Signing')];
      relaying({ headers, headersSecret, signingSecret, fifo: true }, endpoint)(stack);
    };
    const deployed = await Deployed.stack(fill);
    const lambda = new LambdaClient(deployed.aws.clientConfig());
    const asked = new GetFunctionConfigurationCommand({ FunctionName: deployed.ref('Relay/Function') });
    const { Environment } = await lambda.send(asked);
    const bytes = Buffer.byteLength(JSON.stringify(Environment?.Variables));
    expect(bytes).toBeGreaterThan(3_500);
    expect(bytes).toBeLessThanOrEqual(4_096);
  });
});

const HOST = '10.1.2.3';
const RANGES = { allowedPrivateRanges: ['10.1.0.0/16'] };

/** A topic whose messages a relay posts to a private address. */
const relaying =
  (options: (stack: Stack) => HttpRelayOptions, url = `https://${HOST}/orders`) =>
  (stack: Stack): void => {
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    const endpoint = RelayEndpoint.fromUrl(url);
    const relay = new HttpRelay(stack, 'Relay', { endpoint, alarmActions, ...options(stack) });
    new DurableTopic(stack, 'Orders', { alarmActions }).deliverToRelay('Partner', relay);
  };

describe('A relay in a VPC', () => {
  test.each([
    ['a security group of its own', (stack: Stack) => ({ vpc: vpcIn(stack), ...RANGES })],
    ['one it is given', (stack: Stack) => ({ vpc: vpcIn(stack), securityGroups: [groupIn(stack)], ...RANGES })],
  ])('posts to a private address, with %s', async (_, options) => {
    const deployed = await Deployed.stack(relaying(options));
    const inside = deployed.aws.endpoint(HOST);
    inside.behave({ reply: response(503), count: 1 });
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 2 });
    expect(inside.requests.map(({ path }) => path)).toEqual(['/orders', '/orders']);
    expect(await deployed.receive('Relay/Queue')).toEqual([]);
    expect(await deployed.take('Relay/Queue/DeadLetterQueue')).toEqual([]);
  });

  test('still refuses an address outside its ranges, and the dead letter says why', async () => {
    const deployed = await Deployed.stack(
      relaying(
        stack => ({ vpc: vpcIn(stack), ...RANGES, retryPolicy: { numRetries: 0 } }),
        'https://inside.example.com/',
      ),
    );
    deployed.aws.endpoint('inside.example.com').resolveTo({ addresses: ['10.2.0.1'] });
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ minutes: 2 });
    const [message] = await deployed.receive('Relay/Queue/DeadLetterQueue');
    expect(message?.MessageAttributes?.['DeadLetterReason']?.StringValue).toContain('an address that is not public');
    expect(deployed.aws.endpoint('inside.example.com').requests).toEqual([]);
  });
});

const SEND = `
    const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs');
    exports.handler = () => new SQSClient().send(new SendMessageCommand({ QueueUrl: process.env.URL, MessageBody: 'x' }));
  `;

test.each([
  ['is denied to the code of that function', true, 0],
  ['is not denied to another function', false, 1],
])('What a role is denied by lambda:SourceFunctionArn %s', async (_, isOwn, sent) => {
  const deployed = await Deployed.stack(stack => {
    AlarmDefaults.of(stack).use(AlarmSet.ALL);
    const queue = new Queue(stack, 'Queue');
    const handler = inlineFunction(stack, 'F', SEND, { functionName: 'f', environment: { URL: queue.queueUrl } });
    queue.grantSendMessages(handler);
    const named = stack.formatArn({ service: 'lambda', resource: `function:${isOwn ? 'f' : 'g'}` });
    handler.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        actions: ['sqs:SendMessage'],
        resources: ['*'],
        conditions: { ArnEquals: { 'lambda:SourceFunctionArn': named } },
      }),
    );
  });
  const lambda = new LambdaClient(deployed.aws.clientConfig());
  await lambda.send(new InvokeCommand({ FunctionName: deployed.ref('F'), InvocationType: 'Event' }));
  await deployed.advance({ seconds: 30 });
  expect(await deployed.receive('Queue')).toHaveLength(sent);
});
