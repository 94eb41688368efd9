import { ADMIN, LambdaFixture, START_MS } from './lambda-fixture';

const FAILING = 'exports.handler = async () => { throw new Error("no"); };';

describe('what Lambda sends in the end (aws-semantics section 8)', () => {
  let world: LambdaFixture;
  let queue: { readonly url: string; readonly arn: string };
  beforeEach(() => {
    world = new LambdaFixture();
    queue = world.createQueue('dead');
  });
  afterEach(() => world.close());

  const deploy = (code: string): void => {
    world.deploy('f', { code, deadLetterTargetArn: queue.arn });
    retryNever({});
  };

  function retryNever(destinations: { readonly onSuccessArn?: string; readonly onFailureArn?: string }): void {
    const { eventInvokes } = world.lambda.functionNamed('f');
    eventInvokes.put(undefined, { ...eventInvokes.of(), maximumRetryAttempts: 0, ...destinations });
  }

  function invoke(Payload: string): void {
    world.lambda.call('Invoke', ADMIN, { FunctionName: 'f', InvocationType: 'Event', Payload });
  }

  const errorMessages = () =>
    world.receive(queue.url).map(({ MessageAttributes }) => MessageAttributes?.['ErrorMessage']?.StringValue);

  describe('where the queue fails', () => {
    test.each([
      ['answers 503', { service: 'sqs', action: 'SendMessage' }],
      ['throttles', { service: 'sqs', action: 'SendMessage', throttle: true }],
    ] as const)('for two seconds, and %s, it is tried again and nothing is lost', async (_, fault) => {
      deploy(FAILING);
      world.faults.set({ ...fault, untilMs: START_MS + 2000 });
      invoke('{"n":1}');
      await world.timeline.runUntilIdle();
      expect(world.times('sqs.refused')).toEqual([0, 1]);
      expect(world.times('lambda.dead-lettered')).toEqual([3]);
      expect(world.happened('lambda.lost')).toEqual([]);
      expect(world.total('DeadLetterErrors')).toBe(0);
    });

    test('for long, it is given up after three retries, and counted once', async () => {
      deploy(FAILING);
      retryNever({ onFailureArn: queue.arn });
      world.faults.set({ service: 'sqs', action: 'SendMessage' });
      invoke('{"n":1}');
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.dead-letter-failed')).toEqual([7]);
      expect(world.times('lambda.destination-failed')).toEqual([7]);
      expect(world.happened('lambda.lost')).toMatchObject([{ reason: 'no target took it' }]);
      expect(world.total('DeadLetterErrors')).toBe(1);
      expect(world.total('DestinationDeliveryFailures')).toBe(1);
    });

    test('for good, it is not tried again', async () => {
      deploy(FAILING);
      world.sqs.call('DeleteQueue', ADMIN, { QueueUrl: queue.url });
      invoke('{"n":1}');
      await world.timeline.runUntilIdle();
      expect(world.times('lambda.dead-letter-failed')).toEqual([0]);
      expect(world.times('lambda.lost')).toEqual([0]);
    });
  });

  test('is there when a slow queue has answered', async () => {
    deploy(FAILING);
    retryNever({ onFailureArn: queue.arn });
    world.faults.set({ service: 'sqs', action: 'SendMessage', latencyMs: 5000 });
    invoke('{"n":1}');
    await world.timeline.runUntilIdle();
    expect(world.times('lambda.dead-lettered')).toEqual([5]);
    expect(world.times('lambda.destination-delivered')).toEqual([5]);
  });

  test.each([
    ['a coloured error', '"bad \\u0000\\u001b[31m red"', 'bad \ufffd\ufffd[31m red'],
    ['half a character', '"half \\ud83d"', 'half \ufffd'],
    ['lines and other scripts', '"first\\n\\tzweitens \u{1f48c}"', 'first\n\tzweitens \u{1f48c}'],
  ])('keeps the event of %s', async (_, text, shown) => {
    deploy(`exports.handler = async () => { throw new Error(${text}); };`);
    invoke('{"n":1}');
    await world.timeline.runUntilIdle();
    expect(world.happened('lambda.dead-lettered')).toHaveLength(1);
    expect(errorMessages()).toEqual([shown]);
  });

  test.each([
    ['onSuccessArn', 'exports.handler = async event => event;'],
    ['onFailureArn', FAILING],
  ])('hands an event to %s as it came: deep, and with numbers no double holds', async (destination, code) => {
    const event = `{ "id": 12345678901234567890, "price": 1.10, "deep": ${'['.repeat(999)}${']'.repeat(999)} }`;
    world.deploy('f', { code });
    retryNever({ [destination]: queue.arn });
    invoke(event);
    await world.timeline.runUntilIdle();
    const [record] = world.receive(queue.url);
    expect(record?.Body).toContain(`"requestPayload":${event},`);
    expect(JSON.parse(record?.Body ?? '')).toMatchObject({ version: '1.0', requestPayload: { price: 1.1 } });
  });
});
