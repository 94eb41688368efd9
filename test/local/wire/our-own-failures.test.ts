import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { WireService } from '../../../local/wire';
import { WireFixture } from './wire-fixture';

const send = new SendMessageCommand({ QueueUrl: 'https://sqs.us-east-1.amazonaws.com/1/q', MessageBody: 'x' });

describe('an error of our own in a service', () => {
  const bug = new TypeError('Cannot read properties of undefined');
  test.each<[string, WireService]>([
    [
      'thrown',
      {
        call: () => {
          throw bug;
        },
      },
    ],
    ['that comes later', { call: () => Promise.reject(bug) }],
  ])('%s answers the client 500, is in the trace, and is thrown at whoever moves time next', async (_, service) => {
    const { client, trace, aws } = new WireFixture(service);
    await expect(client.send(send)).rejects.toMatchObject({
      name: 'InternalFailure',
      $metadata: { httpStatusCode: 500 },
    });
    expect(trace.events).toMatchObject([
      { type: 'wire.failed', service: 'sqs', action: 'SendMessage', error: `${bug}` },
    ]);
    await expect(aws.timeline.runUntilIdle()).rejects.toMatchObject({ cause: bug });
    await expect(aws.timeline.runUntilIdle()).resolves.toBe(0);
  });

  test('is not what a client got wrong: that is answered, and nobody else is troubled', async () => {
    const { client, trace, aws } = new WireFixture();
    await expect(client.send(send)).rejects.toMatchObject({ $metadata: { httpStatusCode: 400 } });
    expect(trace.events).toEqual([]);
    await expect(aws.timeline.runUntilIdle()).resolves.toBe(0);
  });
});
