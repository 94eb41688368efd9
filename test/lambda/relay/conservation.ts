import fc from 'fast-check';
import { type Behaviour, noAnswer, response, silence } from '../../../local';
import { DeployedRelay } from './relay-fixture';

/** Short phases and delays: the test is about their interplay with everything else. */
const retryPolicy = fc
  .record({
    phases: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2), fc.nat(2)),
    delays: fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 90 })),
    backoffFunction: fc.constantFrom('arithmetic', 'exponential', 'geometric', 'linear'),
  })
  .map(({ phases: [numNoDelayRetries, numMinDelayRetries, backoff, numMaxDelayRetries], delays, backoffFunction }) => ({
    minDelayTarget: Math.min(...delays),
    maxDelayTarget: Math.max(...delays),
    numRetries: numNoDelayRetries + numMinDelayRetries + backoff + numMaxDelayRetries,
    numNoDelayRetries,
    numMinDelayRetries,
    numMaxDelayRetries,
    backoffFunction,
  }));

const reply = fc.constantFrom(
  response(200),
  response(204),
  response(301, '', { location: 'http://169.254.169.254/' }),
  response(400, 'no'),
  response(408),
  response(410),
  response(429, '', { 'retry-after': '40' }),
  response(500),
  response(503, '', {}, { latencyMs: 9_000 }),
  response(200, 'a', {}, { ending: 'endless' }),
  response(200, 'a', {}, { ending: 'reset' }),
  noAnswer('ECONNREFUSED'),
  noAnswer('ENOTFOUND'),
  noAnswer('CERT_HAS_EXPIRED'),
  noAnswer('HPE_INVALID_CONSTANT'),
  silence(),
);

const behaviour: fc.Arbitrary<Behaviour> = fc.record({ reply, count: fc.integer({ min: 1, max: 6 }) });

const fault = fc.record({
  /** Half of these make the dead-letter queue refuse every message. */
  action: fc.constantFrom(
    'SendMessage',
    'SendMessage',
    'ChangeMessageVisibilityBatch',
    'ReceiveMessage',
    'DeleteMessageBatch',
  ),
  from: fc.constantFrom(0, 0, 3, 60),
  seconds: fc.constantFrom(1, 60, 400),
  latencyMs: fc.constantFrom(0, 0, 2_000, 5_000),
  httpStatus: fc.constantFrom(400, 403, 503),
});

const interruption = fc.record({
  how: fc.constantFrom('exit', 'out-of-memory', 'timeout'),
  invocation: fc.integer({ min: 1, max: 6 }),
  count: fc.integer({ min: 1, max: 2 }),
  moment: fc.oneof(
    fc.integer({ min: 1, max: 8 }).map(afterRequests => ({ afterRequests })),
    fc.constantFrom(0, 1, 5_000, 20_000).map(afterMs => ({ afterMs })),
  ),
});

const scenario = fc.record({
  seed: fc.nat(1_000),
  fifo: fc.boolean(),
  retryPolicy,
  jitterPercent: fc.constantFrom(0, 10, 50),
  paceMs: fc.constantFrom(0, 300, 4_000),
  batchSize: fc.constantFrom(1, 3, 10),
  /** With the lowest value, SQS's own redrive policy takes effect. */
  maxReceiveCount: fc.constantFrom(3, 12, 1_000),
  functionTimeoutSeconds: fc.constantFrom(28, 45, 90),
  /** How each message is sent: published to the topic, or as garbage directly to the queue. */
  messages: fc.array(fc.constantFrom('topic', 'topic', 'topic', 'hand'), { minLength: 1, maxLength: 12 }),
  behaviours: fc.array(behaviour, { maxLength: 8 }),
  faults: fc.array(fault, { maxLength: 3 }),
  interruptions: fc.array(interruption, { maxLength: 2 }),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the name of a message, by which tests recognize it anywhere. */
function nameOf(body: string): string {
  return /message-\d+/.exec(body)?.[0] ?? body;
}

async function relayOf(given: Scenario): Promise<DeployedRelay> {
  const { seed, messages: _messages, behaviours, faults, interruptions, batchSize, fifo, ...options } = given;
  const relay = await DeployedRelay.deploy({ ...options, fifo, batchSize, visibilitySeconds: 120 }, { seed });
  const { aws } = relay.deployed;
  relay.host.behave(...behaviours);
  for (const { from, seconds, ...rest } of faults) {
    const resource = relay.deployed.arn(rest.action === 'SendMessage' ? 'Dead' : 'Queue');
    const fromMs = aws.nowMs + from * 1_000;
    aws.faults.set({ ...rest, service: 'sqs', resource, code: 'Broken', fromMs, forMs: seconds * 1_000 });
  }
  for (const { moment, ...rest } of interruptions) {
    aws.interruptions.set({ ...rest, ...moment, functionName: relay.deployed.ref('Function') });
  }
  return relay;
}

/** Sends the messages, each with a name. Returns the names. */
async function sendAll(relay: DeployedRelay, { messages, fifo }: Scenario): Promise<readonly string[]> {
  const names = messages.map((_, index) => `message-${index}`);
  for (const [index, by] of messages.entries()) {
    const name = names[index] ?? '';
    if (by === 'topic' || fifo) await relay.publish(name, `group-${index % 2}`);
    else await relay.deployed.send('Queue', `{"no envelope": "${name}"`);
  }
  return names;
}

async function allDeadLetters(relay: DeployedRelay): Promise<readonly string[]> {
  const names: string[] = [];
  for (let taken = await relay.deployed.take('Dead'); taken.length > 0; taken = await relay.deployed.take('Dead')) {
    names.push(...taken.map(nameOf));
  }
  return names;
}

/** Returns the names of the messages that the endpoint accepted, by its own answers. */
function deliveredOf({ requests }: DeployedRelay): readonly string[] {
  const taken = requests.filter(({ reply }) => reply.kind === 'response' && reply.status < 300);
  return taken.map(({ body }) => nameOf(Buffer.from(body).toString('utf8')));
}

/** How often each message was posted. */
function triesOf({ requests }: DeployedRelay): readonly number[] {
  const tries = new Map<unknown, number>();
  for (const { body } of requests) {
    const name = nameOf(Buffer.from(body).toString('utf8'));
    tries.set(name, (tries.get(name) ?? 0) + 1);
  }
  return [...tries.values()];
}

/**
 * Plays random scenarios, different ones each time. Each deploys its own stack, so a failing one is reported with its seed and path
 * and is not shrunk.
 */
export function testConservation(runs: number, undisturbedRuns: number): void {
  describe('whatever the policy, the endpoint, SQS and the function do', () => {
    test('each message is in the end delivered or dead, and the queue is empty', async () => {
      await fc.assert(
        fc.asyncProperty(scenario, async given => {
          const relay = await relayOf(given);
          try {
            const sent = await sendAll(relay, given);
            // By then every fault is over, and a mapping whose polls failed polls again.
            await relay.deployed.advance({ minutes: 10 });
            await relay.settle();
            const ended = new Set([...deliveredOf(relay), ...(await allDeadLetters(relay))]);
            expect(sent.filter(name => !ended.has(name))).toEqual([]);
            expect(relay.queued).toBe(0);
            expect(relay.lines.filter(({ message }) => message === 'the relay itself failed')).toEqual([]);
          } finally {
            await relay.deployed.close();
          }
        }),
        { numRuns: runs, endOnFailure: true },
      );
    });

    test('nothing is tried more often than its policy says, while nothing disturbs the relay', async () => {
      const enoughOfEach = { maxReceiveCount: 1_000, paceMs: 0, functionTimeoutSeconds: 90 } as const;
      await fc.assert(
        fc.asyncProperty(scenario, async disturbed => {
          const given: Scenario = {
            ...disturbed,
            ...enoughOfEach,
            batchSize: disturbed.fifo ? 1 : 10,
            faults: [],
            interruptions: [],
          };
          const relay = await relayOf(given);
          try {
            await sendAll(relay, given);
            await relay.settle();
            expect(Math.max(0, ...triesOf(relay))).toBeLessThanOrEqual(given.retryPolicy.numRetries + 1);
          } finally {
            await relay.deployed.close();
          }
        }),
        { numRuns: undisturbedRuns, endOnFailure: true },
      );
    });
  });
}
