import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Stack } from 'aws-cdk-lib';
import {
  AlarmDefaults,
  AlarmSet,
  DurableTopic,
  HttpRelay,
  type HttpRelayOptions,
  OpsTopic,
  RelayEndpoint,
} from '../../lib';
import { type OutsideEndpoint, response } from '../../local';
import { assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { measuredAlarm } from '../support/measured-alarm';
import { statedSecret } from '../support/stated-secret';

const HOST = 'partner.example.com';

function relaying(
  optionsIn: (stack: Stack) => HttpRelayOptions = () => ({}),
  set: AlarmSet = AlarmSet.ALL,
): (stack: Stack) => void {
  return stack => {
    AlarmDefaults.of(stack).use(set);
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    const options = optionsIn(stack);
    const endpoint = RelayEndpoint.fromUrl(`https://${HOST}/orders`);
    const fifo = options.fifo && { fifo: true, contentBasedDeduplication: true };
    const topic = new DurableTopic(stack, 'Orders', { alarmActions, ...fifo });
    topic.deliverToRelay('Partner', new HttpRelay(stack, 'Relay', { endpoint, alarmActions, ...options }));
  };
}

/** Returns the alarms of the relay, its queue and its dead-letter queue that have fired. */
function fired(deployed: Deployed): readonly string[] {
  const rung = deployed.happened('cloudwatch.alarm-state-changed').filter(({ to }) => to === 'ALARM');
  return [...new Set(rung.map(({ alarmName }) => alarmName.replace(/^.*?-?Relay(\w+?Alarm).*$/, '$1')))];
}

test('A relay whose secret is malformed sends nothing, and tells within a quarter of an hour; mended it delivers and is silent', async () => {
  const deployed = await Deployed.stack(
    relaying(stack => ({ headersSecret: statedSecret(stack, 'Headers', 'Authorization: Bearer of-good-news') })),
  );
  await deployed.advance({ minutes: 1 });
  const from = deployed.seconds;
  await deployed.publish('Orders', 'order 7');
  for (let minute = 0; minute < 16; minute += 1) {
    await deployed.publish('Orders', `order ${minute}`);
    await deployed.advance({ minutes: 1 });
  }
  expect(deployed.aws.endpoint(HOST).requests).toEqual([]);
  expect(deployed.alarmed('Relay/UntriedAlarm')).toHaveLength(1);
  expect(deployed.alarmed('Relay/UntriedAlarm')[0]).toBeLessThanOrEqual(from + 900);

  const secrets = new SecretsManagerClient(deployed.aws.clientConfig());
  const SecretString = JSON.stringify({ Authorization: 'Bearer of-good-news' });
  await secrets.send(new PutSecretValueCommand({ SecretId: deployed.ref('Headers'), SecretString }));
  await deployed.advance({ hours: 1 });
  expect(deployed.aws.endpoint(HOST).requests).toHaveLength(1 + 16);
  expect(deployed.rings('Relay/UntriedAlarm').at(-1)?.to).toBe('OK');
  expect(deployed.alarmed('Relay/UntriedAlarm')).toHaveLength(1);
});

test('A relay that breaks at each message tells so, though its function does not fail', async () => {
  const assembly = assemblyOfStack(relaying());
  editTemplate(assembly, 'Test', ({ Resources }) => {
    // A header value that no HTTP request can have. Synthesis would reject it.
    const edited = JSON.stringify(Resources).replaceAll('text/plain; charset=UTF-8', 'text/plain\\\\r\\\\nX: 1');
    Object.assign(Resources, JSON.parse(edited));
  });
  const deployed = await Deployed.assembly(assembly);
  await deployed.publish('Orders', 'order 7');
  await deployed.advance({ minutes: 6 });
  expect(deployed.aws.endpoint(HOST).requests).toEqual([]);
  expect(deployed.alarmed('Relay/BrokenAlarm')).toHaveLength(1);
  expect(deployed.alarmed('Relay/ErrorsAlarm')).toEqual([]);
});

test('A FIFO relay is not said to receive nothing while its messages wait behind one that is tried again', async () => {
  const deployed = await Deployed.stack(relaying(() => ({ fifo: true })));
  deployed.aws.endpoint(HOST).behave({ reply: response(503) });
  for (const order of ['a', 'b', 'c']) await deployed.publish('Orders', order, { MessageGroupId: 'customer-7' });
  await deployed.advance({ hours: 4 });
  expect(deployed.aws.endpoint(HOST).requests.length).toBeGreaterThan(8);
  expect(fired(deployed)).toEqual(['UndeliveredAlarm']);
});

describe.each([
  { set: AlarmSet.ESSENTIAL, alarm: 'EndpointFailingAlarm', ofMore: [] },
  // The attempts for eight orders are enough for a rate.
  { set: AlarmSet.ALL, alarm: 'UndeliveredAlarm', ofMore: ['FailureRateAlarm'] },
])('A relay with AlarmSet.$set that gets an order now and then', ({ set, alarm, ofMore }) => {
  let deployed: Deployed;
  let host: OutsideEndpoint;

  beforeAll(async () => {
    deployed = await Deployed.stack(relaying(() => ({}), set));
    host = deployed.aws.endpoint(HOST);
    await deployed.advance({ minutes: 1 });
  });

  test.each([
    { orders: 1, expected: [] },
    { orders: 7, expected: ofMore },
  ])(
    'reports $expected in twenty minutes of a deployment, with $orders more orders in it',
    async ({ orders, expected }) => {
      host.behave({ reply: response(503) });
      for (let order = 0; order <= orders; order += 1) {
        await deployed.publish('Orders', `order ${order}`);
        if (order < orders) await deployed.advance({ seconds: 1_200 / orders });
      }
      host.behave();
      await deployed.advance({ minutes: 150 });
      expect(fired(deployed)).toEqual(expected);
    },
  );

  test('reports within an hour and a quarter that its endpoint fails, and stops once it delivers', async () => {
    host.behave({ reply: response(503) });
    const from = deployed.seconds;
    await deployed.publish('Orders', 'order 7');
    await deployed.advance({ hours: 4 });
    expect(fired(deployed)).toEqual([...ofMore, alarm]);
    expect(deployed.alarmed(`Relay/${alarm}`)[0]).toBeLessThanOrEqual(from + 75 * 60);
    host.behave();
    await deployed.advance({ hours: 3 });
    expect(deployed.rings(`Relay/${alarm}`).map(({ to }) => to)).toEqual(['OK', 'ALARM', 'OK']);
  });
});

describe('Where metrics come late', () => {
  const measured = (alarmId: string) => measuredAlarm(relaying(), `Relay/${alarmId}Alarm`);

  test.each([0, 2])('the breaker’s alarm fires within six minutes, as they are %i minutes late', async lateMinutes => {
    const { deployed, put, alarmed } = await measured('Breaker');
    for (let minute = 0; minute < 6; minute += 1) {
      await put({ Attempts: 20, FailedAttempts: 20, ClientErrors: 0, Delivered: 0 }, lateMinutes);
      await deployed.advance({ minutes: 1 });
    }
    expect(alarmed()).toHaveLength(1);
  });

  test.each([
    [{ FailedAttempts: 1, Delivered: 0 }, 1],
    [{ FailedAttempts: 1, Delivered: 1 }, 0],
    [{ FailedAttempts: 0, Delivered: 0 }, 0],
  ])('of hours, each with %j, it is told %i times that nothing is delivered', async (hour, times) => {
    const { deployed, put, alarmed } = await measured('Undelivered');
    for (let hours = 0; hours < 6; hours += 1) {
      await put(hour, 2);
      await deployed.advance({ minutes: 63 });
    }
    expect(alarmed()).toHaveLength(times);
  });

  test.each([
    ['half open for hours', [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], 1],
    ['opened again and again, and never closed', [2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1], 1],
    ['open, which has an alarm of its own', [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2], 0],
    ['half open for an hour and a half at a time', [2, 1, 1, 1, 0, 0, 2, 1, 1, 1, 0, 0], 0],
  ])('a breaker is %s', async (_, halfHours, times) => {
    const { deployed, put, alarmed } = await measured('HalfOpen');
    for (const BreakerState of halfHours) {
      await put({ BreakerState }, 0);
      await deployed.advance({ minutes: 30 });
    }
    expect(alarmed()).toHaveLength(times);
  });

  const NOBODY = { NumberOfMessagesReceived: 0, NumberOfEmptyReceives: 0, ApproximateNumberOfMessagesVisible: 3 };

  test.each([0, 4])('nobody asking for what is due is told of, as they are %i minutes late', async lateMinutes => {
    const { deployed, put, alarmed } = await measured('Untaken');
    for (let minute = 0; minute < 22; minute += 1) {
      await put(NOBODY, lateMinutes);
      await deployed.advance({ minutes: 1 });
    }
    expect(alarmed()).toHaveLength(1);
  });

  test('what is due is not told of where the asking is only measured later', async () => {
    const { deployed, put, alarmed } = await measured('Untaken');
    for (let minute = 0; minute < 30; minute += 1) {
      await put({ ApproximateNumberOfMessagesVisible: 3 }, 0);
      await put({ NumberOfMessagesReceived: 0, NumberOfEmptyReceives: 15 }, 3);
      await deployed.advance({ minutes: 1 });
    }
    expect(alarmed()).toEqual([]);
  });
});
