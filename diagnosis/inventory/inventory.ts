import type { PolicyDocument } from '../../template/access/policy-document';
import type { MaybeKnown } from '../../template/maybe-known';

/** Where a resource stands in a synthesized template. */
export interface TemplatePlace {
  /** The stack's name. */
  readonly stack: string;
  readonly logicalId: string;
  /** Of the template's file. */
  readonly templatePath: string;
  /** The construct's path, as `aws:cdk:path` tells it. @default - the template does not tell */
  readonly constructPath?: string;
  /** The logical ids it waits for, those of `Ref`s and `Fn::GetAtt`s included, and what those wait for. */
  readonly waitsFor: readonly string[];
}

/** What every resource has. */
export interface Resource {
  /**
   * In an account, its ARN. In a template, the ARN it will have, with what only the deployment tells stood in for
   * (`stand-in.ts`): the same for all who name it.
   */
  readonly arn: string;
  /** What a person calls it: its name, or in a template the construct's path, or the logical id. */
  readonly name: string;
  /** @default - it was read from an account */
  readonly place?: TemplatePlace;
}

/** Of one protocol, how a topic logs what became of its deliveries. */
export interface StatusLogging {
  /** As the topic's attributes spell it: `SQS`, `Lambda`, `HTTP`, `Firehose`, `Application`. */
  readonly protocol: string;
  /** @default - what succeeds is not logged */
  readonly successRoleArn?: string;
  /** @default - what fails is not logged */
  readonly failureRoleArn?: string;
}

export interface TopicFacts extends Resource {
  readonly isFifo: MaybeKnown<boolean>;
  /** The key it is encrypted with: an id, an ARN or an alias. Undefined where it is not. */
  readonly keyId: MaybeKnown<string | undefined>;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  /** For HTTP/S, as JSON has it. Undefined where AWS's default holds. */
  readonly deliveryPolicy: MaybeKnown<unknown>;
  readonly logging: MaybeKnown<readonly StatusLogging[]>;
  /** In a template, the properties it is given and CloudFormation has none of by that name. @default - none */
  readonly unknownProperties?: readonly string[];
}

export interface SubscriptionFacts extends Resource {
  readonly topicArn: MaybeKnown<string>;
  /** The account that subscribed, which may be another than the topic's. */
  readonly owner: MaybeKnown<string>;
  /** As SNS spells it: `sqs`, `lambda`, `https`, `sms`, `email-json`, `firehose`, `application`. */
  readonly protocol: string;
  readonly endpoint: MaybeKnown<string>;
  /** Undefined where it has none. */
  readonly deadLetterTargetArn: MaybeKnown<string | undefined>;
  readonly isRaw: MaybeKnown<boolean>;
  /** Its own, as JSON has it. Undefined where the topic's holds. */
  readonly deliveryPolicy: MaybeKnown<unknown>;
  /** As JSON has it. Undefined where every message matches. */
  readonly filterPolicy: MaybeKnown<unknown>;
  /** What the filter is held to: `MessageAttributes` or `MessageBody`. Undefined where there is no filter. */
  readonly filterPolicyScope: MaybeKnown<string | undefined>;
  /** The names of settings it has beside these: `ReplayPolicy`. */
  readonly otherSettings: MaybeKnown<readonly string[]>;
  /** Whether it waits to be confirmed; of a template undefined. */
  readonly isPending?: boolean;
}

export interface RedrivePolicyFacts {
  readonly deadLetterTargetArn: MaybeKnown<string>;
  readonly maxReceiveCount: MaybeKnown<number>;
}

export interface RedriveAllowPolicyFacts {
  readonly permission: MaybeKnown<string>;
  /** Of `byQueue`. */
  readonly sourceQueueArns: MaybeKnown<readonly string[]>;
}

export interface QueueFacts extends Resource {
  /** Undefined in a template. */
  readonly url?: string;
  readonly isFifo: MaybeKnown<boolean>;
  readonly retentionSeconds: MaybeKnown<number>;
  readonly visibilityTimeoutSeconds: MaybeKnown<number>;
  /** Undefined where it has none. */
  readonly redrivePolicy: MaybeKnown<RedrivePolicyFacts | undefined>;
  /** Undefined where all may. */
  readonly redriveAllowPolicy: MaybeKnown<RedriveAllowPolicyFacts | undefined>;
  /** A key of KMS: an id, an ARN or an alias. Undefined where SQS's own key, or none, encrypts it. */
  readonly keyId: MaybeKnown<string | undefined>;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
  /** In a template, where the resources stand that its policy is made of. @default - none, or it was read from an account */
  readonly policyPlaces?: readonly TemplatePlace[];
}

/** What becomes of events a function, or one of its versions or aliases, is invoked with asynchronously. */
export interface EventInvokeFacts {
  /** `$LATEST`, or the version's or alias's name. */
  readonly qualifier: string;
  readonly onFailureArn: MaybeKnown<string | undefined>;
  readonly onSuccessArn: MaybeKnown<string | undefined>;
  /** 0 to 2. */
  readonly maximumRetryAttempts: MaybeKnown<number>;
  readonly maximumEventAgeSeconds: MaybeKnown<number>;
}

export interface FunctionFacts extends Resource {
  /** Where it logs, as far as that is read. @default - `/aws/lambda/` and its name */
  readonly logGroupName?: string;
  readonly timeoutSeconds: MaybeKnown<number>;
  readonly roleArn: MaybeKnown<string>;
  /** Of its DeadLetterConfig. Undefined where it has none. */
  readonly deadLetterTargetArn: MaybeKnown<string | undefined>;
  readonly eventInvokes: MaybeKnown<readonly EventInvokeFacts[]>;
  readonly reservedConcurrency: MaybeKnown<number | undefined>;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
}

/** An event source mapping. */
export interface MappingFacts extends Resource {
  /** Of the function, its version or its alias. */
  readonly functionArn: MaybeKnown<string>;
  readonly sourceArn: MaybeKnown<string | undefined>;
  readonly isEnabled: MaybeKnown<boolean>;
  readonly batchSize: MaybeKnown<number>;
  readonly batchingWindowSeconds: MaybeKnown<number>;
  readonly maximumConcurrency: MaybeKnown<number | undefined>;
  readonly reportsBatchItemFailures: MaybeKnown<boolean>;
  readonly hasFilters: MaybeKnown<boolean>;
  /** Of a stream. Undefined where it has none. */
  readonly onFailureArn: MaybeKnown<string | undefined>;
}

/** A target of an EventBridge rule, whose ARN is the rule's and is shared by all its targets; or that of a schedule. */
export interface TargetFacts extends Resource {
  readonly kind: 'rule' | 'schedule';
  readonly targetArn: MaybeKnown<string>;
  readonly deadLetterTargetArn: MaybeKnown<string | undefined>;
  /** Of a schedule, and of rules whose target is reached by a role. Undefined where it has none. */
  readonly roleArn: MaybeKnown<string | undefined>;
  readonly isEnabled: MaybeKnown<boolean>;
  /** For how long an event is tried, of the target's retry policy. 86,400 where it has none. */
  readonly maximumEventAgeSeconds: MaybeKnown<number>;
}

/** A pipe or a bus of EventBridge, or a rule of IoT, as far as it reads a queue or sends one what fails. */
export interface QueueUserFacts extends Resource {
  /** What it reads: undefined where that is nothing. */
  readonly sourceArn: MaybeKnown<string | undefined>;
  /** Undefined where it has none. */
  readonly deadLetterTargetArn: MaybeKnown<string | undefined>;
}

export interface KeyFacts extends Resource {
  /** Aliases that name it: `alias/orders`. */
  readonly aliases: readonly string[];
  /** Whether it is one of AWS's own, such as `alias/aws/sqs`: services of AWS cannot be let in. */
  readonly isManagedByAws: boolean;
  readonly isEnabled: MaybeKnown<boolean>;
  /** Of an account, as KMS spells it: `Enabled`, `Disabled`, `PendingDeletion`, `PendingImport`. @default - nobody told */
  readonly state?: string;
  readonly policy: MaybeKnown<PolicyDocument | undefined>;
}

/** A role, by what its own policies say. */
export interface RoleFacts extends Resource {
  readonly policies: MaybeKnown<readonly PolicyDocument[]>;
}

/**
 * What there is of an account and a Region, or will be of an app's stacks, as far as messages can be lost by it. Checks read
 * it and nothing else; whoever makes one leaves nothing out without saying so.
 */
export interface Inventory {
  readonly partition: string;
  /** Of templates that do not tell, or are for several, untold; in their ARNs is what is known of each. */
  readonly region: MaybeKnown<string>;
  readonly account: MaybeKnown<string>;
  /** Whether what is not listed is not there: of an account, as far as its own Region goes. An app is not all of an account. */
  readonly isComplete: boolean;
  /** What could not be read and may hold anything, each a sentence. @default - nothing */
  readonly unread?: readonly string[];
  /**
   * Of what is listed, what could not be read and is `Untold` therefore: sentences, which name the permission that shows it.
   * @default - nothing
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
  readonly alarms: readonly AlarmFacts[];
  readonly keys: readonly KeyFacts[];
  readonly roles: readonly RoleFacts[];
}

/** A metric an alarm watches, in its math included. */
export interface WatchedMetricFacts {
  /** Whose metric it is. @default - the alarm's own account's */
  readonly accountId?: MaybeKnown<string>;
  readonly namespace: string;
  readonly name: string;
  /** Values by the dimensions' names. */
  readonly dimensions: Readonly<Record<string, MaybeKnown<string>>>;
  /** `Sum`, `Maximum`, `p99`. */
  readonly statistic: string;
  readonly periodSeconds: MaybeKnown<number>;
}

/** An alarm, one on metrics or one on other alarms. */
export interface AlarmFacts extends Resource {
  readonly metrics: readonly WatchedMetricFacts[];
  /** Metrics Insights queries it watches, which name their metrics themselves. @default - none */
  readonly queries?: readonly MaybeKnown<string>[];
  /** Of a composite alarm. */
  readonly rule?: MaybeKnown<string>;
  /** As CloudWatch spells it: `GreaterThanThreshold`. */
  readonly comparison: MaybeKnown<string | undefined>;
  readonly threshold: MaybeKnown<number | undefined>;
  readonly evaluationPeriods: MaybeKnown<number>;
  readonly datapointsToAlarm: MaybeKnown<number>;
  /** `missing`, `notBreaching`, `breaching`, `ignore`. */
  readonly treatMissingData: MaybeKnown<string>;
  readonly actionsEnabled: MaybeKnown<boolean>;
  /** What it does when it comes to ALARM: ARNs. */
  readonly alarmActions: MaybeKnown<readonly MaybeKnown<string>[]>;
  /** Of an account: `ALARM`, `OK`, `INSUFFICIENT_DATA`. */
  readonly state?: string;
}
