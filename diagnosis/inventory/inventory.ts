import type { QueueDepth } from '../../policy/redrive/redrive-facts';
import type { PolicyDocument } from '../../template/access/policy-document';
import type { MaybeKnown } from '../../template/maybe-known';

export interface TemplatePlace {
  readonly stack: string;
  readonly logicalId: string;
  readonly templatePath: string;
  /** The construct's path, from `aws:cdk:path`. @default - the template does not contain it */
  readonly constructPath?: string;
  /**
   * The logical ids that CloudFormation creates first: those it depends on, by `DependsOn`, `Ref` or `Fn::GetAtt`, and
   * their dependencies.
   */
  readonly waitsFor: readonly string[];
}

export interface Resource {
  /**
   * In an account, its ARN. In a template, its future ARN, with stand-ins for values that are only known at deployment
   * (`stand-in.ts`). Every template of the app has the same stand-in for the same resource.
   */
  readonly arn: string;
  /** The name for people: the resource's name; in a template, the construct's path or the logical id. */
  readonly name: string;
  /** @default - the resource was read from an account */
  readonly place?: TemplatePlace;
}

/** How a topic logs the deliveries of one protocol. */
export interface StatusLogging {
  /** In the spelling of the topic's attributes: `SQS`, `Lambda`, `HTTP`, `Firehose`, `Application`. */
  readonly protocol: string;
  /** @default - successes are not logged */
  readonly successRoleArn?: string;
  /** @default - failures are not logged */
  readonly failureRoleArn?: string;
}

export interface TopicFacts extends Resource {
  readonly isFifo: MaybeKnown<boolean>;
  /** Its KMS key: an id, an ARN or an alias. Undefined if it is not encrypted. */
  readonly keyId: MaybeKnown<string | undefined>;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  /** For HTTP/S, parsed from JSON. Undefined if AWS's default applies. */
  readonly deliveryPolicy: MaybeKnown<unknown>;
  readonly logging: MaybeKnown<readonly StatusLogging[]>;
  /** In a template, properties that CloudFormation does not have. @default - none */
  readonly unknownProperties?: readonly string[];
}

export interface SubscriptionFacts extends Resource {
  readonly topicArn: MaybeKnown<string>;
  /** The account that subscribed, which may differ from the topic's. */
  readonly owner: MaybeKnown<string>;
  /** In SNS's spelling: `sqs`, `lambda`, `https`, `sms`, `email-json`, `firehose`, `application`. */
  readonly protocol: string;
  readonly endpoint: MaybeKnown<string>;
  /** Undefined if it has none. */
  readonly deadLetterTargetArn: MaybeKnown<string | undefined>;
  readonly isRaw: MaybeKnown<boolean>;
  /** Its own policy, parsed from JSON. Undefined if the topic's applies. */
  readonly deliveryPolicy: MaybeKnown<unknown>;
  /** Parsed from JSON. Undefined if it has none, so that every message matches. */
  readonly filterPolicy: MaybeKnown<unknown>;
  /** What the filter applies to: `MessageAttributes` or `MessageBody`. Undefined if it has no filter. */
  readonly filterPolicyScope: MaybeKnown<string | undefined>;
  /** The names of its other settings: `ReplayPolicy`. */
  readonly otherSettings: MaybeKnown<readonly string[]>;
  /** The role with which SNS writes to a Firehose stream. Undefined if it has none. @default - unknown */
  readonly roleArn?: MaybeKnown<string | undefined>;
  /** Whether it awaits confirmation; undefined in a template. */
  readonly isPending?: boolean;
}

export interface RedrivePolicyFacts {
  readonly deadLetterTargetArn: MaybeKnown<string>;
  readonly maxReceiveCount: MaybeKnown<number>;
}

export interface RedriveAllowPolicyFacts {
  readonly permission: MaybeKnown<string>;
  /** For `byQueue`. */
  readonly sourceQueueArns: MaybeKnown<readonly string[]>;
}

export interface QueueFacts extends Resource {
  /** Undefined in a template. */
  readonly url?: string;
  readonly isFifo: MaybeKnown<boolean>;
  readonly retentionSeconds: MaybeKnown<number>;
  readonly visibilityTimeoutSeconds: MaybeKnown<number>;
  /** Undefined if it has none. */
  readonly redrivePolicy: MaybeKnown<RedrivePolicyFacts | undefined>;
  /** Undefined if all queues may use it. */
  readonly redriveAllowPolicy: MaybeKnown<RedriveAllowPolicyFacts | undefined>;
  /** Its KMS key: an id, an ARN or an alias. Undefined if it is encrypted with SQS's own key, or not at all. */
  readonly keyId: MaybeKnown<string | undefined>;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  /** In a template, the resources that form its policy. @default - none, or it was read from an account */
  readonly policyPlaces?: readonly TemplatePlace[];
  /** Its messages, as SQS counted them when it was read. Undefined in a template. */
  readonly depth?: MaybeKnown<QueueDepth>;
}

/** What Lambda does with asynchronous events of a function, a version or an alias. */
export interface EventInvokeFacts {
  /** `$LATEST`, or the name of the version or alias. */
  readonly qualifier: string;
  readonly onFailureArn: MaybeKnown<string | undefined>;
  readonly onSuccessArn: MaybeKnown<string | undefined>;
  /** 0 to 2. */
  readonly maximumRetryAttempts: MaybeKnown<number>;
  readonly maximumEventAgeSeconds: MaybeKnown<number>;
}

export interface FleetFacts {
  readonly name: string;
  readonly eventsQueueArn: string;
  readonly deliveriesQueueArn: string;
  readonly deadLetterQueueArn: string;
}

export interface FunctionFacts extends Resource {
  /** Its log group, if that was read. @default - `/aws/lambda/` and its name */
  readonly logGroupName?: string;
  readonly timeoutSeconds: MaybeKnown<number>;
  readonly roleArn: MaybeKnown<string>;
  /** From its DeadLetterConfig. Undefined if it has none. */
  readonly deadLetterTargetArn: MaybeKnown<string | undefined>;
  readonly eventInvokes: MaybeKnown<readonly EventInvokeFacts[]>;
  readonly reservedConcurrency: MaybeKnown<number | undefined>;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  /** The fleet that its environment names. @default - none, or its environment was not read */
  readonly fleet?: FleetFacts;
}

/** How often the records of a Kinesis or DynamoDB stream are tried again. */
export interface StreamRetryFacts {
  /** -1 for no limit. */
  readonly maximumRetryAttempts: MaybeKnown<number>;
  /** -1 for no limit other than the stream's retention. */
  readonly maximumRecordAgeSeconds: MaybeKnown<number>;
}

export interface MappingFacts extends Resource {
  /** The ARN of the function, its version or its alias. */
  readonly functionArn: MaybeKnown<string>;
  readonly sourceArn: MaybeKnown<string | undefined>;
  readonly isEnabled: MaybeKnown<boolean>;
  readonly batchSize: MaybeKnown<number>;
  readonly batchingWindowSeconds: MaybeKnown<number>;
  readonly maximumConcurrency: MaybeKnown<number | undefined>;
  /** The on-failure destination of a stream's mapping. Undefined if it has none. */
  readonly onFailureArn: MaybeKnown<string | undefined>;
  /** @default - it reads no Kinesis or DynamoDB stream */
  readonly streamRetries?: StreamRetryFacts;
}

/**
 * A target of an EventBridge rule, or the target of a schedule. For a rule, the ARN is that of the rule, which all its
 * targets share.
 */
export interface TargetFacts extends Resource {
  readonly kind: 'rule' | 'schedule';
  readonly targetArn: MaybeKnown<string>;
  readonly deadLetterTargetArn: MaybeKnown<string | undefined>;
  /** The role of a schedule, or of a rule's target that needs one. Undefined if it has none. */
  readonly roleArn: MaybeKnown<string | undefined>;
  readonly isEnabled: MaybeKnown<boolean>;
  /** How long an event is retried, from the target's retry policy: 86,400 if it has none. */
  readonly maximumEventAgeSeconds: MaybeKnown<number>;
}

/** An EventBridge pipe or bus, or an IoT rule, that reads a queue or sends failures to one. */
export interface QueueUserFacts extends Resource {
  readonly kind: 'pipe' | 'bus' | 'iot-rule';
  readonly isEnabled: MaybeKnown<boolean>;
  /** The ARN of what a pipe reads; undefined for others. */
  readonly sourceArn: MaybeKnown<string | undefined>;
  /** Undefined if it has none. */
  readonly deadLetterTargetArn: MaybeKnown<string | undefined>;
  /** Of a pipe. @default - it reads no Kinesis or DynamoDB stream */
  readonly streamRetries?: StreamRetryFacts;
  /** The customer managed key of a bus. Undefined if it has none. @default - it is no bus */
  readonly keyId?: MaybeKnown<string | undefined>;
  /** Of a bus in templates. @default - unknown */
  readonly hasArchive?: MaybeKnown<boolean>;
  /** Of an IoT rule. @default - it is none */
  readonly hasErrorAction?: MaybeKnown<boolean>;
}

/** A Firehose stream that a topic delivers to. */
export interface StreamFacts extends Resource {
  /** In Firehose's spelling: `ACTIVE`, `CREATING`, `CREATING_FAILED`, `DELETING`. Unknown in templates. */
  readonly status: MaybeKnown<string>;
  /** `DirectPut`, or what it reads instead: `KinesisStreamAsSource`. */
  readonly type: MaybeKnown<string>;
  /** Its customer managed key. Undefined if it has none. */
  readonly keyId: MaybeKnown<string | undefined>;
}

/** What hands events to a queue or function and keeps none: notifications of a bucket, an action of an IoT rule. */
export interface NotificationFacts extends Resource {
  readonly targetArn: MaybeKnown<string>;
}

export type ServiceCallFacts = StateFacts | MethodFacts;

interface StateFacts extends Resource {
  readonly kind: 'state';
  /** `sqs` or `sns`. */
  readonly service: string;
  readonly state: string;
  /** Whether it has a Catch, or a state around it. */
  readonly isCaught: boolean;
}

interface MethodFacts extends Resource {
  readonly kind: 'method';
  /** `sqs` or `sns`. */
  readonly service: string;
  /** The HTTP statuses of refusals that it answers with a success: `400`. */
  readonly hiddenErrors: MaybeKnown<readonly string[]>;
}

export interface WatchedMetricFacts {
  /** The account of the metric. @default - the alarm's own account */
  readonly accountId?: MaybeKnown<string>;
  readonly namespace: string;
  readonly name: string;
  /** Values by dimension name. */
  readonly dimensions: Readonly<Record<string, MaybeKnown<string>>>;
  /** `Sum`, `Maximum`, `p99`. */
  readonly statistic: string;
  readonly periodSeconds: MaybeKnown<number>;
}

export interface AlarmFacts extends Resource {
  readonly metrics: readonly WatchedMetricFacts[];
  /** Whether it compares its only metric itself, without metric math. @default false */
  readonly isPlain?: boolean;
  /** The Metrics Insights queries it watches; they name their metrics in text. @default - none */
  readonly queries?: readonly MaybeKnown<string>[];
  readonly rule?: MaybeKnown<string>;
  /** In CloudWatch's spelling: `GreaterThanThreshold`. */
  readonly comparison: MaybeKnown<string | undefined>;
  readonly threshold: MaybeKnown<number | undefined>;
  readonly evaluationPeriods: MaybeKnown<number>;
  readonly datapointsToAlarm: MaybeKnown<number>;
  /** `missing`, `notBreaching`, `breaching`, `ignore`. */
  readonly treatMissingData: MaybeKnown<string>;
  readonly actionsEnabled: MaybeKnown<boolean>;
  readonly alarmActions: MaybeKnown<readonly MaybeKnown<string>[]>;
  /** Only in an account: `ALARM`, `OK`, `INSUFFICIENT_DATA`. */
  readonly state?: string;
}

export interface KeyFacts extends Resource {
  /** Its aliases: `alias/orders`. */
  readonly aliases: readonly string[];
  /** Whether AWS manages it, as `alias/aws/sqs`. No service can be allowed to use such a key. */
  readonly isManagedByAws: boolean;
  readonly isEnabled: MaybeKnown<boolean>;
  /**
   * Only in an account, in KMS's spelling: `Enabled`, `Disabled`, `PendingDeletion`, `PendingImport`. @default -
   * unknown
   */
  readonly state?: string;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
}

export interface RoleFacts extends Resource {
  readonly policies: MaybeKnown<readonly PolicyDocument[]>;
  /** Those of its policies that are inline ones. @default - unknown, or it was read from templates */
  readonly inline?: readonly InlinePolicyFacts[];
  /** Its permissions boundary. @default - none */
  readonly boundary?: BoundaryFacts;
}

export interface BoundaryFacts {
  /** The ARN of the managed policy. Unknown if the role may have no boundary. */
  readonly arn: MaybeKnown<string>;
  readonly document: MaybeKnown<PolicyDocument>;
}

interface InlinePolicyFacts {
  readonly name: string;
  /** One of the role's policies. */
  readonly document: PolicyDocument;
}

/** The lists of an inventory, and `feeders`: resources that send dead letters to a queue, or the setting that shows it. */
export type InventoryPart =
  | 'topics'
  | 'subscriptions'
  | 'queues'
  | 'functions'
  | 'mappings'
  | 'targets'
  | 'queueUsers'
  | 'streams'
  | 'alarms'
  | 'feeders';

/**
 * The resources of an account and Region, or of an app's stacks, that can lose messages. Checks read nothing else, so
 * readers record everything they leave out.
 */
export interface Inventory {
  readonly partition: string;
  /** Unknown for templates that state none, or several. The ARNs contain what is known of each. */
  readonly region: MaybeKnown<string>;
  readonly account: MaybeKnown<string>;
  /**
   * Whether resources that are not listed do not exist. True for an account, within its Region. An app is not the whole
   * account.
   */
  readonly isComplete: boolean;
  /** What it may lack, because calls to the account failed. Nothing may be concluded from its absence. @default - nothing */
  readonly incomplete?: readonly InventoryPart[];
  /** Lists that could not be read, a sentence each. Any resource may be missing. @default - none */
  readonly unread?: readonly string[];
  /**
   * Values of listed resources that could not be read and are therefore `Unknown`, a sentence each. It names the
   * missing permission.
   * @default - none
   */
  readonly unseen?: readonly string[];
  readonly topics: readonly TopicFacts[];
  readonly subscriptions: readonly SubscriptionFacts[];
  readonly queues: readonly QueueFacts[];
  readonly functions: readonly FunctionFacts[];
  readonly mappings: readonly MappingFacts[];
  readonly targets: readonly TargetFacts[];
  /** @default - none */
  readonly queueUsers?: readonly QueueUserFacts[];
  /** Those that subscriptions name, and in templates all. @default - none */
  readonly streams?: readonly StreamFacts[];
  /** Only in templates. @default - none */
  readonly notifications?: readonly NotificationFacts[];
  /** Only in templates. @default - none */
  readonly serviceCalls?: readonly ServiceCallFacts[];
  readonly alarms: readonly AlarmFacts[];
  readonly keys: readonly KeyFacts[];
  readonly roles: readonly RoleFacts[];
}

/** The resources of all kinds. */
export function everyResource(inventory: Inventory): readonly Resource[] {
  const { topics, queues, functions, alarms, keys, roles, targets, subscriptions, mappings } = inventory;
  const { queueUsers = [], streams = [], notifications = [], serviceCalls = [] } = inventory;
  const read = [topics, queues, functions, alarms, keys, roles, targets, subscriptions, mappings];
  return [...read, queueUsers, streams, notifications, serviceCalls].flat();
}

/** Whether a resource may exist that the inventory does not contain. */
export function mayLack({ incomplete = [], unread = [] }: Inventory, ...parts: readonly InventoryPart[]): boolean {
  return unread.length > 0 || parts.some(part => incomplete.includes(part));
}
