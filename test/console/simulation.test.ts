import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { SimulationCalls } from '../../console/api/simulation';
import { ConsoleCalls } from '../../console/server/calls';
import type { ConsoleContext } from '../../console/server/context';
import { AccountModel } from '../../console/server/overview/account-model';
import { RedriveRuns } from '../../console/server/redrive/redrive-runs';
import { SimulationControls } from '../../console/server/simulation/simulation';
import { simulationCalls } from '../../console/server/simulation/simulation-calls';
import { awsSource, simulationSource } from '../../console/server/source';
import { LocalAws, response } from '../../local';
import { assemblyOfStack } from '../support/assembly';
import { inlineFunction } from '../support/inline-function';

const PACE = { structureMs: 0, levelsMs: 0, metricsMs: 0, requestsPerMinute: 1_000 };
const SHOP = 'shop.example.com';

describe('the controls of a simulation', () => {
  let aws: LocalAws;
  let controls: SimulationControls;
  let call: <Name extends keyof SimulationCalls>(
    name: Name,
    input: SimulationCalls[Name]['input'],
  ) => Promise<SimulationCalls[Name]['output']>;
  let url: string;
  let close: () => Promise<void>;

  function contextOf(source: ConsoleContext['source']): ConsoleContext {
    const nowMs = (): number => 0;
    const options = { source, mayChange: true, assets: '', version: '1.0.0', base: '/', isOpen: true, nowMs };
    return { ...options, model: new AccountModel(source, PACE, nowMs), runs: new RedriveRuns(options) };
  }

  beforeAll(async () => {
    const assembly = assemblyOfStack(stack => {
      const orders = new Topic(stack, 'Orders', { topicName: 'orders' });
      const work = new Queue(stack, 'Work', { queueName: 'work' });
      orders.addSubscription(new SqsSubscription(work));
      const billing = inlineFunction(stack, 'Billing', 'exports.handler = async () => {};', {
        functionName: 'billing',
      });
      billing.addToRolePolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [work.queueArn] }));
      orders.addSubscription(new UrlSubscription(`https://${SHOP}/in`));
      new Topic(stack, 'Quiet', { topicName: 'quiet' });
    });
    aws = await LocalAws.deploy(assembly, { seed: 5 });
    ({ url } = await aws.listen({ rewindable: true }));
    const source = simulationSource(url, 'us-east-1', () => 0);
    controls = new SimulationControls(contextOf(source), Number.POSITIVE_INFINITY);
    const calls = new ConsoleCalls(simulationCalls(() => controls) as never, true);
    call = (name, input) => calls.run(name, JSON.stringify(input)) as never;
    close = () => source.close();
  });
  afterAll(async () => {
    await close();
    await aws.close();
  });

  async function permissionOf(holder: string): Promise<string> {
    const { permissions } = await controls.document();
    return permissions?.find(it => it.holder === holder)?.id ?? '';
  }

  test('are told what there is to control', async () => {
    expect(await controls.document()).toMatchObject({
      nowMs: Date.parse(aws.now),
      speed: 0,
      events: aws.trace.lastSeq,
      topics: ['orders', 'quiet'],
      queues: ['work'],
      endpoints: [{ host: SHOP, requests: 1, mood: 'up' }],
      faults: [],
      permissions: [
        { holder: 'billing', says: 'may sqs:SendMessage on work', isTaken: false },
        { holder: 'billing', says: 'has the managed policy AWSLambdaBasicExecutionRole', isTaken: false },
        { holder: 'work', says: 'sns.amazonaws.com may sqs:SendMessage for orders', isTaken: false },
      ],
      snapshots: [],
      undo: null,
    });
  });

  test('play, pause, step and jump', async () => {
    const start = Date.parse(aws.now);
    await call('simulation/speed', { speed: 'max' });
    expect((await controls.document()).speed).toBe('max');
    await call('simulation/speed', { speed: 0 });
    await call('simulation/send', { to: 'queue', name: 'work', message: 'n {n}', count: 3, everySeconds: 60 });
    expect(await call('simulation/step', {})).toEqual({ nowMs: start + 60_000, events: 1 });
    expect(await call('simulation/jump', { seconds: 30 })).toEqual({ nowMs: start + 90_000, events: 0 });
    const until = new Date(start + 120_000).toISOString();
    expect(await call('simulation/jump', { until })).toEqual({ nowMs: start + 120_000, events: 1 });
    const { newest } = await controls.document();
    expect(newest[0]).toMatchObject({ type: 'sqs.sent', facts: expect.stringMatching(/^queue=work/) });
    expect(aws.drain('work').map(it => it.body)).toEqual(['n 1', 'n 2', 'n 3']);
  });

  test('break an endpoint, a service and a permission, and undo each of it', async () => {
    await call('simulation/restore', { name: null });
    await call('simulation/endpoint', { host: SHOP, mood: 'down' });
    await call('simulation/fault', { service: 'sqs', kind: 'throttle', action: 'SendMessage', forSeconds: 60 });
    await call('simulation/fault', { service: 'kms', kind: 'slow' });
    await call('simulation/fault', { service: 'lambda', kind: 'error' });
    const id = await permissionOf('work');
    await call('simulation/permission', { id, isTaken: true });
    const broken = await controls.document();
    expect(broken).toMatchObject({
      endpoints: [{ mood: 'down' }],
      faults: [
        { says: 'sqs SendMessage throttles', untilMs: Date.parse(aws.now) + 60_000 },
        { says: 'kms takes 20000 ms', untilMs: null },
        { says: 'lambda answers 503', untilMs: null },
      ],
      permissions: [{ isTaken: false }, { isTaken: false }, { id, isTaken: true }],
    });
    expect(aws.state().queues).toHaveLength(1);
    const points = ['a permission was taken away', 'lambda answers 503', 'kms takes 20000 ms'];
    for (const says of points) {
      const { undo } = await controls.document();
      expect(undo?.says).toBe(says);
      await call('simulation/restore', { name: undo?.name ?? null });
    }
    expect(await controls.document()).toMatchObject({
      endpoints: [{ mood: 'down' }],
      faults: [{ says: 'sqs SendMessage throttles' }],
      permissions: [{ isTaken: false }, { isTaken: false }, { id, isTaken: false }],
      undo: { says: 'sqs SendMessage throttles' },
    });
    await call('simulation/end-faults', {});
    await call('simulation/endpoint', { host: SHOP, mood: 'up' });
    expect(await controls.document()).toMatchObject({ endpoints: [{ mood: 'up' }], faults: [] });
  });

  test('go back to an instant, with what was set then', async () => {
    await call('simulation/restore', { name: null });
    const beganMs = aws.nowMs;
    await call('simulation/endpoint', { host: SHOP, mood: 'error' });
    await call('simulation/travel', { atMs: beganMs + 60_000 });
    await call('simulation/endpoint', { host: SHOP, mood: 'up' });
    await call('simulation/travel', { atMs: beganMs + 120_000 });
    await call('simulation/travel', { atMs: beganMs + 30_000 });
    expect(await controls.document()).toMatchObject({
      beganMs,
      nowMs: beganMs + 30_000,
      endpoints: [{ mood: 'error' }],
      snapshots: [{ says: `${SHOP} answers 503` }, { says: 'a jump to 2026-01-01 00:01 UTC' }],
    });
  });

  test('lose what a topic sends while its permission is taken away, and not after it is given back', async () => {
    await call('simulation/restore', { name: null });
    const id = await permissionOf('work');
    const publish = () =>
      call('simulation/send', { to: 'topic', name: 'orders', message: 'x', count: 1, everySeconds: 0 });
    await call('simulation/permission', { id, isTaken: true });
    await publish();
    await call('simulation/permission', { id, isTaken: false });
    await publish();
    expect(aws.drain('work')).toHaveLength(1);
    expect((await controls.document()).permissions?.[2]).toMatchObject({ id, isTaken: false });
  });

  test('take permissions of a function away, inline and managed ones, and give them back', async () => {
    const { permissions = [] } = await controls.document();
    const ids = permissions?.filter(it => it.holder === 'billing').map(({ id }) => id) ?? [];
    const [, roleName = ''] = ids[0]?.split(' ') ?? [];
    const policies = () => {
      const role = aws.services.iam.findRoleNamed(roleName);
      return [role?.inlinePolicies.size, role?.attachedPolicyArns.length];
    };
    expect([ids.length, policies()]).toEqual([2, [1, 1]]);
    for (const id of ids) await call('simulation/permission', { id, isTaken: true });
    expect(policies()).toEqual([0, 0]);
    expect((await controls.document()).permissions?.map(it => it.isTaken)).toEqual([true, true, false]);
    for (const id of ids) await call('simulation/permission', { id, isTaken: false });
    expect(policies()).toEqual([1, 1]);
    expect((await controls.document()).permissions).toEqual(expect.arrayContaining([...(permissions ?? [])]));
  });

  test.each([
    ['down', 'no-answer'],
    ['gone', 'no-answer'],
    ['error', 503],
    ['throttling', 429],
    ['slow', 200],
    ['flaky', 503],
  ] as const)('let an endpoint be %s', async (mood, answer) => {
    await call('simulation/endpoint', { host: SHOP, mood });
    const asked = aws.request('GET', `https://${SHOP}/`).then(
      it => it.status,
      () => 'no-answer',
    );
    await aws.advance({ minutes: 1 });
    expect(await asked).toBe(answer);
    expect((await controls.document()).endpoints).toMatchObject([{ mood }]);
  });

  test('confirm a subscription', async () => {
    await call('simulation/restore', { name: null });
    const endpoint = `https://${SHOP}/in`;
    expect((await controls.document()).unconfirmed).toEqual([endpoint]);
    await call('simulation/confirm', { endpoint });
    expect(await controls.document()).toMatchObject({ unconfirmed: [], undo: { says: `${endpoint} was confirmed` } });
  });

  test('say when a script set how an endpoint behaves', async () => {
    await call('simulation/endpoint', { host: SHOP, mood: 'up' });
    aws.endpoint(SHOP).behave({ reply: response(500) });
    expect((await controls.document()).endpoints).toMatchObject([{ mood: null }]);
  });

  test.each<[keyof SimulationCalls, object, string]>([
    ['simulation/speed', { speed: 'fast' }, 'speed must be a number, got "fast"'],
    ['simulation/speed', { speed: -1 }, 'speed must be max, or a number of 0 or more, got -1'],
    ['simulation/jump', {}, 'the body must hold either seconds or until, got nothing'],
    ['simulation/travel', { atMs: 0 }, 'until must be an instant in ISO 8601, with Z or an offset, from 2026-01-01'],
    ['simulation/endpoint', { host: SHOP, mood: 'sad' }, 'mood must be one of up, down, error, slow, flaky'],
    ['simulation/endpoint', { mood: 'down' }, 'host must be a text, got nothing'],
    ['simulation/fault', { service: 'sqs', kind: 'odd' }, 'kind must be one of error, throttle, slow, got "odd"'],
    ['simulation/fault', { service: 'ftp', kind: 'error' }, 'service must be one of lambda, sqs, sns'],
    ['simulation/fault', { service: 'sqs', kind: 'error', action: 'Sned' }, 'action must be an action of sqs'],
    ['simulation/permission', { id: 'work {}', isTaken: 1 }, 'isTaken must be true or false, got 1'],
    ['simulation/permission', { id: 'queue work  {}', isTaken: true }, 'the policy has changed: load the page again'],
    ['simulation/send', { to: 'bus', name: 'x' }, 'to must be one of topic, queue, got "bus"'],
    ['simulation/restore', { name: 'monday' }, 'snapshot must be a snapshot: there are'],
  ])('%s refuses %j', async (name, input, says) => {
    await expect(call(name, input as never)).rejects.toThrow(says);
  });

  test('do not wait for the resources of a large account', async () => {
    const never = new Promise<never>(() => {});
    const context = contextOf(simulationSource(url, 'us-east-1', () => 0));
    const model = Object.assign(context.model, { readStructure: () => never });
    const { permissions, queues } = await new SimulationControls({ ...context, model }, 0).document();
    expect([permissions, queues]).toEqual([null, ['work']]);
  });

  test('refuse a real AWS', () => {
    const clock = { nowMs: () => 0, answered: () => {} };
    const source = awsSource({ region: 'us-east-1' }, () => 0, clock);
    expect(() => new SimulationControls(contextOf(source))).toThrow('only a simulation can be controlled');
  });
});
