import { CloudWatchClient, type MetricDatum, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Stack } from 'aws-cdk-lib';
import { DurableTopic, HttpRelay, type HttpRelayOptions, OpsTopic, RelayEndpoint } from '../../lib';
import { response } from '../../local';
import { assemblyOfStack, editTemplate } from '../support/assembly';
import { Deployed } from '../support/deployed';
import { statedSecret } from '../support/stated-secret';

const HOST = 'partner.example.com';
const MINUTE_MS = 60_000;

function relaying(optionsIn: (stack: Stack) => HttpRelayOptions = () => ({})): (stack: Stack) => void {
  return stack => {
    const alarmActions = [new OpsTopic(stack, 'Ops', { email: 'ops@example.com' })];
    const options = optionsIn(stack);
    const endpoint = RelayEndpoint.fromUrl(`https://${HOST}/orders`);
    const fifo = options.fifo && { fifo: true, contentBasedDeduplication: true };
    const topic = new DurableTopic(stack, 'Orders', { alarmActions, ...fifo });
    topic.deliverToRelay('Partner', new HttpRelay(stack, 'Relay', { endpoint, alarmActions, ...options }));
  };
}

/** Which alarms of the relay, its queue and its dead-letter queue ever fired. */
function fired(deployed: Deployed): readonly string[] {
  const rung = deployed.happened('cloudwatch.alarm-state-changed').filter(({ to }) => to === 'ALARM');
  return [...new Set(rung.map(({ alarmName }) => alarmName.replace(/^.*?-?Relay(\w+?Alarm).*$/, '$1')))];
}

describe('A relay whose secret is malformed', () => {
  test.each([
    ['one message', 0],
    ['a message a minute', 1],
  ])(
    'sends nothing, and tells within a quarter of an hour; mended it delivers and is silent: %s',
    async (_, perMinute) => {
      const deployed = await Deployed.stack(
        relaying(stack => ({ headersSecret: statedSecret(stack, 'Headers', 'Authorization: Bearer of-good-news') })),
      );
      await deployed.advance({ minutes: 1 });
      const from = deployed.seconds;
      await deployed.publish('Orders', 'order 7');
      for (let minute = 0; minute < 16; minute += 1) {
        for (let i = 0; i < perMinute; i += 1) await deployed.publish('Orders', `order ${minute}`);
        await deployed.advance({ minutes: 1 });
      }
      expect(deployed.aws.endpoint(HOST).requests).toEqual([]);
      expect(deployed.alarmed('Relay/UntriedAlarm')).toHaveLength(1);
      expect(deployed.alarmed('Relay/UntriedAlarm')[0]).toBeLessThanOrEqual(from + 900);

      const secrets = new SecretsManagerClient(deployed.aws.clientConfig());
      const SecretString = JSON.stringify({ Authorization: 'Bearer of-good-news' });
      await secrets.send(new PutSecretValueCommand({ SecretId: deployed.ref('Headers'), SecretString }));
      await deployed.advance({ hours: 1 });
      expect(deployed.aws.endpoint(HOST).requests).toHaveLength(1 + 16 * perMinute);
      expect(deployed.rings('Relay/UntriedAlarm').at(-1)?.to).toBe('OK');
      expect(deployed.alarmed('Relay/UntriedAlarm')).toHaveLength(1);
    },
  );
});

test('A relay that breaks at each message tells so, though its function does not fail', async () => {
  const assembly = assemblyOfStack(relaying());
  editTemplate(assembly, 'Test', ({ Resources }) => {
    // A header no request can have, which synthesis would refuse.
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

describe('A FIFO relay', () => {
  test('is not said to receive nothing while its messages wait behind one that is tried again', async () => {
    const deployed = await Deployed.stack(relaying(() => ({ fifo: true })));
    deployed.aws.endpoint(HOST).behave({ reply: response(503) });
    for (const order of ['a', 'b', 'c']) await deployed.publish('Orders', order, { MessageGroupId: 'customer-7' });
    await deployed.advance({ hours: 6 });
    expect(deployed.aws.endpoint(HOST).requests.length).toBeGreaterThan(10);
    expect(fired(deployed)).toEqual([]);
  });
});

/**
 * On AWS metrics come late: those of a log once the invocation has ended, those of a queue after a minute or more. Here they
 * are there at once, so the same alarm looks at numbers of ours instead, which come as late as we like.
 */
describe('Where metrics come late', () => {
  const NAMESPACE = 'Measured/Late';

  /** A relay one of whose alarms looks at our numbers, and what publishes those of one minute. */
  async function measured(alarmId: string) {
    const assembly = assemblyOfStack(relaying());
    editTemplate(assembly, 'Test', ({ Resources }) => {
      for (const [id, { Properties }] of Object.entries(Resources)) {
        if (!id.startsWith(`Relay${alarmId}Alarm`)) continue;
        const metrics = Properties?.['Metrics'] as { MetricStat?: { Metric: Record<string, unknown> } }[];
        for (const { MetricStat } of metrics) {
          if (MetricStat) Object.assign(MetricStat.Metric, { Namespace: NAMESPACE, Dimensions: [] });
        }
      }
    });
    const deployed = await Deployed.assembly(assembly);
    const cloudWatch = new CloudWatchClient(deployed.aws.clientConfig());
    const put = async (values: Readonly<Record<string, number>>, lateMinutes: number) => {
      const Timestamp = new Date(deployed.aws.nowMs - lateMinutes * MINUTE_MS);
      const MetricData: MetricDatum[] = Object.entries(values).map(([MetricName, Value]) => ({
        MetricName,
        Value,
        Timestamp,
      }));
      await cloudWatch.send(new PutMetricDataCommand({ Namespace: NAMESPACE, MetricData }));
    };
    return { deployed, put, alarmed: () => deployed.alarmed(`Relay/${alarmId}Alarm`) };
  }

  test.each([0, 1, 2])(
    'the breaker’s alarm fires within six minutes, as they are %i minutes late',
    async lateMinutes => {
      const { deployed, put, alarmed } = await measured('Breaker');
      for (let minute = 0; minute < 6; minute += 1) {
        await put({ Attempts: 20, FailedAttempts: 20 }, lateMinutes);
        await deployed.advance({ minutes: 1 });
      }
      expect(alarmed()).toHaveLength(1);
    },
  );

  const NOBODY = { NumberOfMessagesReceived: 0, NumberOfEmptyReceives: 0, ApproximateNumberOfMessagesVisible: 3 };

  test.each([0, 2, 4])('nobody asking for what is due is told of, as they are %i minutes late', async lateMinutes => {
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
