import type { Inventory } from '../../../diagnosis/inventory/inventory';
import {
  alarm,
  deadLettersOf,
  functionArn,
  inventoryOf,
  lambda,
  mapping,
  metric,
  OPS,
  policyOf,
  queue,
  queueArn,
  role,
  roleArn,
  ruleTarget,
  schedule,
  sendStatement,
  subscription,
  topic,
  topicArn,
} from '../inventories';
import { placed } from './row';

const DEAD = { deadLetterTargetArn: queueArn('dead') };
const mailed = [subscription('ops', 'mail', { protocol: 'email', endpoint: 'ops@example.com' })];
const visible = alarm('dead', [metric('dead', 'ApproximateNumberOfMessagesVisible')]);
const lost = alarm('lost', [
  {
    ...metric('', 'NumberOfNotificationsFailedToRedriveToDlq'),
    namespace: 'AWS/SNS',
    dimensions: { TopicName: 'orders' },
  },
]);
const redrive = { redrivePolicy: { ...DEAD, maxReceiveCount: 5 } };
const send = { Effect: 'Allow', Action: 'sqs:SendMessage', Resource: queueArn('dead') };
const invoke = (service: string, sourceArn: string) => ({
  Effect: 'Allow',
  Principal: { Service: service },
  Action: 'lambda:InvokeFunction',
  Resource: functionArn('bill'),
  Condition: { ArnLike: { 'AWS:SourceArn': sourceArn } },
});

/** A topic that delivers to a queue that a function reads. Alarms watch everything. */
const FANOUT: Partial<Inventory> = {
  topics: [topic('ops'), topic('orders', { logging: [{ protocol: 'SQS', failureRoleArn: roleArn('logs') }] })],
  subscriptions: [...mailed, subscription('orders', '1', DEAD)],
  queues: [
    queue('orders', {
      ...redrive,
      visibilityTimeoutSeconds: 180,
      policy: policyOf(sendStatement('sns.amazonaws.com', 'orders', topicArn('orders'))),
    }),
    deadLettersOf('orders', 'dead'),
  ],
  functions: [lambda('bill', { timeoutSeconds: 30 })],
  mappings: [mapping('bill', 'orders')],
  alarms: [visible, lost],
};

const RULE = ruleTarget('placed', functionArn('bill'), DEAD);

/** Accounts and apps without findings. */
export const HEALTHY: readonly (readonly [what: string, inventory: Inventory])[] = [
  ['an account with a fan-out that is watched', inventoryOf(FANOUT)],
  ['the same in a template', inventoryOf({ ...FANOUT, isComplete: false })],
  ['an account with a queue somebody polls', inventoryOf({ queues: [queue('work'), queue('results.fifo')] })],
  [
    'an account with a topic for alarms, and people who read it',
    inventoryOf({ topics: [topic('ops')], subscriptions: mailed, alarms: [alarm('errors', [])] }),
  ],
  [
    'an account with alarms that scale something',
    inventoryOf({ alarms: [alarm('busy', [], { alarmActions: [OPS] })] }),
  ],
  [
    'an account with functions invoked by nobody known',
    inventoryOf({ functions: [lambda('bill')], roles: [role('bill')] }),
  ],
  [
    'an account with a function behind a rule and a schedule',
    inventoryOf({
      targets: [RULE, schedule('nightly', functionArn('bill'), { ...DEAD, roleArn: roleArn('nightly') })],
      functions: [lambda('bill', { ...DEAD, policy: policyOf(invoke('events.amazonaws.com', RULE.arn)) })],
      roles: [
        role('bill', send),
        role('nightly', send, { Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: functionArn('bill') }),
      ],
      queues: [
        queue('dead', {
          retentionSeconds: 1_209_600,
          policy: policyOf(sendStatement('events.amazonaws.com', 'dead', RULE.arn)),
        }),
      ],
      topics: [topic('ops')],
      subscriptions: mailed,
      alarms: [visible],
    }),
  ],
  [
    'an app that subscribes to another app’s topic',
    inventoryOf({
      isComplete: false,
      subscriptions: [
        subscription('of-another-app', '1', {
          ...DEAD,
          ...placed('Sub', { waitsFor: ['OrdersPolicy', 'DeadPolicy'] }),
        }),
      ],
      queues: [
        queue('orders', {
          ...redrive,
          policy: policyOf(sendStatement('sns.amazonaws.com', 'orders', topicArn('of-another-app'))),
          policyPlaces: [placed('OrdersPolicy').place],
        }),
        deadLettersOf('of-another-app', 'dead', { policyPlaces: [placed('DeadPolicy').place] }),
      ],
      alarms: [visible],
    }),
  ],
];
