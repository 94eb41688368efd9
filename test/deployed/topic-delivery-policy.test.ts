import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  DeleteTopicCommand,
  GetSubscriptionAttributesCommand,
  GetTopicAttributesCommand,
  ListSubscriptionsByTopicCommand,
} from '@aws-sdk/client-sns';
import { CfnParameter, Duration, type Stack } from 'aws-cdk-lib';
import { type DeliveryPolicy, Topic } from 'aws-cdk-lib/aws-sns';
import { DurableTopic, TopicDeliveryPolicy } from '../../lib';
import { AssemblyError, type Behaviour, LocalAws, response } from '../../local';
import { assemblyOfStack, editTemplate, type Template } from '../support/assembly';
import { Deployed } from '../support/deployed';

const FUNCTION = 'DeadLetterOffice-TopicDeliveryPolicies/Function';
const ANSWERS = 'answers.example.com';
const SIGNATURE = '0123456789abcdef';
const CREATED = 'Custom::TopicDeliveryPolicy';

/** What SNS does without a policy: aws-semantics.md 1.2. */
const DEFAULT = { minDelayTarget: 20, maxDelayTarget: 20, numRetries: 3 };

function retries(numRetries: number, seconds: number): DeliveryPolicy {
  const delay = Duration.seconds(seconds);
  return { healthyRetryPolicy: { minDelayTarget: delay, maxDelayTarget: delay, numRetries } };
}

/** The same in the form of SNS's attribute. */
function attribute(numRetries: number, seconds: number): string {
  const defaultHealthyRetryPolicy = { minDelayTarget: seconds, maxDelayTarget: seconds, numRetries };
  return JSON.stringify({ http: { defaultHealthyRetryPolicy } });
}

const hostOf = (topic: string, delivery: string) => `${delivery}.${topic}.example.com`.toLowerCase();
const urlOf = (topic: string, delivery: string) => `https://${hostOf(topic, delivery)}/orders`;

/** Adds a topic with an endpoint that uses the topic's policy, and one with its own policy: one retry after 3 seconds. */
function topicWith(stack: Stack, id: string, policy?: DeliveryPolicy, disableSubscriptionOverrides?: boolean): Topic {
  const topic = new DurableTopic(stack, id);
  topic.deliverToEndpoint('Plain', urlOf(id, 'Plain'));
  topic.deliverToEndpoint('Own', urlOf(id, 'Own'), { deliveryPolicy: retries(1, 3) });
  if (policy)
    new TopicDeliveryPolicy(stack, `${id}Policy`, { topic, deliveryPolicy: policy, disableSubscriptionOverrides });
  return topic;
}

async function deployed(fill: (stack: Stack) => void, topics: readonly string[]): Promise<Deployed> {
  const world = await Deployed.stack(fill);
  await world.aws.runUntilIdle();
  for (const topic of topics)
    for (const delivery of ['Plain', 'Own']) world.aws.confirmSubscription(urlOf(topic, delivery));
  return world;
}

describe('A topic’s delivery policy', () => {
  const TOPICS = ['Orders', 'Strict', 'Bare'];
  let world: Deployed;

  beforeAll(async () => {
    world = await deployed(stack => {
      topicWith(stack, 'Orders', retries(20, 60));
      topicWith(stack, 'Strict', retries(2, 7), true);
      topicWith(stack, 'Bare');
    }, TOPICS);
  });

  /** Publishes to endpoints with these behaviours. Returns when each was tried, in seconds. */
  const attempts = async (topic: string, ...behaviours: Behaviour[]) => {
    const hosts = ['Plain', 'Own'].map(delivery => world.aws.endpoint(hostOf(topic, delivery)));
    const before = hosts.map(({ requests }) => requests.length);
    for (const host of hosts) host.behave(...behaviours);
    const startMs = world.aws.nowMs;
    await world.publish(topic, 'x');
    await world.aws.runUntilIdle();
    const [plain = [], own = []] = hosts.map(({ requests }, i) =>
      requests.slice(before[i]).map(({ atMs }) => (atMs - startMs) / 1_000),
    );
    return { plain, own };
  };
  const down: Behaviour = { reply: response(503) };
  const deadLetters = (topic: string) => world.take(`${topic}/Deliveries/Plain/DeadLetterQueue`);

  test('is what a subscription without its own is retried by; one with its own keeps to that', async () => {
    const { plain, own } = await attempts('Orders', down);
    expect(plain).toEqual([...Array(21).keys()].map(retry => retry * 60));
    expect(own).toEqual([0, 3]);
    expect(await deadLetters('Orders')).toHaveLength(1);
  });

  test('carries a message through an outage of ten minutes, which ends in a dead letter without it', async () => {
    const tenMinutes: Behaviour = { forMs: 600_000, reply: response(503) };
    expect((await attempts('Orders', tenMinutes)).plain).toHaveLength(11);
    expect(await deadLetters('Orders')).toEqual([]);
    expect((await attempts('Bare', tenMinutes)).plain).toEqual([0, 20, 40, 60]);
    expect(await deadLetters('Bare')).toHaveLength(1);
  });

  test('with disableSubscriptionOverrides leaves a subscription’s own without effect', async () => {
    expect(await attempts('Strict', down)).toEqual({ plain: [0, 7, 14], own: [0, 7, 14] });
  });

  test('is what SNS’s own clients see, at the topic and at its subscriptions', async () => {
    const TopicArn = world.ref('Orders');
    const { Attributes = {} } = await world.sns.send(new GetTopicAttributesCommand({ TopicArn }));
    expect(JSON.parse(Attributes['EffectiveDeliveryPolicy'] ?? '')).toMatchObject({
      http: { defaultHealthyRetryPolicy: { minDelayTarget: 60, numRetries: 20 }, disableSubscriptionOverrides: false },
    });
    const { Subscriptions = [] } = await world.sns.send(new ListSubscriptionsByTopicCommand({ TopicArn }));
    const plain = Subscriptions.find(({ Endpoint }) => Endpoint === urlOf('Orders', 'Plain'));
    const subscription = await world.sns.send(
      new GetSubscriptionAttributesCommand({ SubscriptionArn: plain?.SubscriptionArn }),
    );
    expect(JSON.parse(subscription.Attributes?.['EffectiveDeliveryPolicy'] ?? '')).toMatchObject({
      healthyRetryPolicy: { minDelayTarget: 60, numRetries: 20 },
    });
  });

  test('says in the function’s log what it did, and never where it answered', () => {
    const log = world.aws.stacks.flatMap(({ resources }) => [...resources.values()]);
    const group = log.find(({ path }) => path?.endsWith('TopicDeliveryPolicies/Log/Resource'))?.ref ?? '';
    const lines = world.log(group).join('\n');
    expect(lines.match(/"message":"SUCCESS","requestType":"Create"/g)).toHaveLength(2);
    expect(lines).not.toMatch(/X-Amz-|https:/);
  });
});

/** The embedded AWS only creates. These are CloudFormation's own update and delete requests. */
describe('The function behind it, asked by CloudFormation', () => {
  let world: Deployed;
  let asked = 0;

  beforeEach(async () => {
    world = await Deployed.stack(stack => {
      for (const id of ['Orders', 'Other']) {
        new TopicDeliveryPolicy(stack, `${id}Policy`, { topic: new Topic(stack, id), deliveryPolicy: retries(2, 7) });
      }
    });
  });

  const invoke = async (request: object) => {
    const lambda = new LambdaClient(world.aws.clientConfig());
    const Payload = JSON.stringify(request);
    await lambda.send(new InvokeCommand({ FunctionName: world.ref(FUNCTION), InvocationType: 'Event', Payload }));
    await world.aws.runUntilIdle();
  };

  const requestFor = (RequestType: string, more: object = {}, topic = world.ref('Orders')) => {
    asked += 1;
    return {
      RequestType,
      ServiceToken: world.arn(FUNCTION),
      ResponseURL: `https://${ANSWERS}/stack%7Cid%7C${asked}?X-Amz-Signature=${SIGNATURE}`,
      StackId: 'arn:aws:cloudformation:us-east-1:123456789012:stack/Test/0',
      RequestId: `request-${asked}`,
      LogicalResourceId: 'OrdersPolicy',
      ResourceType: CREATED,
      ResourceProperties: {
        ServiceToken: 'x',
        ServiceTimeout: '600',
        TopicArn: topic,
        DeliveryPolicy: attribute(5, 9),
      },
      ...more,
    };
  };

  /** Returns everything that was sent to the response URLs so far. */
  const answers = () =>
    world.aws.endpoint(ANSWERS).requests.map(({ body }) => JSON.parse(Buffer.from(body).toString('utf8')));

  /** The one answer to a request. */
  const ask = async (request: ReturnType<typeof requestFor>) => {
    const before = answers().length;
    await invoke(request);
    const [answer, ...others] = answers().slice(before);
    expect(others).toEqual([]);
    const { StackId, RequestId, LogicalResourceId } = request;
    expect(answer).toMatchObject({ StackId, RequestId, LogicalResourceId });
    return answer;
  };

  /** Returns the attribute as SNS shows it; undefined if there is none. */
  const policyOf = async (topic: string) => {
    const command = new GetTopicAttributesCommand({ TopicArn: world.ref(topic) });
    const { Attributes = {} } = await world.sns.send(command);
    const { DeliveryPolicy, EffectiveDeliveryPolicy = '' } = Attributes;
    const effective = JSON.parse(EffectiveDeliveryPolicy).http.defaultHealthyRetryPolicy;
    return { own: DeliveryPolicy !== undefined, effective };
  };
  const created = { PhysicalResourceId: 'OrdersPolicy' };
  const fails = (code: string, httpStatus: number, forMs: number) =>
    world.aws.faults.set({ service: 'sns', action: 'SetTopicAttributes', code, httpStatus, forMs });

  test('leaves its answer as S3 takes it: with an empty content type and nothing of an account', async () => {
    await ask(requestFor('Create'));
    const [put] = world.aws.endpoint(ANSWERS).requests;
    expect(put).toMatchObject({ method: 'PUT', protocol: 'https', path: expect.stringContaining(SIGNATURE) });
    expect(put?.headers['content-type'] ?? '').toBe('');
    expect(put?.headers).not.toHaveProperty('authorization');
  });

  test('creates, and names the resource by its logical id', async () => {
    expect(await ask(requestFor('Create'))).toMatchObject({ Status: 'SUCCESS', PhysicalResourceId: 'OrdersPolicy' });
    expect((await policyOf('Orders')).effective).toMatchObject({ numRetries: 5, minDelayTarget: 9 });
  });

  test('does the same again when it is asked again', async () => {
    const request = requestFor('Create');
    expect(await ask(request)).toEqual(await ask(request));
    expect((await policyOf('Orders')).effective).toMatchObject({ numRetries: 5 });
  });

  test('updates in place, and back again in a rollback', async () => {
    const newer = requestFor('Update', { ...created, OldResourceProperties: { DeliveryPolicy: attribute(2, 7) } });
    expect(await ask(newer)).toMatchObject({ Status: 'SUCCESS', ...created });
    expect((await policyOf('Orders')).effective).toMatchObject({ numRetries: 5 });
    const { ResourceProperties } = newer;
    const before = { ...ResourceProperties, DeliveryPolicy: attribute(2, 7) };
    const back = { ...created, ResourceProperties: before, OldResourceProperties: ResourceProperties };
    expect(await ask(requestFor('Update', back))).toMatchObject({ Status: 'SUCCESS', ...created });
    expect((await policyOf('Orders')).effective).toMatchObject({ numRetries: 2, minDelayTarget: 7 });
  });

  test('follows a topic that is replaced, without a new name that CloudFormation would have to delete', async () => {
    const OldResourceProperties = { TopicArn: world.ref('Orders'), DeliveryPolicy: attribute(2, 7) };
    const moved = requestFor('Update', { ...created, OldResourceProperties }, world.ref('Other'));
    expect(await ask(moved)).toMatchObject({ Status: 'SUCCESS', ...created });
    expect((await policyOf('Other')).effective).toMatchObject({ numRetries: 5 });
  });

  test('deletes: SNS’s default holds again', async () => {
    expect(await ask(requestFor('Delete', created))).toMatchObject({ Status: 'SUCCESS', ...created });
    expect(await policyOf('Orders')).toEqual({ own: false, effective: expect.objectContaining(DEFAULT) });
  });

  test('deletes what is gone already, topic and all', async () => {
    const request = requestFor('Delete', created);
    await world.sns.send(new DeleteTopicCommand({ TopicArn: world.ref('Orders') }));
    expect(await ask(request)).toMatchObject({ Status: 'SUCCESS' });
    expect(await ask(request)).toMatchObject({ Status: 'SUCCESS' });
  });

  test('hands on what SNS says of a policy it refuses; the rollback’s Delete then leaves the topic alone', async () => {
    const request = requestFor('Create');
    request.ResourceProperties.DeliveryPolicy = attribute(101, 9);
    const answer = await ask(request);
    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'OrdersPolicy:never-set' });
    expect(answer.Reason).toContain(
      'Invalid parameter: DeliveryPolicy: http.defaultHealthyRetryPolicy.numRetries must be less than or equal to 100',
    );
    const { PhysicalResourceId } = answer;
    expect(await ask(requestFor('Delete', { PhysicalResourceId }))).toMatchObject({ Status: 'SUCCESS' });
    expect((await policyOf('Orders')).effective).toMatchObject({ numRetries: 2, minDelayTarget: 7 });
  });

  test('keeps the resource’s name where an update fails', async () => {
    const request = requestFor('Update', created);
    request.ResourceProperties.DeliveryPolicy = '{}';
    expect(await ask(request)).toMatchObject({ Status: 'FAILED', ...created });
    expect((await policyOf('Orders')).effective).toMatchObject({ numRetries: 2 });
  });

  test('fails an update of a topic it may not touch, after waiting in case the permission is new', async () => {
    const before = world.seconds;
    const foreign = world.ref('Orders').replace(/:[^:]+$/, ':somebody-elses');
    const answer = await ask(requestFor('Update', created, foreign));
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining('AuthorizationError') });
    expect(answer.Reason).toContain('is not authorized to perform: SNS:SetTopicAttributes');
    expect(world.seconds - before).toBeGreaterThanOrEqual(30);
  });

  test('waits for a permission that is seconds late', async () => {
    fails('AuthorizationError', 403, 10_000);
    expect(await ask(requestFor('Create'))).toMatchObject({ Status: 'SUCCESS' });
    expect((await policyOf('Orders')).effective).toMatchObject({ numRetries: 5 });
  });

  test('outlasts a stumble of SNS', async () => {
    fails('InternalError', 500, 100);
    expect(await ask(requestFor('Update', created))).toMatchObject({ Status: 'SUCCESS' });
  });

  test('says what SNS says when it is down, and then holds up no rollback', async () => {
    const fault = fails('InternalError', 500, 3_600_000);
    const answer = await ask(requestFor('Create'));
    expect(answer).toMatchObject({ Status: 'FAILED', PhysicalResourceId: 'OrdersPolicy:perhaps-set' });
    expect(answer.Reason).toMatch(/^InternalError/);
    const { PhysicalResourceId } = answer;
    expect(await ask(requestFor('Delete', { PhysicalResourceId }))).toMatchObject({ Status: 'SUCCESS' });
    fault.end();
    expect((await policyOf('Orders')).own).toBe(true);
    expect(await ask(requestFor('Delete', { PhysicalResourceId }))).toMatchObject({ Status: 'SUCCESS' });
    expect((await policyOf('Orders')).own).toBe(false);
  });

  test('says what SNS says when it throttles', async () => {
    world.aws.faults.set({ service: 'sns', action: 'SetTopicAttributes', throttle: true, forMs: 3_600_000 });
    const answer = await ask(requestFor('Update', created));
    expect(answer).toMatchObject({ Status: 'FAILED', Reason: expect.stringContaining('Rate exceeded') });
  });

  test('gives SNS up when it keeps silent, in time to say so', async () => {
    const latencyMs = 3_600_000;
    world.aws.faults.set({ service: 'sns', action: 'SetTopicAttributes', latencyMs, forMs: latencyMs });
    const before = world.aws.nowMs;
    const reported = requestFor('Update', created);
    await invoke(reported);
    expect(answers()).toMatchObject([
      { Status: 'FAILED', RequestId: reported.RequestId, Reason: expect.stringMatching(/time/i) },
    ]);
    const [put] = world.aws.endpoint(ANSWERS).requests;
    expect((put?.atMs ?? Number.NaN) - before).toBeLessThan(180_000);
  });

  test.each(['Create', 'Delete'])('refuses a malformed %s by name', async type => {
    const request = requestFor(type);
    const answer = await ask({ ...request, ResourceProperties: { TopicArn: 'orders' } as never });
    expect(answer).toMatchObject({
      Status: 'FAILED',
      Reason:
        'TopicArn must be a topic\'s ARN, got "orders"; DeliveryPolicy must be a JSON object, as text, got undefined',
    });
    expect(answer.PhysicalResourceId).toBe('OrdersPolicy:never-set');
  });

  test('refuses a type of request nobody knows', async () => {
    const answer = await ask(requestFor('Import'));
    expect(answer).toMatchObject({
      Status: 'FAILED',
      Reason: 'RequestType must be Create, Update or Delete, got Import',
    });
  });

  test('tries again where the answer cannot be left, and Lambda does in the end', async () => {
    const endpoint = world.aws.endpoint(ANSWERS);
    endpoint.behave({ reply: response(503), count: 2 });
    await invoke(requestFor('Update', created));
    expect(endpoint.requests).toHaveLength(3);
    endpoint.behave({ reply: response(503), count: 5 });
    await invoke(requestFor('Update', created));
    expect(endpoint.requests).toHaveLength(3 + 6);
    expect(answers().at(-1)).toMatchObject({ Status: 'SUCCESS' });
  });

  test('does not ask again where the URL is refused, and shows nobody what it was', async () => {
    world.aws.endpoint(ANSWERS).behave({ reply: response(403) });
    await invoke(requestFor('Update', created));
    expect(world.aws.endpoint(ANSWERS).requests).toHaveLength(3);
    const log = world.aws.stacks[0]?.resources ?? new Map();
    const groups = [...log.values()].filter(({ type }) => type === 'AWS::Logs::LogGroup').map(({ ref }) => ref);
    const lines = groups.flatMap(group => world.log(group)).join('\n');
    expect(lines).toContain(`CloudFormation did not get the answer: ${ANSWERS} answered 403`);
    expect(lines).not.toContain(SIGNATURE);
  });
});

describe('A deployment of a topic’s delivery policy', () => {
  const assembly = () =>
    assemblyOfStack(stack => {
      new TopicDeliveryPolicy(stack, 'Policy', { topic: new Topic(stack, 'Orders'), deliveryPolicy: retries(2, 7) });
    });

  const statements = ({ Resources }: Template) =>
    Object.values(Resources)
      .filter(({ Type }) => Type === 'AWS::IAM::Policy')
      .map(({ Properties = {} }) => (Properties['PolicyDocument'] as { Statement: { Action: unknown }[] }).Statement);

  const without = (action: string) => {
    const directory = assembly();
    editTemplate(directory, 'Test', template => {
      const touched = statements(template).filter(list => JSON.stringify(list).includes(action));
      expect(touched).toHaveLength(1);
      for (const list of touched) for (const statement of list) statement.Action = 'sns:ListTopics';
    });
    return directory;
  };

  const logged = ({ aws }: Deployed) =>
    [...(aws.stacks[0]?.resources.values() ?? [])]
      .filter(({ type }) => type === 'AWS::Logs::LogGroup')
      .flatMap(({ ref }) => aws.logs(ref));

  test('has two statements, and without the one on the topic fails with what SNS says', async () => {
    const failure: unknown = await LocalAws.deploy(without('sns:SetTopicAttributes')).catch(error => error);
    expect(failure).toBeInstanceOf(AssemblyError);
    expect(String(failure)).toMatch(
      /Received response status \[FAILED\] from custom resource\. Message returned: AuthorizationError.*SetTopicAttributes/,
    );
  });

  test('without the one on its log nobody can read what it did', async () => {
    expect(logged(await Deployed.assembly(assembly()))).not.toEqual([]);
    expect(logged(await Deployed.assembly(without('logs:PutLogEvents')))).toEqual([]);
  });

  test('tells of a policy that turns out to be wrong only there, in SNS’s words', async () => {
    const directory = assembly();
    editTemplate(directory, 'Test', ({ Resources }) => {
      const found = Object.values(Resources).filter(({ Type }) => Type === CREATED);
      for (const { Properties } of found) Object.assign(Properties ?? {}, { DeliveryPolicy: attribute(101, 7) });
    });
    await expect(LocalAws.deploy(directory)).rejects.toThrow(
      /Message returned: .*http\.defaultHealthyRetryPolicy\.numRetries must be less than or equal to 100/,
    );
  });

  test('knows a number that is a parameter’s', async () => {
    const world = await Deployed.stack(stack => {
      const numRetries = new CfnParameter(stack, 'Retries', { type: 'Number', default: 4 }).valueAsNumber;
      const deliveryPolicy = { healthyRetryPolicy: { numRetries } };
      new TopicDeliveryPolicy(stack, 'Policy', { topic: new Topic(stack, 'Orders'), deliveryPolicy });
    });
    const command = new GetTopicAttributesCommand({ TopicArn: world.ref('Orders') });
    const { Attributes = {} } = await world.sns.send(command);
    expect(JSON.parse(Attributes['DeliveryPolicy'] ?? '').http.defaultHealthyRetryPolicy.numRetries).toBe(4);
  });
});
