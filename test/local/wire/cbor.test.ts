import { CloudWatchClient, DescribeAlarmsCommand, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import { cbor, SmithyRpcV2CborProtocol } from '@smithy/core/cbor';
import fc from 'fast-check';
import { AwsError } from '../../../local/kernel/aws-error';
import { CLOUDWATCH_MODEL } from '../../../local/wire';
import { ServiceOnTheWire } from './service-on-the-wire';

const HEADERS = { 'smithy-protocol': 'rpc-v2-cbor', 'content-type': 'application/cbor' };
const PUT = '/service/GraniteServiceVersion20100801/operation/PutMetricData';

/** A client that speaks CBOR, as those of other languages do. */
function cborClient(wire: ServiceOnTheWire): CloudWatchClient {
  const protocol = new SmithyRpcV2CborProtocol({ defaultNamespace: 'com.amazonaws.cloudwatch' });
  return new CloudWatchClient({ ...wire.clientConfig, protocol });
}

describe('RPC v2 CBOR', () => {
  it('carries numbers, instants and texts both ways', async () => {
    const Timestamp = new Date(Date.UTC(2026, 0, 1, 12));
    const alarms = {
      MetricAlarms: [{ AlarmName: 'late', Threshold: 0.5, AlarmConfigurationUpdatedTimestamp: Timestamp }],
    };
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, ({ action }) =>
      action === 'DescribeAlarms' ? alarms : undefined,
    );
    const client = cborClient(wire);
    const input = {
      Namespace: 'Rental',
      MetricData: [{ MetricName: 'Orders', Value: 0.25, Timestamp, Dimensions: [{ Name: 'Shop', Value: 'Zürich' }] }],
    };
    await client.send(new PutMetricDataCommand(input));
    expect(wire.requests[0]?.path).toBe('/service/GraniteServiceVersion20100801/operation/PutMetricData');
    expect(wire.calls).toMatchObject([{ action: 'PutMetricData', input }]);
    expect(await client.send(new DescribeAlarmsCommand({}))).toMatchObject(alarms);
  });

  it('names an error in its body, and its old code in a header', async () => {
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => {
      throw new AwsError('ResourceNotFound', 'No such alarm', 404);
    });
    await expect(cborClient(wire).send(new DescribeAlarmsCommand({}))).rejects.toMatchObject({
      name: 'ResourceNotFound',
      message: 'No such alarm',
      $metadata: { httpStatusCode: 404 },
    });
    const { headers } = await wire.raw({ path: PUT, headers: HEADERS });
    expect(headers.get('x-amzn-query-error')).toBe('ResourceNotFound;Sender');
  });

  it.each([
    ['a list that ends too early', [0x9a, 0xff, 0xff, 0xff, 0xff]],
    ['a text longer than the body', [0x7b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]],
    ['a number of a thousand bytes', [0xa1, 0x61, 0x61, 0xc2, 0x59, 0x03, 0xe8, ...new Array(1_000).fill(1)]],
    ['a thousand lists in each other', new Array(1_000).fill(0x9f)],
    ['a break of nothing', [0xff]],
    ['a reserved length', [0xbc]],
    ['a second document', [0xa0, 0xa0]],
    ['a text for a structure', [0x61, 0x61]],
    [
      'what is no number for a number',
      [...cbor.serialize({ Namespace: 'n', MetricData: [{ MetricName: 'm', Value: Number.NaN }] })],
    ],
  ])('refuses %s', async (_, bytes) => {
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => undefined);
    const { status, headers } = await wire.raw({ path: PUT, headers: HEADERS, body: Uint8Array.from(bytes) });
    expect([status, headers.get('x-amzn-query-error')]).toEqual([400, 'SerializationException;Sender']);
    expect(wire.calls).toEqual([]);
  });

  it('knows no operation of another service', async () => {
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => undefined);
    const { status } = await wire.raw({ path: '/service/Other/operation/PutMetricData', headers: HEADERS });
    expect(status).toBe(404);
  });

  it('answers whatever bytes come', async () => {
    const wire = new ServiceOnTheWire(CLOUDWATCH_MODEL, () => undefined);
    const whole = cbor.serialize({
      Namespace: 'n',
      MetricData: [{ MetricName: 'm', Values: [1, 2.5], Counts: [1, 1] }],
    });
    const flipped = fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }).map(changes => {
      const bytes = Uint8Array.from(whole);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
    await fc.assert(
      fc.asyncProperty(fc.oneof(flipped, fc.uint8Array({ maxLength: 100 })), async body => {
        const { status } = await wire.raw({ path: PUT, headers: HEADERS, body });
        expect([200, 400]).toContain(status);
      }),
      { numRuns: 2_000 },
    );
  });
});
