import { EXAMPLE_PLACE } from '../../../../local/kernel/place';
import { Timeline } from '../../../../local/kernel/timeline';
import { type Control, TimeDriver, WireServer } from '../../../../local/wire';
import { RawClient, signedFor } from './raw-http';

const REQUEST = { headers: { ...signedFor('sqs'), 'x-amz-target': 'AmazonSQS.ListQueues' }, body: '{}' };

/** A server whose every part breaks as it is told to. */
async function breaking(requestId: () => string) {
  const timeline = new Timeline(0);
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const driver = new TimeDriver(timeline, { speed: 0, onError });
  const server = new WireServer({
    network: {
      send: () => {
        throw new Error('the network broke');
      },
      resolve: () => ({ addresses: [], latencyMs: 0 }),
      connect: () => undefined,
    },
    place: EXAMPLE_PLACE,
    timeline,
    driver,
    control: {} as Control,
    requestId,
    onError,
  });
  const client = new RawClient(await server.listen(0, '127.0.0.1'));
  const close = async () => {
    client.close();
    await server.close();
    await driver.stop();
  };
  return { client, errors, close };
}

describe('a failure of our own while a request is served', () => {
  it('is answered 500', async () => {
    const { client, errors, close } = await breaking(() => 'id');
    expect(await client.send(REQUEST)).toMatchObject({
      status: 500,
      text: expect.stringContaining('the network broke'),
    });
    expect(errors).toMatchObject([{ message: 'the network broke' }]);
    await close();
  });

  it('costs no more than the connection when even that cannot be said', async () => {
    const { client, errors, close } = await breaking(() => {
      throw new Error('chance broke');
    });
    await expect(client.send(REQUEST)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(errors).toMatchObject([{ message: 'the network broke' }, { message: 'chance broke' }]);
    await close();
  });
});
