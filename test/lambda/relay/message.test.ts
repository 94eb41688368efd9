import { type DeliveryResult, isDone, visibilitySeconds } from '../../../lambda/relay/message';
import { response } from '../../../local';
import { DeployedRelay, NO_RETRIES, type RelayOptions } from './relay-fixture';

describe('message names', () => {
  const FORBIDDEN = { service: 'sqs', httpStatus: 403, code: 'AccessDenied' } as const;

  /** Publishes a message. Returns it, and the relay's log lines until nothing more was due. */
  async function published(options: RelayOptions, prepare: (relay: DeployedRelay) => void = () => {}) {
    const relay = await DeployedRelay.deploy(options);
    prepare(relay);
    const messageId = await relay.publish('x');
    await relay.deployed.advance({ minutes: 1 });
    const sent = relay.deployed.happened('sqs.sent').find(({ queueArn }) => queueArn === relay.deployed.arn('Queue'));
    return { relay, names: { messageId, sqsMessageId: sent?.messageId } };
  }

  /** SNS and SQS give a message different ids. The publisher knows only SNS's. */
  describe('A line of a relay’s log has the publisher’s and the queue’s id of the message', () => {
    test('that is dead-lettered', async () => {
      const { relay, names } = await published({}, ({ host }) => host.behave({ reply: response(410) }));
      expect(relay.lines).toMatchObject([{ message: 'dead-lettered', ...names }]);
    });

    test('that the dead-letter queue refuses', async () => {
      const { relay, names } = await published({}, ({ host, deployed }) => {
        host.behave({ reply: response(410) });
        deployed.aws.faults.set({ ...FORBIDDEN, action: 'SendMessage', resource: deployed.arn('Dead') });
      });
      expect(relay.lines).toMatchObject([{ message: expect.stringContaining('did not take'), ...names }]);
    });

    test('that could not be tried', async () => {
      const { relay, names } = await published({ secrets: { signing: 'none' }, retryPolicy: NO_RETRIES });
      expect(relay.lines).toMatchObject([{ message: 'not tried', ...names }]);
    });

    test('on which the relay fails', async () => {
      const { relay, names } = await published({ contentType: 'text/plain\r\nX-Injected: 1' });
      expect(relay.lines).toMatchObject([{ message: 'the relay itself failed', ...names }]);
    });

    test('whose next attempt could not be set', async () => {
      const { relay, names } = await published({}, ({ host, deployed }) => {
        host.behave({ reply: response(503), count: 1 });
        deployed.aws.faults.set({
          ...FORBIDDEN,
          action: 'ChangeMessageVisibilityBatch',
          resource: deployed.arn('Queue'),
        });
      });
      expect(relay.lines).toMatchObject([{ message: expect.stringContaining('visibility timeout'), ...names }]);
    });
  });

  test('A line of a relay’s log has only the queue’s id of a message that is no notification', async () => {
    const relay = await DeployedRelay.deploy();
    const sqsMessageId = await relay.deployed.send('Queue', '{"MessageId": "mine"}');
    await relay.settle();
    const [line, ...others] = relay.lines;
    expect(others).toEqual([]);
    expect(line).toMatchObject({ message: 'dead-lettered', cause: 'not-an-envelope', sqsMessageId });
    expect(line).not.toHaveProperty('messageId');
  });
});

const NOW_MS = 1_000_000;

const dueIn = (milliseconds: number): DeliveryResult => ({ kind: 'retry', dueAtMs: NOW_MS + milliseconds });

/** https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibility.html: whole seconds. */
describe('A message is hidden', () => {
  test.each([
    { milliseconds: 1_000, seconds: 1 },
    { milliseconds: 1_001, seconds: 2 },
    { milliseconds: 1_500, seconds: 2 },
    { milliseconds: 1, seconds: 1 },
    { milliseconds: 0, seconds: 0 },
    { milliseconds: -1_500, seconds: 0 },
  ])('for $seconds seconds if it is due in $milliseconds ms: never for less', ({ milliseconds, seconds }) => {
    expect(visibilitySeconds(dueIn(milliseconds), NOW_MS)).toBe(seconds);
  });

  test('no longer if it is returned, and as long as the queue’s timeout if something failed', () => {
    expect(visibilitySeconds({ kind: 'handed-back', reason: 'x' }, NOW_MS)).toBe(0);
    expect(visibilitySeconds({ kind: 'left', reason: 'x' }, NOW_MS)).toBeUndefined();
  });

  test('not at all once it is delivered or dead-lettered, so that the queue deletes it', () => {
    const endings: readonly DeliveryResult[] = [{ kind: 'delivered' }, { kind: 'dead', cause: 'gone' }];
    expect(endings.map(isDone)).toEqual([true, true]);
    expect(endings.map(ending => visibilitySeconds(ending, NOW_MS))).toEqual([undefined, undefined]);
    expect(isDone(dueIn(1_000))).toBe(false);
  });
});
