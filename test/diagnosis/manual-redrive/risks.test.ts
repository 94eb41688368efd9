import { functionArn, lambda, mapping, queue, queueArn, ruleTarget, subscription, UNKNOWN } from '../inventories';
import { DEAD, FLEET, type Given, planned, riskIds } from './planned';

const to = { deadLetterTargetArn: DEAD };
const work = queue('work', { redrivePolicy: { ...to, maxReceiveCount: 3 } });
const read = { queues: [work], mappings: [mapping('bill', 'work')] };
const own = { deadLetterTargetArn: queueArn('quarantine'), maxReceiveCount: 3 };

/** A redrive without any risk. */
const HEALTHY: Given = { inventory: read, to: own };

const fromWork = { deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 3 };
const task = { carrier: 'task', startedAtMs: 0, moved: 4 } as const;
const toBill = { protocol: 'lambda', endpoint: functionArn('bill'), ...to };

const succeeding = (qualifier: string) => ({
  qualifier,
  onFailureArn: undefined,
  onSuccessArn: queueArn('billed'),
  maximumRetryAttempts: 2,
  maximumEventAgeSeconds: 21_600,
});

const ofFleet = { ...read, functions: [lambda('dispatch', { fleet: FLEET })] };

const RISKS: readonly [id: string, given: Given, says: RegExp][] = [
  [
    'task-running',
    { tasks: [{ ...task, status: 'RUNNING' }] },
    /already moving messages of dead \(RUNNING, SQS reports 4 moved\): dlo dlq watch follows it, dlo dlq cancel ends it$/,
  ],
  ['task-running', { tasks: [{ ...task, status: 'CANCELLING' }] }, /\(CANCELLING/],
  [
    'redrive-watches',
    { redrives: [{ name: 'Home', enabled: true }] },
    /^Home redrives dead automatically.*dlo redrive stop Home --execute/,
  ],
  [
    'consumer-stopped',
    { inventory: { ...read, mappings: [mapping('bill', 'work', { isEnabled: false })] } },
    /bill reads work is not enabled: .*; if the canary is not consumed, nothing more moves; --canary 0 skips the canary$/,
  ],
  [
    'consumer-stopped',
    { inventory: { ...read, mappings: [mapping('bill', 'work', { isEnabled: false })] }, terms: { canary: 0 } },
    /messages would wait there$/,
  ],
  [
    'comes-back-here',
    { to: { ...to, maxReceiveCount: 5 } },
    /again at work comes back to dead, when it was received 5 times/,
  ],
  [
    'of-a-fleet',
    { inventory: ofFleet, terms: { to: FLEET.deliveriesQueueArn } },
    /one attempt there: dlo fleet replay/,
  ],
  [
    'of-a-fleet',
    { inventory: ofFleet, terms: { to: FLEET.eventsQueueArn } },
    /^messages for one endpoint are no events/,
  ],
  ['failures-nowhere', { to: {} }, /^work has no dead-letter queue.*4 d after/],
  [
    'comes-back-here',
    { inventory: { functions: [lambda('bill')], subscriptions: [subscription('news', '1', toBill)] } },
    /^a message that bill fails on again stays in dead: fix the cause first/,
  ],
  [
    'not-replayable',
    {
      inventory: {
        functions: [lambda('bill', { eventInvokes: [succeeding('$LATEST')] })],
        subscriptions: [subscription('news', '1', toBill)],
      },
    },
    /^bill has an on-success destination, arn:aws:sqs:[^ ]+:billed, to which Lambda sends nothing/,
  ],
  [
    'not-a-dead-letter-queue',
    { inventory: { mappings: read.mappings }, terms: { to: queueArn('work') } },
    /nothing sends dead letters to dead/,
  ],
  [
    'several-sources',
    { inventory: { ...read, queues: [work, { ...work, arn: queueArn('other') }] }, terms: { to: queueArn('work') } },
    /were also for other: all of them go to work/,
  ],
  [
    'expiring',
    { deadLetters: { depth: { visible: 2_000_000, inFlight: 0, delayed: 0 } } },
    /^it takes 11 h 6 min 50 s, and the queue keeps messages for 4 d/,
  ],
  [
    'expiring',
    { deadLetters: { depth: { visible: 7_000_000, inFlight: 0, delayed: 0 } } },
    /^SQS ends a task after 1 d 12 h, and this takes 1 d 14 h 54 min at 50/,
  ],
  [
    'envelopes',
    { inventory: { ...read, subscriptions: [subscription('news', '1', toBill)] }, terms: { to: queueArn('work') } },
    /SNS envelopes: the consumer of work/,
  ],
  [
    'transformed',
    { inventory: { ...read, queues: [], targets: [ruleTarget('nightly', queueArn('work'), to)] } },
    /^the dead letters of a rule contain the original event/,
  ],
  ['unread', { inventory: { queues: [work] } }, /^no function reads work.*, nothing more moves; --canary 0/],
  ['unread', { inventory: { queues: [work] }, terms: { canary: 0 } }, /consumer is unknown$/],
  [
    'ungrouped',
    { to: { ...own, isFifo: true } },
    /^work is a FIFO queue, where SQS refuses messages without a message group: messages of dead only have one if/,
  ],
  [
    'order',
    { name: 'dead.fifo', deadLetters: { arn: DEAD }, to: { ...own, isFifo: true } },
    /^messages arrive after newer messages of their group.*first messages of each/,
  ],
  [
    'order',
    { name: 'dead.fifo', deadLetters: { arn: DEAD } },
    /^work is not a FIFO queue: the order of the messages is lost/,
  ],
  [
    'behind-others',
    { name: 'dead.fifo', deadLetters: { arn: DEAD }, terms: { filter: 'data' } },
    /^while a message of a group stays/,
  ],
  [
    'in-flight',
    { deadLetters: { depth: { visible: 9, inFlight: 2, delayed: 1 } } },
    /^3 (letters|messages) cannot be received at the moment, and SQS moves only/,
  ],
  ['larger', { to: { ...own, maximumMessageBytes: 1_024 } }, /^work accepts messages of up to 1024 bytes/],
  [
    'keys',
    { to: { ...own, keyId: 'alias/work' }, deadLetters: { keyId: 'alias/dead' } },
    /kms:Decrypt for alias\/dead, and kms:GenerateDataKey and kms:Decrypt for alias\/work/,
  ],
  [
    'keys',
    { inventory: { ...read, queues: [queue('work', { keyId: 'alias/source', redrivePolicy: fromWork })] } },
    /kms:Decrypt for alias\/source$/,
  ],
  ['received-again', { deadLetters: own, terms: { filter: 'data' } }, /itself, quarantine: .*goes there after 3 times/],
  [
    'twice',
    { terms: { filter: 'data' } },
    /^a message is deleted only when the queue has it.* A lease, a tag of the queue, keeps a second redrive of dlo away/,
  ],
];

describe('What could go wrong', () => {
  test('is nothing where all is well', () => {
    expect(riskIds(HEALTHY)).toEqual([]);
  });

  test.each(RISKS)('is told: %s (%#)', (id, given, says) => {
    const found = planned({ ...HEALTHY, ...given }).risks.filter(risk => risk.id === id);
    expect(found).toEqual([{ id, weight: expect.any(String), says: expect.stringMatching(says) }]);
    expect(found[0]?.says).not.toMatch(/[.?]$/);
  });

  test.each<[string, Given]>([
    ['a task that is over', { tasks: [{ ...task, status: 'COMPLETED' }] }],
    ['a redrive that does not act', { redrives: [{ name: 'Home', enabled: false }] }],
    [
      'a mapping nobody tells of',
      { inventory: { ...read, mappings: [mapping('bill', 'work', { isEnabled: UNKNOWN })] } },
    ],
    ['what a task leaves where it is', { deadLetters: own }],
    ['another queue of the Region of a fleet', { inventory: ofFleet, terms: { to: queueArn('work') } }],
    [
      'a function that is read, not in full',
      { inventory: { functions: [lambda('bill', { ...to, eventInvokes: UNKNOWN })] } },
    ],
    [
      'a function whose alias has an on-success destination',
      {
        inventory: {
          functions: [lambda('bill', { eventInvokes: [succeeding('live')] })],
          subscriptions: [subscription('news', '1', toBill)],
        },
      },
    ],
  ])('is not said of %s', (_, given) => {
    const risks = riskIds({ ...HEALTHY, ...given }).filter(id => !['comes-back-here', 'twice'].includes(id));
    expect(risks).toEqual([]);
  });

  test('is said the worst first, and only a task that runs and a function that cannot be replayed to keep anything from moving', () => {
    const all = RISKS.flatMap(([, given]) => planned({ ...HEALTHY, ...given }).risks);
    const blocking = all.filter(({ weight }) => weight === 'blocks').map(({ id }) => id);
    expect(new Set(blocking)).toEqual(new Set(['task-running', 'not-replayable']));
    const order = ['blocks', 'danger', 'note'];
    for (const [, given] of RISKS) {
      const weights = planned({ ...HEALTHY, ...given }).risks.map(({ weight }) => order.indexOf(weight));
      expect(weights).toEqual(weights.toSorted());
    }
  });
});
