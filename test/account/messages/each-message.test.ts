import {
  CreateQueueCommand,
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandOutput,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { eachMessage, type LookOptions, type MessagePorts } from '../../../account/messages/each-message';
import type { HeldMessage } from '../../../account/messages/message-hold';
import { LocalAws } from '../../../local';

type Answer = { readonly Messages?: readonly Message[] };

/** Changes the answer to a receive. Receives are counted from 1. */
type OnTheWay = (answer: Answer, receive: number) => Answer;

describe('looking at each message', () => {
  let aws: LocalAws;
  let sqs: SQSClient;
  let url: string;
  let queues = 0;
  let warnings: string[];

  beforeAll(() => {
    aws = LocalAws.start();
    sqs = new SQSClient(aws.clientConfig());
  });

  beforeEach(() => {
    warnings = [];
  });

  afterAll(() => aws.close());

  /** A queue with messages whose bodies are numbers from 1. */
  async function queueOf(count: number, Attributes = {}): Promise<void> {
    queues += 1;
    const fifo = 'FifoQueue' in Attributes;
    const QueueName = `dead-${queues}${fifo ? '.fifo' : ''}`;
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes }));
    url = QueueUrl;
    for (let from = 0; from < count; from += 10) {
      const Entries = Array.from({ length: Math.min(10, count - from) }, (_, at) => {
        const body = String(from + at + 1);
        const more = fifo ? { MessageGroupId: body, MessageDeduplicationId: body } : {};
        return { Id: body, MessageBody: body, ...more };
      });
      await sqs.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    }
  }

  /** Returns a client that gets changed answers to its receives. */
  function clientWith(onTheWay: OnTheWay): SQSClient {
    const client = new SQSClient(aws.clientConfig());
    let receives = 0;
    client.middlewareStack.add(
      (next, { commandName }) =>
        async call => {
          if (commandName !== 'ReceiveMessageCommand') return next(call);
          receives += 1;
          const receive = receives;
          const result = await next(call);
          const answer = result.output as ReceiveMessageCommandOutput;
          return { ...result, output: { ...answer, ...onTheWay(answer, receive) } };
        },
      { step: 'initialize' },
    );
    return client;
  }

  const ports = (client: SQSClient): MessagePorts => ({
    sqs: client,
    queue: { url, isFifo: url.endsWith('.fifo') },
    nowMs: () => aws.nowMs,
    wait: async milliseconds => void (await aws.advance({ seconds: milliseconds / 1_000 })),
    pollSeconds: 0,
    warn: text => void warnings.push(text),
  });

  /** Looks at the messages. Returns what was reported about each, and the result. */
  async function look(
    client: SQSClient,
    looking: LookOptions = {},
    visit: (seen: readonly string[]) => Promise<void> | void = () => {},
  ) {
    const bodies: string[] = [];
    const came = await eachMessage(ports(client), looking, async (messages: readonly HeldMessage[]) => {
      bodies.push(...messages.map(({ body }) => body));
      await visit(bodies);
    });
    return { bodies: bodies.sort((one, other) => Number(one) - Number(other)), came };
  }

  /** All that can be received at this instant. */
  async function all(): Promise<readonly Message[]> {
    const asked = { QueueUrl: url, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ['All' as const] };
    const found: Message[] = [];
    for (;;) {
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(asked));
      if (Messages.length === 0) return found;
      found.push(...Messages);
    }
  }

  const receiveCounts = (messages: readonly Message[]) =>
    new Set(messages.map(({ Attributes }) => Attributes?.ApproximateReceiveCount));

  const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1));

  test.each([1, 10, 11, 105])('tells %i messages once each, and gives them back', async count => {
    await queueOf(count);
    const { bodies, came } = await look(sqs);
    expect(bodies).toEqual(numbers(count));
    expect(came).toEqual({ seen: count, end: 'empty', unseen: { visible: 0, inFlight: 0, delayed: 0 } });
    const messages = await all();
    expect(messages).toHaveLength(count);
    expect(receiveCounts(messages)).toEqual(new Set(['2']));
    expect(warnings).toEqual([]);
  });

  /** Returns a client whose receives are sometimes empty although there are messages, as SQS's may be. */
  function deafClient(isDeaf: (receive: number) => boolean): SQSClient {
    const client = new SQSClient(aws.clientConfig());
    let receives = 0;
    client.middlewareStack.add(
      (next, { commandName }) =>
        async call => {
          if (commandName !== 'ReceiveMessageCommand') return next(call);
          receives += 1;
          return isDeaf(receives) ? { output: { $metadata: {} }, response: {} } : next(call);
        },
      { step: 'initialize' },
    );
    return client;
  }

  test('does not believe that there is nothing because nothing came', async () => {
    await queueOf(25);
    const { bodies } = await look(deafClient(receive => receive % 3 !== 0));
    expect(bodies).toEqual(numbers(25));
    await queueOf(25);
    const late = await look(deafClient(receive => receive < 9));
    expect(late.bodies).toEqual(numbers(25));
    // SQS's count of a FIFO queue does not show what can be received.
    await queueOf(12, { FifoQueue: 'true' });
    const fifo = await look(deafClient(receive => receive % 3 !== 0));
    expect(fifo.bodies).toEqual(numbers(12));
  });

  test('gives up on messages that SQS counts and does not hand out, and says how many', async () => {
    await queueOf(5);
    const startMs = aws.nowMs;
    const { bodies, came } = await look(deafClient(() => true));
    expect(bodies).toEqual([]);
    expect(came).toEqual({ seen: 0, end: 'empty', unseen: { visible: 5, inFlight: 0, delayed: 0 } });
    // Ten looks.
    expect(aws.nowMs - startMs).toBe(9 * 250);
  });

  test('tells a message once that SQS hands out twice', async () => {
    await queueOf(10);
    let first: Answer = {};
    const twice = clientWith((answer, receive) => {
      if (receive === 1) first = answer;
      return receive === 2 ? first : answer;
    });
    const { bodies, came } = await look(twice);
    expect(bodies).toEqual(numbers(10));
    expect(came.seen).toBe(10);
    expect(await all()).toHaveLength(10);
  });

  test('keeps messages hidden for as long as it looks, and no longer', async () => {
    await queueOf(35);
    const backTooSoon: Message[] = [];
    const { bodies } = await look(sqs, {}, async reported => {
      await aws.advance({ seconds: 90 });
      const asked = { QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 0 };
      const { Messages = [] } = await sqs.send(new ReceiveMessageCommand(asked));
      backTooSoon.push(...Messages.filter(({ Body = '' }) => reported.includes(Body)));
    });
    expect([bodies, backTooSoon]).toEqual([numbers(35), []]);
    expect(await all()).toHaveLength(35);
  });

  test('ends where SQS hands out no more, as too many are in flight', async () => {
    await queueOf(25);
    aws.faults.set({
      service: 'sqs',
      action: 'ReceiveMessage',
      code: 'OverLimit',
      httpStatus: 400,
      fromMs: aws.nowMs + 1,
    });
    const { came } = await look(sqs, {}, async () => void (await aws.advance({ seconds: 1 })));
    expect(came).toMatchObject({ seen: 10, end: 'too-many-in-flight', unseen: { visible: 15, inFlight: 0 } });
    aws.faults.clear();
    expect(await all()).toHaveLength(25);
  });

  test('sees all groups of a FIFO queue, and does not wait for more', async () => {
    await queueOf(12, { FifoQueue: 'true' });
    const startMs = aws.nowMs;
    const { bodies } = await look(sqs);
    expect(bodies).toEqual(numbers(12));
    expect(aws.nowMs - startMs).toBe(500);
  });

  test('gives back what one call of several received where another failed', async () => {
    await queueOf(105);
    const failing = clientWith((answer, receive) => {
      if (receive === 5) throw new Error('cut off');
      return answer;
    });
    await expect(look(failing)).rejects.toThrow('cut off');
    // The messages of the lost answer become visible again after the visibility timeout.
    expect(await all()).toHaveLength(95);
    await aws.advance({ minutes: 3 });
    expect(await all()).toHaveLength(105);
  });
});
