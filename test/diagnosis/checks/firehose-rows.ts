import type { Inventory, StreamFacts } from '../../../diagnosis/inventory/inventory';
import {
  inventoryOf,
  key,
  keyArn,
  queue,
  queueArn,
  stream,
  subscription,
  topic,
  topicArn,
  UNKNOWN,
} from '../inventories';
import type { Row } from './row';

/** A topic that delivers to the stream `log`. @param facts of the stream @default - it does not exist */
function toStream(facts?: Partial<StreamFacts>): Inventory {
  const endpoint = stream('log').arn;
  return inventoryOf({
    subscriptions: [
      subscription('orders', '1', { deadLetterTargetArn: queueArn('dead'), protocol: 'firehose', endpoint }),
    ],
    topics: [topic('orders')],
    queues: [queue('dead')],
    ...(facts && { streams: [stream('log', facts)] }),
  });
}

const STREAM_STATES: readonly [
  what: string,
  severity: Row['severity'],
  says: RegExp,
  facts: Partial<StreamFacts>,
  keys?: Inventory['keys'],
][] = [
  ['a stream that is being deleted', 'loses', /log is not active: its status is DELETING/, { status: 'DELETING' }],
  ['a stream that failed', 'loses', /its status is CREATING_FAILED: every/, { status: 'CREATING_FAILED' }],
  ['a stream that is being created', 'on-change', /its status is CREATING/, { status: 'CREATING' }],
  ['a stream of a Kinesis stream', 'loses', /KinesisStreamAsSource\), and takes no/, { type: 'KinesisStreamAsSource' }],
  [
    'a stream with a disabled key',
    'loses',
    /encrypted with the key 1, which is not enabled \(Disabled\)/,
    { keyId: keyArn('1') },
    [key('1', [], { isEnabled: false, state: 'Disabled' })],
  ],
];

export const FIREHOSE_ROWS: readonly Row[] = [
  {
    id: 'recipient-gone',
    severity: 'loses',
    what: 'a Firehose stream that was deleted',
    withFault: toStream(),
    about: 'orders:1',
    others: [stream('log').arn],
    says: /delivers to arn:aws:firehose:.*:deliverystream\/log, which does not exist/,
    withoutFault: [toStream({}), { ...toStream(), isComplete: false }, { ...toStream(), incomplete: ['streams'] }],
  },
  ...STREAM_STATES.map(
    ([what, severity, says, facts, keys = []]): Row => ({
      id: 'stream-refuses-topic',
      severity,
      what,
      withFault: { ...toStream(facts), keys },
      about: 'log',
      others: [`${topicArn('orders')}:1`],
      says,
      withoutFault: [toStream({ keyId: keyArn('1') }), { ...toStream(facts), keys, subscriptions: [] }],
      unknownBecause: [toStream({ status: UNKNOWN, type: UNKNOWN, keyId: UNKNOWN })],
    }),
  ),
];
