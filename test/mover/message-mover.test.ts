import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Fault } from '../../local';
import type { DeadLetter } from '../../mover/dead-letter-receiver';
import { CopyingMessageMover } from '../../mover/message-mover';
import { ReplayingMessageMover } from '../../mover/replaying-message-mover';
import { Deployed } from '../support/deployed';
import { inlineFunction } from '../support/inline-function';

const messageOf = (messageId: string, more: Partial<DeadLetter> = {}): DeadLetter => ({
  messageId,
  receiptHandle: messageId,
  firstReceivedAtMs: 0,
  receiveCount: 1,
  body: messageId,
  attributes: {},
  sentAtMs: 0,
  ...more,
});

const ids = (lanes: readonly (readonly (readonly DeadLetter[])[])[]) =>
  lanes.map(lane => lane.map(lot => lot.map(({ messageId }) => messageId)));

const MOVED = { kind: 'moved' };

describe('The mover of a copy', () => {
  let deployed: Deployed;

  beforeAll(async () => {
    deployed = await Deployed.stack((stack: Stack) => {
      new Queue(stack, 'Home');
      new Queue(stack, 'Fifo', { fifo: true });
    });
  });

  afterEach(() => deployed.aws.faults.clear());

  const messageMoverTo = (id: string, client = deployed.sqs) =>
    new CopyingMessageMover(client, { url: deployed.ref(id), arn: deployed.arn(id) });

  test('sends ten in one call, and fewer where they would be more than a mebibyte together', () => {
    const small = Array.from({ length: 12 }, (_, index) => messageOf(`small-${index}`));
    const names = small.map(({ messageId }) => messageId);
    expect(ids(messageMoverTo('Home').batchesInOrder(small))).toEqual([[names.slice(0, 10)], [names.slice(10)]]);
    // aws-semantics.md section 7: both a message and a batch have at most 1,048,576 bytes.
    const half = 'x'.repeat(524_288);
    const large = [messageOf('a', { body: half }), messageOf('b', { body: half }), messageOf('c', { body: half })];
    expect(ids(messageMoverTo('Home').batchesInOrder(large))).toEqual([[['a', 'b']], [['c']]]);
    const attributes = { own: { DataType: 'String', StringValue: 'x' } };
    const larger = [messageOf('a', { body: half, attributes }), messageOf('b', { body: half })];
    expect(ids(messageMoverTo('Home').batchesInOrder(larger))).toEqual([[['a']], [['b']]]);
  });

  test('sends one of a group after the other, and the groups side by side', () => {
    const messages = ['a0', 'b0', 'a1', 'c0', 'b1'].map(name => messageOf(name, { groupId: name.slice(0, 1) }));
    expect(ids(messageMoverTo('Fifo').batchesInOrder(messages))).toEqual([
      [['a0'], ['a1']],
      [['b0'], ['b1']],
      [['c0']],
    ]);
  });

  test('finds the message because of which SQS refuses a whole call, and sends the others', async () => {
    const fifo = messageMoverTo('Fifo');
    const lot = [messageOf('a', { groupId: 'g' }), messageOf('no-group'), messageOf('b', { groupId: 'g' })];
    const left = { kind: 'left', reason: expect.stringContaining('MessageGroupId') };
    expect(await fifo.move(lot)).toEqual([MOVED, left, MOVED]);
    expect(await deployed.take('Fifo')).toEqual(['a', 'b']);
  });

  test('does not forget what it has sent where the queue closes in between', async () => {
    const fifo = messageMoverTo('Fifo');
    const lot = [messageOf('first', { groupId: 'g' }), messageOf('no-group'), messageOf('last', { groupId: 'g' })];
    const { move } = fifo;
    let calls = 0;
    jest.spyOn(fifo, 'move').mockImplementation(messages => {
      calls += 1;
      if (calls === 4) {
        deployed.aws.faults.set({
          service: 'sqs',
          action: 'SendMessageBatch',
          httpStatus: 403,
          code: 'AccessDenied',
        });
      }
      return move(messages);
    });
    expect(await fifo.move(lot)).toMatchObject([
      MOVED,
      { kind: 'left' },
      { kind: 'left', reason: expect.stringContaining('AccessDenied') },
    ]);
    expect(await deployed.take('Fifo')).toEqual(['first']);
  });

  test('sends a message of a FIFO queue with its own id, so that SQS accepts it once', async () => {
    const lot = [messageOf('once', { groupId: 'g' })];
    for (let copies = 0; copies < 2; copies += 1) expect(await messageMoverTo('Fifo').move(lot)).toEqual([MOVED]);
    expect(await deployed.take('Fifo')).toEqual(['once']);
  });

  test.each<{ fault: Omit<Fault, 'service'>; to?: string; fate: object }>([
    { fault: { throttle: true }, fate: { kind: 'again' } },
    { fault: { httpStatus: 503 }, fate: { kind: 'unknown' } },
    { fault: { httpStatus: 500, code: 'InternalFailure' }, fate: { kind: 'unknown' } },
    { fault: { httpStatus: 503 }, to: 'Fifo', fate: { kind: 'again', isUnsure: true } },
    { fault: { httpStatus: 400, code: 'KMS.ThrottlingException' }, fate: { kind: 'again' } },
  ])('of the answer $fault makes $fate', async ({ fault, to = 'Home', fate }) => {
    deployed.aws.faults.set({ service: 'sqs', action: 'SendMessageBatch', ...fault });
    const fates = await messageMoverTo(to).move([messageOf('a'), messageOf('b')]);
    expect(fates).toMatchObject([fate, fate]);
  });

  test('sends again what has not left the machine', async () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const requestHandler = { handle: () => Promise.reject(refused) };
    const offline = new SQSClient({ ...deployed.aws.clientConfig(), maxAttempts: 1, requestHandler });
    expect(await messageMoverTo('Home', offline).move([messageOf('a')])).toMatchObject([{ kind: 'again' }]);
  });

  test.each([
    { httpStatus: 403, code: 'AccessDenied' },
    { httpStatus: 400, code: 'AWS.SimpleQueueService.NonExistentQueue' },
    { httpStatus: 400, code: 'KMS.DisabledException' },
  ])('ends the move pass if the queue refuses it: $code', async fault => {
    deployed.aws.faults.set({ service: 'sqs', action: 'SendMessageBatch', ...fault });
    expect(await messageMoverTo('Home').move([messageOf('a'), messageOf('b')])).toMatchObject({ kind: 'closed' });
  });

  test('does not know whether SQS has what it did not answer, and tries no more', async () => {
    const requestHandler = { handle: () => Promise.reject(new Error('socket hang up')) };
    const dead = new SQSClient({ ...deployed.aws.clientConfig(), maxAttempts: 1, requestHandler });
    const fates = await messageMoverTo('Home', dead).move([messageOf('a')]);
    expect(fates).toMatchObject([{ kind: 'unknown', reason: expect.stringContaining('socket hang up') }]);
  });

  test('shows what is broken in us as what it is', async () => {
    const broken = Object.assign(new SQSClient(deployed.aws.clientConfig()), {
      send: () => Promise.reject(new TypeError('ours')),
    });
    await expect(messageMoverTo('Home', broken).move([messageOf('a')])).rejects.toThrow(new TypeError('ours'));
  });
});

describe('The mover of a replay', () => {
  const messageOf = (body: string, attributes: DeadLetter['attributes'] = {}): DeadLetter => ({
    messageId: 'letter',
    receiptHandle: 'handle',
    firstReceivedAtMs: 0,
    receiveCount: 1,
    body,
    attributes,
    sentAtMs: 0,
  });

  const FIT = { kind: 'fit' };

  const CODE = `exports.handler = async ({ order, fails, exits }) => {
  if (fails) throw new RangeError(fails);
  if (exits) process.exit(1);
  return order;
};`;

  // "For synchronous invocation, the response … If the function runs and returns an error, the status code is 200, and
  // FunctionError is set": https://docs.aws.amazon.com/lambda/latest/dg/invocation-sync.html and
  // https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
  let deployed: Deployed;
  let client: LambdaClient;
  let messageMover: ReplayingMessageMover;

  beforeAll(async () => {
    deployed = await Deployed.stack((stack: Stack) => inlineFunction(stack, 'Function', CODE));
    client = new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
  });

  beforeEach(() => {
    messageMover = new ReplayingMessageMover(
      client,
      { kind: 'function', arn: deployed.arn('Function'), bodyIs: 'event' },
      3,
    );
  });

  afterEach(() => deployed.aws.faults.clear());

  const moved = async (body: string) => {
    const results = messageMover.move([messageOf(body)]);
    await deployed.advance({ seconds: 10 });
    return results;
  };

  test('has moved an event on which the function has succeeded, and waits for that', async () => {
    expect(messageMover.inspect(messageOf('{"order":1}'))).toEqual(FIT);
    expect(await moved('{"order":1}')).toEqual([{ kind: 'moved' }]);
    expect(deployed.happened('lambda.event-queued')).toEqual([]);
  });

  test.each([
    { body: '{"fails":"no such vehicle class"}', says: 'RangeError: no such vehicle class' },
    { body: '{"exits":true}', says: /Runtime.ExitError: .*Runtime exited with error/ },
    { body: JSON.stringify({ fails: 'x'.repeat(1_000) }), says: /RangeError: x{200,300}…$/ },
  ])('says how the function failed: $says', async ({ body, says }) => {
    const reason = typeof says === 'string' ? `was replayed, and the function failed again: ${says}` : says;
    expect(await moved(body)).toEqual([{ kind: 'failed', reason: expect.stringMatching(reason) }]);
  });

  test.each<{ fault: Omit<Fault, 'service'>; fate: object }>([
    {
      fault: { throttle: true },
      fate: { kind: 'again', reason: 'Invoke: TooManyRequestsException: Rate Exceeded.' },
    },
    { fault: { httpStatus: 503, code: 'ServiceException' }, fate: { kind: 'unknown' } },
    { fault: { httpStatus: 502, code: 'ENILimitReachedException' }, fate: { kind: 'again' } },
    { fault: { httpStatus: 409, code: 'ResourceConflictException' }, fate: { kind: 'again' } },
    { fault: { httpStatus: 413, code: 'RequestEntityTooLargeException' }, fate: { kind: 'unfit', cause: 'refused' } },
    { fault: { httpStatus: 400, code: 'InvalidRequestContentException' }, fate: { kind: 'unfit', cause: 'refused' } },
  ])('of the answer $fault makes $fate', async ({ fault, fate }) => {
    deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', ...fault });
    expect(await messageMover.move([messageOf('{}')])).toMatchObject([fate]);
  });

  test.each([
    { httpStatus: 403, code: 'AccessDeniedException' },
    { httpStatus: 404, code: 'ResourceNotFoundException' },
  ])('ends the move pass if the function refuses it: $code', async fault => {
    deployed.aws.faults.set({ service: 'lambda', action: 'Invoke', ...fault });
    expect(await messageMover.move([messageOf('{}')])).toMatchObject({
      kind: 'closed',
      reason: expect.stringContaining(fault.code),
    });
  });

  test('does not know whether Lambda has what it did not answer, and tries no more', async () => {
    const dead = new LambdaClient({
      ...deployed.aws.clientConfig(),
      maxAttempts: 1,
      requestHandler: { handle: () => Promise.reject(new Error('socket hang up')) },
    });
    const destination = { kind: 'function', arn: deployed.arn('Function'), bodyIs: 'event' } as const;
    const silent = new ReplayingMessageMover(dead, destination, 3);
    expect(await silent.move([messageOf('{}')])).toMatchObject([
      { kind: 'unknown', reason: expect.stringContaining('socket hang up') },
    ]);
  });
});
