import { Duration, type Stack } from 'aws-cdk-lib';
import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Key } from 'aws-cdk-lib/aws-kms';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, LambdaSubscription, SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { readInventory } from '../../../account/inventory/read-inventory';
import { checkInventory } from '../../../diagnosis/checks/check-inventory';
import type { Finding } from '../../../diagnosis/checks/finding';
import { applyCalls } from '../../support/apply-fix';
import { briefly, findingsIn, findingsOf, findingsOfApp } from '../../support/examined';
import { inlineFunction } from '../../support/inline-function';
import { rentalAssembly } from '../../support/rental';
import { connectedTo } from '../connected-to';
import { openAccount } from '../operated-account';
import { HEALTHY, healthyAcrossStacks } from './healthy-stacks';

const ROUNDS = 2;
const HANDLER = 'exports.handler = async () => {};';

/** Adds a shop that has nearly every fault that a call can fix. */
function neglected(stack: Stack): void {
  const ops = new Topic(stack, 'Ops', { topicName: 'ops', enforceSSL: true, masterKey: new Key(stack, 'OpsKey') });
  ops.addSubscription(new EmailSubscription('ops@example.com'));
  const encryptionMasterKey = new Key(stack, 'Key');
  const dead = new Queue(stack, 'Dead', {
    queueName: 'dead',
    encryptionMasterKey,
    retentionPeriod: Duration.hours(2),
  });
  const work = new Queue(stack, 'Work', { queueName: 'work', deadLetterQueue: { queue: dead, maxReceiveCount: 1 } });
  const reader = inlineFunction(stack, 'Reader', HANDLER, { functionName: 'reader', timeout: Duration.seconds(20) });
  reader.addEventSource(new SqsEventSource(work));
  const printer = inlineFunction(stack, 'Printer', HANDLER, { functionName: 'printer' });
  const [orders, returns] = ['orders', 'returns'].map(topicName => new Topic(stack, topicName, { topicName }));
  orders?.addSubscription(new SqsSubscription(work, { deadLetterQueue: dead }));
  orders?.addSubscription(new LambdaSubscription(printer));
  returns?.addSubscription(new LambdaSubscription(printer, { deadLetterQueue: dead }));
  const alarm = new Alarm(stack, 'Sent', {
    alarmName: 'sent',
    metric: work.metricApproximateAgeOfOldestMessage(),
    threshold: 600,
    evaluationPeriods: 1,
  });
  alarm.addAlarmAction(new SnsAction(ops));
}

const idsOf = (findings: readonly Finding[]) => [...new Set(findings.map(({ id }) => id))].sort();

test('fixed: what the doctor prints mends what it found, and breaks nothing else', async () => {
  const { deployed, url } = await openAccount(neglected);
  await deployed.takeQueuePolicyAway('Dead');
  const look = () => connectedTo(url, async aws => checkInventory(await readInventory(aws)));
  const found = await look();
  const fixable = found.filter(({ fix }) => fix.calls !== undefined);
  expect(idsOf(fixable)).toEqual([
    'alarm-topic-closed',
    'dead-letters-expire-early',
    'dead-letters-kept-too-short',
    'dead-letters-unwatched',
    'function-keeps-nothing',
    'key-policy-keeps-out',
    'logging-off',
    'losses-unwatched',
    'no-dead-letter-queue',
    'queue-policy-keeps-out',
    'too-few-receives',
    'visibility-too-short',
  ]);
  const before = idsOf(found.filter(({ fix }) => fix.calls === undefined));

  // The next round checks what a fix created: a new queue has no alarm yet.
  let open = found;
  for (let round = 0; round < ROUNDS; round += 1) {
    const calls = open.flatMap(({ fix }) => fix.calls ?? []);
    await applyCalls(url, [...new Map(calls.map(it => [JSON.stringify(it), it])).values()]);
    open = await look();
  }
  expect(idsOf(open)).toEqual(before);
  expect(open.filter(({ fix }) => fix.calls !== undefined)).toEqual([]);
});

describe('nothing is found', () => {
  test.each(Object.entries(HEALTHY))('in %s', (_, fill) => {
    expect(briefly(findingsOf(fill))).toEqual([]);
  });

  test('in stacks that share a dead-letter queue', () => {
    expect(briefly(findingsOfApp(healthyAcrossStacks))).toEqual([]);
  });
});

/** The same holds for every example: test/examples/ validates each with the same checks. */
test('ours: dlo doctor finds nothing in the rental backend', () => {
  expect(briefly(findingsIn(rentalAssembly()))).toEqual([]);
});
