import { Lazy, type RemovalPolicy, Stack, Token, Tokenization } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnQueryDefinition, type ILogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  CfnTopic,
  type ITopic,
  type LoggingConfig,
  type LoggingProtocol,
  type Subscription,
  type Topic,
} from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import type { Problem } from '../../policy/problem';
import { grantLogsOnKey } from '../shared/access/key';
import { AlarmSet, alarmSetOf } from '../shared/alarm-set';
import { loggingRoleArn } from '../shared/cdk-features';
import { KEY, REMOVAL_POLICY, RETENTION_DAYS, TOPIC } from '../shared/cdk-shapes';
import {
  atSynthesis,
  integerProblems,
  mismatchProblems,
  pathOf,
  type Range,
  throwProblems,
  warn,
} from '../shared/checks';
import { checkArguments, checkNew, having, NUMBER, optional, struct } from '../shared/shapes';
import { resourceOf } from './delivery-place';
import {
  countFailures,
  FAILURE_COUNT_IDS,
  FAILURE_COUNTS,
  type FailureCountId,
  failureMetric,
  STATUS_QUERIES,
  type StatusQuery,
} from './delivery-status-queries';
import { protocolFacts } from './protocol-facts';
import { addStatusLogGroups } from './status-log-groups';

/** Options for logging the status of deliveries. */
export interface DeliveryStatusLoggingOptions {
  /**
   * The percentage of successful deliveries that are logged: 0 to 100. Failures are always logged.
   *
   * @default 100
   */
  readonly successSampleRate?: number;

  /**
   * How long the two log groups store a record.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly retention?: RetentionDays;

  /**
   * The key that encrypts the log groups. Its policy lets CloudWatch Logs use it for the log groups of SNS. If this app
   * cannot change the policy, the warning `dead-letter-office:key-policy-not-writable` shows the statement to add,
   * without which the deployment fails.
   *
   * @default - CloudWatch Logs encrypts with a key of its own
   */
  readonly encryptionKey?: IKey;

  /**
   * What happens to the log groups when the stack is deleted. A later deployment of a topic with the same name takes over
   * the retained ones, with their records. Log groups that were taken over are always retained, and so are those of a
   * topic whose stated name changes.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** Properties of a `DeliveryStatusLogging`. */
export interface DeliveryStatusLoggingProps extends DeliveryStatusLoggingOptions {
  /** The topic whose deliveries are logged. */
  readonly topic: ITopic;
}

export const LOGGING_OPTIONS = struct<DeliveryStatusLoggingOptions>({
  successSampleRate: optional(NUMBER),
  retention: optional(RETENTION_DAYS),
  encryptionKey: optional(KEY),
  removalPolicy: optional(REMOVAL_POLICY),
});

const PROPS = struct<DeliveryStatusLoggingProps>({ ...LOGGING_OPTIONS.members, topic: TOPIC });

/**
 * The actions of the managed policy that SNS provides for this role.
 * @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSNSRole.html
 */
const LOGGING_ACTIONS = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'logs:PutMetricFilter',
  'logs:PutRetentionPolicy',
];

const DEFAULT_SUCCESS_SAMPLE_RATE = 100;

/** The name of a query has at most 255 characters, including our prefix and suffix; the name of a topic at most 256. */
const LONGEST_NAME_IN_QUERIES = 200;

/** The topic's name in its query names, truncated if the query name would be too long for CloudWatch Logs. */
function nameInQueries(topic: ITopic): string {
  const resource = topic.node.defaultChild;
  const stated = resource instanceof CfnTopic ? resource.topicName : undefined;
  const isLong = stated !== undefined && !Token.isUnresolved(stated) && stated.length > LONGEST_NAME_IN_QUERIES;
  return isLong ? stated.slice(0, LONGEST_NAME_IN_QUERIES) : topic.topicName;
}

/**
 * The role and the two log groups for the delivery-status logging of a topic, for all five protocols that SNS can log.
 * It also creates a metric of failed deliveries by status code, others on request, and three saved queries of Logs Insights below
 * `DeadLetterOffice/<topic>`: why a message failed, the slowest endpoints, and which destinations fail now.
 *
 * SNS would create the log groups itself at the first delivery, without a retention. Here they exist beforehand, with
 * one. If the name of the topic is stated, a function creates them, or takes over existing ones: from a deployment that
 * failed, from a deleted stack, or from SNS. Let subscriptions depend on this construct so that no delivery comes before it. A `DurableTopic` creates its
 * own. For a plain `Topic`, pass `role` to its `addLoggingConfig`. Until one of its configurations uses the role, SNS
 * logs nothing, and the warning `dead-letter-office:logging-unused` says so.
 *
 * A failure is counted when SNS gives up: once per delivery, not per attempt. A failed delivery to the dead-letter
 * queue is counted separately. Filters and queries cost nothing by themselves. A metric costs 0.30 US dollars a month,
 * for the hours in which it counted something; a query costs half a cent per gigabyte it reads.
 *
 * The role differs from AWS's documentation in two ways. AWS gives it access to every log group. This role may write
 * only to these two, whose names are documented, so that it can neither read nor change other logs. And its trust
 * policy has no `aws:SourceAccount` or `aws:SourceArn`: AWS does not document that SNS sends them when it assumes this
 * role (assumption IAM-7), and a condition on a missing key would silently end all logging. Topics of other accounts
 * cannot use the role: that needs `iam:PassRole`, and a role cannot be passed to another account.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/topics-attrib-prereq.html
 */
export class DeliveryStatusLogging extends Construct {
  /** The records of successful deliveries: `sns/<region>/<account>/<topic>`. */
  public readonly successLogGroup: ILogGroup;
  /** The records of failed deliveries: `sns/<region>/<account>/<topic>/Failure`. */
  public readonly failureLogGroup: ILogGroup;
  /** The role with which SNS writes to both log groups. */
  public readonly role: IRole;
  /** The percentage of successful deliveries that are logged. */
  public readonly successSampleRate: number;
  private readonly topic: ITopic;

  /** The log groups are named after the topic, so a second logging of the topic cannot create its own. */
  private static otherProblems(scope: IConstruct, { topicArn }: ITopic): Problem[] {
    const others = scope.node.root.node
      .findAll()
      .filter(it => it instanceof DeliveryStatusLogging && it.topic.topicArn === topicArn);
    const rule = 'must have no other DeliveryStatusLogging, because its log groups have the same names';
    return others.map(({ node }) => ({ property: 'topic', rule, value: node.path }));
  }

  /** SNS writes to log groups in the account and Region of the topic. */
  private static placeProblems(scope: IConstruct, { env }: ITopic): Problem[] {
    const { region, account } = Stack.of(scope);
    return [
      ...mismatchProblems('topic', 'must be in the Region of the stack,', region, env.region),
      ...mismatchProblems('topic', 'must be in the account of the stack,', account, env.account),
    ];
  }

  /**
   * @throws if `successSampleRate` is not a whole number from 0 to 100, or if the topic already has a
   * `DeliveryStatusLogging`, or is in another account or Region than the stack
   */
  constructor(scope: Construct, id: string, props: DeliveryStatusLoggingProps) {
    checkNew(scope, id, props, PROPS);
    throwProblems(pathOf(scope, id), [
      ...integerProblems('successSampleRate', props.successSampleRate, SAMPLE_RATE),
      ...DeliveryStatusLogging.otherProblems(scope, props.topic),
      ...DeliveryStatusLogging.placeProblems(scope, props.topic),
    ]);
    super(scope, id);
    this.topic = props.topic;
    this.successSampleRate = props.successSampleRate ?? DEFAULT_SUCCESS_SAMPLE_RATE;
    if (props.encryptionKey) grantLogsOnKey(this, props.encryptionKey);
    const { success, failure } = addStatusLogGroups(this, props);
    this.successLogGroup = success;
    this.failureLogGroup = failure;
    this.role = this.addRole();
    warnOfUnusedLogging(this, props.topic, this.role);
    for (const id of this.countsFromTheStart()) countFailures(this, this.failureLogGroup, id);
    for (const query of STATUS_QUERIES) this.addQuery(query);
  }

  /** Counts deliveries that SNS gave up on with one status code, such as 403. Sum over 5 minutes by default. */
  public metricFailures(statusCode: number, options?: MetricOptions): Metric {
    checkArguments(this, { statusCode }, { statusCode: NUMBER });
    const by = { StatusCode: Tokenization.stringifyNumber(statusCode) };
    return this.metricOf('FailuresByStatusCode', options, by);
  }

  /**
   * Counts deliveries that SNS gave up on with a status code from 400 to 499. Sum over 5 minutes by default. Without
   * `AlarmSet.ALL` the first call creates the metric filter, which counts from its deployment on.
   */
  public metricClientErrors(options?: MetricOptions): Metric {
    return this.metricOf('ClientErrors', options);
  }

  /**
   * Counts deliveries that SNS gave up on with a status code from 500 to 599. Sum over 5 minutes by default. Without
   * `AlarmSet.ALL` the first call creates the metric filter, which counts from its deployment on.
   */
  public metricServerErrors(options?: MetricOptions): Metric {
    return this.metricOf('ServerErrors', options);
  }

  /**
   * Counts deliveries that SNS gave up on with another status code or none, for example without a response. Sum over 5
   * minutes by default. Without `AlarmSet.ALL` the first call creates the metric filter, which counts from its deployment
   * on.
   */
  public metricOtherFailures(options?: MetricOptions): Metric {
    return this.metricOf('OtherFailures', options);
  }

  /**
   * Counts deliveries that SNS gave up on and discarded: the subscription has no dead-letter queue, or this was the
   * delivery to that queue. Sum over 5 minutes by default. Without `AlarmSet.ALL` the first call creates the metric filter,
   * which counts from its deployment on.
   */
  public metricUnkept(options?: MetricOptions): Metric {
    return this.metricOf('Unkept', options);
  }

  private countsFromTheStart(): readonly FailureCountId[] {
    return alarmSetOf(this) === AlarmSet.ALL ? FAILURE_COUNT_IDS : ['FailuresByStatusCode'];
  }

  private metricOf(id: FailureCountId, options?: MetricOptions, by?: Readonly<Record<string, string>>): Metric {
    const metric = failureMetric(FAILURE_COUNTS[id], this.topic, options, by);
    countFailures(this, this.failureLogGroup, id);
    return metric;
  }

  private addQuery({ id, question, ofSuccesses, lines }: StatusQuery): void {
    const groups = [...(ofSuccesses ? [this.successLogGroup] : []), this.failureLogGroup];
    new CfnQueryDefinition(this, id, {
      name: `DeadLetterOffice/${nameInQueries(this.topic)}/${question}`,
      queryString: lines.join('\n| '),
      logGroupNames: groups.map(({ logGroupName }) => logGroupName),
    });
  }

  /**
   * The statement is in a policy of its own, not in the role: the topic refers to the role, and the log groups refer to
   * the topic.
   */
  private addRole(): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets SNS log the status of deliveries.',
      assumedBy: new ServicePrincipal('sns.amazonaws.com'),
    });
    const groups = [this.successLogGroup, this.failureLogGroup];
    role.addToPolicy(
      new PolicyStatement({ actions: LOGGING_ACTIONS, resources: groups.map(({ logGroupArn }) => logGroupArn) }),
    );
    return role;
  }
}

/**
 * The delivery-status logging of a topic: the configurations that the user added, and a default for other protocols in
 * use that SNS can log.
 */
export class TopicStatusLogging {
  private readonly configs = new Map<LoggingProtocol, LoggingConfig>();
  private readonly stated = new Set<LoggingProtocol>();
  private logs?: DeliveryStatusLogging;

  constructor(private readonly topic: Topic) {
    renderLogging(topic, this.configs);
  }

  /** The default logging; undefined without one. */
  public get deliveryStatus(): DeliveryStatusLogging | undefined {
    return this.logs;
  }

  /** Whether failures of a protocol are logged. */
  public canLog(protocol: string): boolean {
    return this.logs !== undefined && protocolFacts(protocol).logging !== undefined;
  }

  public logWith(logs: DeliveryStatusLogging): void {
    this.logs = logs;
  }

  /**
   * Adds the user's configuration of a protocol.
   * @throws if the success sample rate is not a whole number from 0 to 100, or the protocol already has a configuration
   */
  public configure(config: LoggingConfig): void {
    checkArguments(this.topic, { config }, { config: having<LoggingConfig>('a LoggingConfig', 'protocol') });
    const { protocol, failureFeedbackRole, successFeedbackRole } = config;
    const rate = config.successFeedbackSampleRate;
    const rule = 'must have only one logging configuration';
    throwProblems(this.topic.node.path, [
      ...integerProblems('successFeedbackSampleRate', rate, SAMPLE_RATE),
      ...(this.stated.has(protocol) ? [{ property: 'protocol', rule, value: protocol }] : []),
    ]);
    this.stated.add(protocol);
    this.configs.set(protocol, config);
    if (failureFeedbackRole || successFeedbackRole) return;
    const message = `The delivery status of ${protocol} is not logged, because the configuration has no role.`;
    warn(this.topic, 'logging-without-role', message);
  }

  /** Logs the deliveries of a subscription, and makes it depend on the log groups and the role. */
  public cover(subscription: Subscription): void {
    if (!this.logs) return;
    const { role, successSampleRate } = this.logs;
    const { logging } = protocolFacts(resourceOf(subscription).protocol);
    if (logging && !this.configs.has(logging)) {
      this.configs.set(logging, {
        protocol: logging,
        failureFeedbackRole: role,
        successFeedbackRole: role,
        successFeedbackSampleRate: successSampleRate,
      });
    }
    subscription.node.addDependency(this.logs);
  }
}

/** The percentage of successful deliveries that may be logged. */
const SAMPLE_RATE: Range = { min: 0, max: 100 };

function rendered(config: LoggingConfig): CfnTopic.LoggingConfigProperty {
  const rate = config.successFeedbackSampleRate;
  return {
    protocol: config.protocol,
    failureFeedbackRoleArn: loggingRoleArn(config.failureFeedbackRole),
    successFeedbackRoleArn: loggingRoleArn(config.successFeedbackRole),
    successFeedbackSampleRate: rate === undefined ? undefined : Tokenization.stringifyNumber(rate),
  };
}

/**
 * Renders the logging configuration of a topic at synthesis, one for each protocol. A `Topic` would do so itself, but
 * throws on a sample rate that is a token.
 */
function renderLogging(topic: Topic, configs: ReadonlyMap<string, LoggingConfig>): void {
  const resource = topic.node.defaultChild;
  if (!(resource instanceof CfnTopic)) throw new Error(`${topic.node.path} has no AWS::SNS::Topic`);
  const produce = () => [...configs.values()].map(rendered);
  resource.deliveryStatusLogging = Lazy.any({ produce }, { omitEmptyArray: true });
}

/** Warns at synthesis if no logging configuration of the topic uses the role created for it. */
function warnOfUnusedLogging(scope: Construct, topic: ITopic, role: IRole): void {
  const resource = topic.node.defaultChild;
  // A `DurableTopic` uses its own logging as soon as it delivers.
  if (!(resource instanceof CfnTopic) || scope.node.scope === topic) return;
  atSynthesis(scope, () => {
    const configured = JSON.stringify(Stack.of(resource).resolve(resource.deliveryStatusLogging)) ?? '';
    const named = JSON.stringify(Stack.of(resource).resolve(role.roleArn));
    if (configured.includes(named)) return;
    const message = `SNS logs nothing with this: pass its role to addLoggingConfig of ${topic.node.path}, for each protocol.`;
    warn(scope, 'logging-unused', message);
  });
}
