import { planRedrive } from '../../../policy/redrive/plan-redrive';
import type { RedriveDecision, RedrivePlan } from '../../../policy/redrive/redrive-decision';
import type { HealthAlarmFacts, MoveFacts, RedriveFacts } from '../../../policy/redrive/redrive-facts';
import type { RedriveSettings } from '../../../policy/redrive/redrive-settings';
import { HOUR_MS, MINUTE_MS } from '../../../policy/time-units';

export const NOW = Date.UTC(2026, 0, 5, 9);

const queue = (name: string) => ({
  url: `https://sqs.us-east-1.amazonaws.com/123456789012/${name}`,
  arn: `arn:aws:sqs:us-east-1:123456789012:${name}`,
});

export const ORDERS = queue('orders');
export const DLQ = queue('orders-dlq');
export const QUARANTINE = queue('quarantine');

/** A queue whose failed messages return to its dead-letter queue. Steps: 1/s for 10 messages, 10/s for 100, 50/s for the rest. */
export const SETTINGS: RedriveSettings = {
  enabled: true,
  name: 'Shop/OrdersRedrive',
  deadLetters: DLQ,
  destination: { kind: 'queue', ...ORDERS },
  carrier: 'task',
  mayMoveMessages: true,
  failures: DLQ,
  mappingIds: ['mapping-1'],
  recoveryAlarms: ['orders-failing'],
  healthAlarms: ['orders-late'],
  healthyForMs: 5 * MINUTE_MS,
  maxBacklog: 1_000,
  maxAgeSeconds: 600,
  proofOfHealth: true,
  steps: [{ messagesPerSecond: 1, messages: 10 }, { messagesPerSecond: 10, messages: 100 }, { messagesPerSecond: 50 }],
  settleMs: 3 * MINUTE_MS,
  maxReturnedPercent: 25,
  restMs: 6 * HOUR_MS,
  runsPerDay: 3,
  messagesPerDay: 10_000,
  switchParameter: '/shop/orders-redrive',
  switchMayBeAbsent: false,
  tickMs: MINUTE_MS,
  functionTimeoutMs: 15 * MINUTE_MS,
};

export function depth(visible: number, inFlight = 0, delayed = 0) {
  return { visible, inFlight, delayed };
}

export function alarm(name: string, changes: Partial<HealthAlarmFacts> = {}): HealthAlarmFacts {
  return { name, state: 'OK', sinceMs: NOW - 72 * HOUR_MS, ...changes };
}

/** 500 dead letters. All preconditions hold, and no message was ever moved. */
export const FACTS: RedriveFacts = {
  nowMs: NOW,
  trigger: 'tick',
  killSwitch: 'on',
  deadLetters: depth(500),
  destination: { depth: depth(0) },
  moves: [],
  isMovesComplete: true,
  alarms: [alarm('orders-failing'), alarm('orders-late')],
  mappings: [{ id: 'mapping-1', state: 'Enabled' }],
};

/** A canary that was cancelled after 60 messages. It settles after a minute, two ticks and three minutes. */
export function move(changes: Partial<MoveFacts> = {}): MoveFacts {
  return {
    carrier: 'task',
    status: 'CANCELLED',
    startedAtMs: NOW - 6 * MINUTE_MS,
    messagesPerSecond: 1,
    destinationArn: ORDERS.arn,
    moved: 60,
    toMove: 560,
    ...changes,
  };
}

export function plan(facts: Partial<RedriveFacts> = {}, settings: Partial<RedriveSettings> = {}): RedrivePlan {
  return planRedrive({ ...SETTINGS, ...settings }, { ...FACTS, ...facts });
}

export function decided(facts: Partial<RedriveFacts> = {}, settings: Partial<RedriveSettings> = {}): RedriveDecision {
  return plan(facts, settings).decision;
}
