import type { Inventory } from '../../../diagnosis/inventory/inventory';
import {
  alarm,
  arnOf,
  functionArn,
  inventoryOf,
  lambda,
  mapping,
  metric,
  queue,
  queueArn,
  queueUser,
  UNKNOWN,
} from '../inventories';
import type { Row } from './row';

const STREAM = arnOf('kinesis', 'stream/clicks');
const ENDLESS = { maximumRetryAttempts: -1, maximumRecordAgeSeconds: -1 };
const TEN_TIMES = { maximumRetryAttempts: 10, maximumRecordAgeSeconds: -1 };
const FOR_AN_HOUR = { maximumRetryAttempts: -1, maximumRecordAgeSeconds: 3_600 };
const KEPT = { onFailureArn: queueArn('dead') };

const mapped = (facts: Parameters<typeof mapping>[2]) =>
  inventoryOf({ mappings: [mapping('bill', 'clicks', { sourceArn: STREAM, streamRetries: ENDLESS, ...facts })] });
const piped = (facts: Parameters<typeof queueUser>[1]) =>
  inventoryOf({
    queueUsers: [
      queueUser('pipe', { sourceArn: STREAM, deadLetterTargetArn: undefined, streamRetries: ENDLESS, ...facts }),
    ],
  });

const STREAM_ROWS: readonly Row[] = [
  {
    id: 'stream-keeps-nothing',
    severity: 'at-risk',
    what: 'a mapping with Lambda’s defaults',
    withFault: mapped({}),
    about: 'clicks to bill',
    location: 'Properties/DestinationConfig',
    says: /reads a stream and has no on-failure destination: a record that always fails is lost: its shard is blocked until it expires/,
    withoutFault: [mapped(KEPT), mapped({ isEnabled: false }), inventoryOf({ mappings: [mapping('bill', 'work')] })],
    unknownBecause: [mapped({ onFailureArn: UNKNOWN })],
  },
  {
    id: 'stream-keeps-nothing',
    severity: 'at-risk',
    what: 'a mapping whose retries end',
    withFault: mapped({ streamRetries: FOR_AN_HOUR }),
    about: 'clicks to bill',
    location: 'Properties/DestinationConfig',
    says: /no on-failure destination: a record is lost after its last retry\.$/,
    withoutFault: [mapped({ ...KEPT, streamRetries: FOR_AN_HOUR })],
  },
  {
    id: 'stream-keeps-nothing',
    severity: 'at-risk',
    what: 'a pipe whose retries are unknown',
    withFault: piped({ streamRetries: { ...ENDLESS, maximumRetryAttempts: UNKNOWN } }),
    about: 'pipe',
    location: 'Properties/SourceParameters',
    says: /^The pipe pipe reads a stream and has no dead-letter queue: a record that always fails is lost\.$/,
    withoutFault: [piped({ deadLetterTargetArn: queueArn('dead') }), piped({ isEnabled: false })],
    unknownBecause: [piped({ deadLetterTargetArn: UNKNOWN })],
  },
  {
    id: 'stream-retries-endless',
    severity: 'at-risk',
    what: 'a mapping that keeps failures',
    withFault: mapped(KEPT),
    about: 'clicks to bill',
    location: 'Properties/MaximumRetryAttempts',
    says: /limits neither the retries nor the age of a record\. If a record always fails, its shard is blocked/,
    withoutFault: [mapped({}), ...[TEN_TIMES, FOR_AN_HOUR].map(streamRetries => mapped({ ...KEPT, streamRetries }))],
    unknownBecause: [mapped({ ...KEPT, streamRetries: { ...ENDLESS, maximumRecordAgeSeconds: UNKNOWN } })],
  },
  {
    id: 'stream-retries-endless',
    severity: 'at-risk',
    what: 'a pipe that keeps failures',
    withFault: piped({ deadLetterTargetArn: queueArn('dead') }),
    about: 'pipe',
    location: 'Properties/SourceParameters',
    says: /^The pipe pipe limits neither/,
    withoutFault: [piped({ deadLetterTargetArn: queueArn('dead'), streamRetries: TEN_TIMES })],
  },
];

const iotRule = (facts: Parameters<typeof queueUser>[1]) =>
  inventoryOf({
    queueUsers: [
      queueUser('rule', { kind: 'iot-rule', deadLetterTargetArn: undefined, hasErrorAction: false, ...facts }),
    ],
  });
const bus = (facts: Parameters<typeof queueUser>[1]) =>
  inventoryOf({ queueUsers: [queueUser('bus', { kind: 'bus', deadLetterTargetArn: undefined, ...facts })] });
const machine = (isCaught: boolean) =>
  inventoryOf({
    serviceCalls: [
      {
        arn: arnOf('states', 'stateMachine:ship'),
        name: 'ship',
        kind: 'state',
        service: 'sqs',
        state: 'Send',
        isCaught,
      },
    ],
  });
const method = (hiddenErrors: readonly string[] | typeof UNKNOWN) =>
  inventoryOf({ serviceCalls: [{ arn: '<Test.Post>', name: 'POST', kind: 'method', service: 'sns', hiddenErrors }] });

const SERVICE_ROWS: readonly Row[] = [
  {
    id: 'iot-rule-without-error-action',
    severity: 'at-risk',
    what: 'a rule that is enabled',
    withFault: iotRule({}),
    about: 'rule',
    location: 'Properties/TopicRulePayload/ErrorAction',
    says: /a message is lost when one of its actions fails/,
    withoutFault: [iotRule({ hasErrorAction: true }), iotRule({ isEnabled: false }), bus({})],
    unknownBecause: [iotRule({ hasErrorAction: UNKNOWN })],
  },
  {
    id: 'bus-key-without-dead-letter-queue',
    severity: 'at-risk',
    what: 'a bus with a key',
    withFault: bus({ keyId: 'alias/k' }),
    about: 'bus',
    location: 'Properties/DeadLetterConfig',
    says: /events are lost when EventBridge cannot use the key/,
    withoutFault: [bus({ keyId: 'alias/k', deadLetterTargetArn: queueArn('dead') }), bus({ keyId: undefined })],
    unknownBecause: [bus({ keyId: UNKNOWN }), bus({ keyId: 'alias/k', deadLetterTargetArn: UNKNOWN })],
  },
  {
    id: 'bus-without-archive',
    severity: 'note',
    what: 'a bus of a template',
    withFault: bus({ hasArchive: false }),
    about: 'bus',
    says: /has no archive: its events cannot be replayed/,
    withoutFault: [bus({ hasArchive: true }), bus({})],
    unknownBecause: [bus({ hasArchive: UNKNOWN })],
  },
  {
    id: 'state-machine-does-not-catch',
    severity: 'at-risk',
    what: 'a state that sends to SQS',
    withFault: machine(false),
    about: 'ship',
    location: 'Properties/DefinitionString',
    says: /^The state Send of ship sends to SQS without a Catch: .* and the message is lost\.$/,
    withoutFault: [machine(true), method([])],
  },
  {
    id: 'api-hides-errors',
    severity: 'at-risk',
    what: 'a method that publishes to SNS',
    withFault: method(['400', '403']),
    about: 'POST',
    location: 'Properties/Integration/IntegrationResponses',
    says: /answers with a success if SNS refuses the message with 400, 403: the caller does not repeat it/,
    withoutFault: [method([]), machine(true)],
    unknownBecause: [method(UNKNOWN)],
  },
];

const NOTIFIED = [{ arn: 'arn:aws:s3:::uploads', name: 'uploads', targetArn: queueArn('work') }];
const reading = [queueUser('pipe', { sourceArn: queueArn('work'), deadLetterTargetArn: undefined })];
const keeping = queue('work', { redrivePolicy: { deadLetterTargetArn: queueArn('dead'), maxReceiveCount: 5 } });

const HANDOVER_ROWS: readonly Row[] = [
  {
    id: 'queue-keeps-nothing',
    severity: 'at-risk',
    what: 'a queue that a bucket notifies',
    withFault: inventoryOf({ notifications: NOTIFIED, queues: [queue('work')] }),
    about: 'work',
    location: 'Properties/RedrivePolicy',
    says: /to which uploads delivers/,
    withoutFault: [inventoryOf({ notifications: NOTIFIED, queues: [keeping] })],
    unknownBecause: [
      inventoryOf({ notifications: NOTIFIED.map(it => ({ ...it, targetArn: UNKNOWN })), queues: [queue('work')] }),
    ],
  },
  {
    id: 'queue-keeps-nothing',
    severity: 'at-risk',
    what: 'a queue that a pipe reads',
    withFault: inventoryOf({ queueUsers: reading, queues: [queue('work')] }),
    about: 'work',
    location: 'Properties/RedrivePolicy',
    says: /which the pipe pipe reads/,
    withoutFault: [
      inventoryOf({ queueUsers: reading, queues: [keeping] }),
      inventoryOf({ queueUsers: reading.map(it => ({ ...it, isEnabled: false })), queues: [queue('work')] }),
    ],
  },
  {
    id: 'function-keeps-nothing',
    severity: 'at-risk',
    what: 'a function that a bucket invokes',
    withFault: inventoryOf({
      notifications: NOTIFIED.map(it => ({ ...it, targetArn: functionArn('bill') })),
      functions: [lambda('bill')],
    }),
    about: 'bill',
    others: ['arn:aws:s3:::uploads'],
    says: /^uploads invokes the function bill/,
    calls: ['CreateQueue', 'PutRolePolicy', 'PutFunctionEventInvokeConfig'],
    withoutFault: [inventoryOf({ notifications: NOTIFIED, functions: [lambda('bill')] })],
  },
];

const AGE = 'ApproximateAgeOfOldestMessage';
type Comparison = 'Less' | 'LessOrEqual' | 'Greater' | 'GreaterOrEqual';
const NAMES: Readonly<Record<Comparison, string>> = {
  Less: 'LessThanThreshold',
  LessOrEqual: 'LessThanOrEqualToThreshold',
  Greater: 'GreaterThanThreshold',
  GreaterOrEqual: 'GreaterThanOrEqualToThreshold',
};

/** An alarm on a queue that keeps messages for four days. */
function watching(
  name: string,
  comparison: Comparison,
  threshold: number,
  facts: Parameters<typeof alarm>[2] = {},
): Inventory {
  const metrics = [metric('work', name)];
  const all = { isPlain: true, comparison: NAMES[comparison], threshold, ...facts };
  return inventoryOf({ queues: [queue('work')], alarms: [alarm('late', metrics, all)] });
}

const FOUR_DAYS = 345_600;
const IN_FLIGHT = 'ApproximateNumberOfMessagesNotVisible';

const THRESHOLD_ROWS: readonly Row[] = [
  {
    id: 'alarm-cannot-fire',
    severity: 'unwatched',
    what: 'an age that no message reaches',
    withFault: watching(AGE, 'Greater', FOUR_DAYS),
    about: 'late',
    location: 'Properties/Threshold',
    says: /^The alarm late never fires: its threshold for ApproximateAgeOfOldestMessage is 345600, and work keeps messages for 4 d\.$/,
    withoutFault: [
      watching(AGE, 'Greater', FOUR_DAYS - 1),
      watching(AGE, 'GreaterOrEqual', FOUR_DAYS),
      watching(AGE, 'Greater', FOUR_DAYS, { treatMissingData: 'breaching' }),
      watching(AGE, 'Greater', FOUR_DAYS, { isPlain: false }),
      watching('NumberOfMessagesSent', 'Greater', FOUR_DAYS),
      watching(AGE, 'Greater', FOUR_DAYS, { metrics: [metric('work', AGE, { accountId: '999999999999' })] }),
    ],
    unknownBecause: [
      watching(AGE, 'Greater', FOUR_DAYS, { threshold: UNKNOWN }),
      watching(AGE, 'Greater', FOUR_DAYS, { treatMissingData: UNKNOWN }),
      watching(AGE, 'Greater', FOUR_DAYS, { comparison: UNKNOWN }),
      { ...watching(AGE, 'Greater', FOUR_DAYS), queues: [queue('work', { retentionSeconds: UNKNOWN })] },
    ],
  },
  {
    id: 'alarm-cannot-fire',
    severity: 'unwatched',
    what: 'more messages in flight than a queue has',
    withFault: watching(IN_FLIGHT, 'GreaterOrEqual', 120_001),
    about: 'late',
    location: 'Properties/Threshold',
    says: /a queue has at most about 120,000 messages in flight/,
    withoutFault: [watching(IN_FLIGHT, 'GreaterOrEqual', 120_000), watching(IN_FLIGHT, 'Greater', 100_000)],
  },
  {
    id: 'alarm-cannot-fire',
    severity: 'unwatched',
    what: 'a count below 0',
    withFault: watching('NumberOfMessagesSent', 'Less', 0),
    about: 'late',
    location: 'Properties/Threshold',
    says: /the metric is never below 0/,
    withoutFault: [
      watching('NumberOfMessagesSent', 'Less', 1),
      watching('NumberOfMessagesSent', 'LessOrEqual', 0),
      watching('NumberOfMessagesSent', 'Less', 0, { metrics: [metric('work', 'Profit', { namespace: 'Shop' })] }),
    ],
  },
  {
    id: 'alarm-cannot-fire',
    severity: 'unwatched',
    what: 'a count of at most -1',
    withFault: watching('NumberOfMessagesSent', 'LessOrEqual', -1),
    about: 'late',
    location: 'Properties/Threshold',
    says: /the metric is never below 0/,
    withoutFault: [watching('NumberOfMessagesSent', 'LessOrEqual', 0)],
  },
  {
    id: 'alarm-tells-nobody',
    severity: 'unwatched',
    what: 'another alarm on messages whose actions are disabled',
    withFault: watching(AGE, 'Greater', 60, { actionsEnabled: false }),
    about: 'late',
    location: 'Properties/ActionsEnabled',
    says: /^The actions of the alarm late are disabled/,
    calls: ['EnableAlarmActions'],
    withoutFault: [
      watching(AGE, 'Greater', 60),
      watching(AGE, 'Greater', 60, { actionsEnabled: false, alarmActions: [] }),
      watching(AGE, 'Greater', 60, {
        actionsEnabled: false,
        metrics: [metric('work', 'Profit', { namespace: 'Shop' })],
      }),
    ],
    unknownBecause: [watching(AGE, 'Greater', 60, { actionsEnabled: UNKNOWN })],
  },
];

/** Rows of streams, of services that send to queues, and of thresholds. */
export const EVENT_ROWS: readonly Row[] = [...STREAM_ROWS, ...SERVICE_ROWS, ...HANDOVER_ROWS, ...THRESHOLD_ROWS];
