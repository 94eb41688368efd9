import { connected } from '../../../account/connection/connection';
import { readList } from '../../../account/inventory/dead-letter-queues';
import { readInventory } from '../../../account/inventory/read-inventory';
import { planRedriveOf } from '../../../account/manual-redrive/read-and-plan';
import { LocalAws } from '../../../local';
import { JumpingClock, PUBLISHED_RATES, type PublishedRate, VirtualLatency } from '../../support/virtual-latency';
import { fillAccount } from '../../support/wide-account';

const SHAPE = { queues: 24, holding: 5, functions: 60, roles: 5, topics: 4, subscriptions: 12, rules: 5, alarms: 5 };

const LATENCY_MS = 40;

const QUIET = { at: () => {} };

const TO = 'arn:aws:sqs:us-east-1:123456789012:work-0';

const NO_KEYS = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'us-east-1' };

/** What sends dead letters. Every command needs it. */
const SENDERS = {
  'EventBridge:ListEventBuses': 1,
  'EventBridge:ListRules': 1,
  'EventBridge:ListTargetsByRule': SHAPE.rules,
  'Lambda:ListEventSourceMappings': 1,
  'Lambda:ListFunctionEventInvokeConfigs': SHAPE.functions,
  'Lambda:ListFunctions': 2,
  'SNS:GetSubscriptionAttributes': SHAPE.subscriptions,
  'SNS:ListSubscriptions': 1,
  'STS:GetCallerIdentity': 1,
  'Scheduler:ListSchedules': 1,
};

const INVENTORY = {
  ...SENDERS,
  'CloudWatch:DescribeAlarms': 1,
  'EventBridge:DescribeEventBus': 1,
  'IAM:GetRole': SHAPE.roles,
  'IAM:GetRolePolicy': SHAPE.roles,
  'IAM:ListAttachedRolePolicies': SHAPE.roles,
  'IAM:ListRolePolicies': SHAPE.roles,
  'Pipes:ListPipes': 1,
  'SNS:GetTopicAttributes': SHAPE.topics,
  'SNS:ListTopics': 1,
  'SQS:GetQueueAttributes': SHAPE.queues,
  'SQS:ListQueues': 1,
};

/** The invoked functions are those of every second subscription. */
const DOCTOR = { ...INVENTORY, 'Lambda:GetPolicy': SHAPE.subscriptions / 2 };

describe('The calls that a command makes', () => {
  const before = { ...process.env };
  let aws: LocalAws;
  let url: string;

  beforeAll(async () => {
    Object.assign(process.env, NO_KEYS);
    aws = LocalAws.start();
    await fillAccount(aws, SHAPE);
    ({ url } = await aws.listen());
  });

  afterAll(async () => {
    process.env = before;
    await aws.close();
  });

  const COMMANDS = {
    ls: it => readList(it, undefined, QUIET, () => aws.nowMs),
    doctor: it => readInventory(it, { purpose: 'checks' }),
    redrive: it =>
      planRedriveOf(it, 'dlq-0', { options: { messagesPerSecond: 50, canary: 10, to: TO }, isForced: true }, QUIET),
  } satisfies Record<string, Parameters<typeof connected>[1]>;

  /** @returns the calls of a command, and how long they take by latency and rates alone */
  async function made(command: keyof typeof COMMANDS, rates: readonly PublishedRate[] = []) {
    const clock = new JumpingClock();
    const latency = new VirtualLatency(clock, LATENCY_MS, rates);
    await connected<unknown>({ endpointUrl: url }, real => COMMANDS[command](latency.slow(real)), clock);
    return { seconds: clock.nowMs() / 1_000, counts: Object.fromEntries(latency.counts) };
  }

  // In a chain of calls, each needs the answer before. 32 calls are under way at a time for each kind of resource.
  test.each([
    [
      'ls reads no policies of functions',
      'ls',
      {
        ...INVENTORY,
        'SQS:ListQueues': 2,
        'SQS:ListMessageMoveTasks': SHAPE.queues / 2,
        'CloudWatch:GetMetricData': 1,
      },
      0.5,
    ],
    ['doctor reads no reserved concurrency', 'doctor', DOCTOR, 0.4],
    [
      'the plan of a redrive reads the queue, its source queue and its destination, and no other queue',
      'redrive',
      {
        ...SENDERS,
        'SQS:GetQueueAttributes': 3,
        'SQS:GetQueueUrl': 2,
        'SQS:ListDeadLetterSourceQueues': 1,
        'SQS:ListMessageMoveTasks': 1,
      },
      0.4,
    ],
  ] as const)(
    '%s, and its time is that of its longest chain of calls, at 40 ms a call',
    async (_, command, counts, seconds) => {
      const calls = await made(command);
      expect(calls.counts).toEqual(counts);
      expect(calls.seconds).toBeLessThanOrEqual(seconds);
    },
  );

  test('with published rates, doctor takes at most 1.3 times as long as they allow', async () => {
    const { seconds } = await made('doctor', PUBLISHED_RATES);
    const ofLambda = Object.entries(INVENTORY).filter(([name]) => name.startsWith('Lambda:'));
    const calls = ofLambda.reduce((sum, [, count]) => sum + count, 0);
    // A burst of a second is allowed.
    const least = calls / 15 - 1;
    expect(seconds).toBeGreaterThan(least);
    expect(seconds).toBeLessThan(1.3 * least);
  });
});
