import { Aws, Lazy, RemovalPolicy, Stack, Token, Tokenization } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import { type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { CfnQueryDefinition, type ILogGroup, LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  CfnTopic,
  type ITopic,
  type LoggingConfig,
  type LoggingProtocol,
  type Subscription,
  type Topic,
} from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import { statusLogGroups } from '../../policy/messages/delivery-status';
import type { Problem } from '../../policy/problem';
import { grantLogsOnKey } from '../shared/access/key';
import { atSynthesis, integerProblems, pathOf, type Range, throwProblems, warn } from '../shared/checks';
import { protocolFacts, resourceOf } from './recipient';
import { countFailures, FAILURE_COUNTS, failureMetric, STATUS_QUERIES, type StatusQuery } from './status-queries';

/** How a topic logs what became of each delivery. */
export interface DeliveryStatusLoggingOptions {
  /**
   * How many of a hundred successful deliveries are logged: 0 to 100. Failures are always logged.
   *
   * @default 100
   */
  readonly successSampleRate?: number;

  /**
   * How long the two log groups keep a record.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly retention?: RetentionDays;

  /**
   * The key that encrypts the log groups. Its policy lets CloudWatch Logs use it for the log groups of SNS; where it
   * cannot be written from here, the warning `dead-letter-office:key-policy-not-writable` says what to add by hand, and
   * without it the deployment fails.
   *
   * @default - CloudWatch Logs encrypts with a key of its own
   */
  readonly encryptionKey?: IKey;

  /**
   * What becomes of the log groups when the stack is deleted. A retained log group blocks a later deployment of a topic
   * with the same physical name.
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

/** What SNS's own managed policy for this role has. @see https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSNSRole.html */
const LOGGING_ACTIONS = [
  'logs:CreateLogGroup',
  'logs:CreateLogStream',
  'logs:PutLogEvents',
  'logs:PutMetricFilter',
  'logs:PutRetentionPolicy',
];

const DEFAULT_SUCCESS_SAMPLE_RATE = 100;

/** A query's name has 255 characters at most, with ours before and behind; a topic's has 256. */
const LONGEST_NAME_IN_QUERIES = 200;

/** The topic's name as its queries show it: cut short where their own would be too long for CloudWatch Logs. */
function nameInQueries(topic: ITopic): string {
  const resource = topic.node.defaultChild;
  const stated = resource instanceof CfnTopic ? resource.topicName : undefined;
  const isLong = stated !== undefined && !Token.isUnresolved(stated) && stated.length > LONGEST_NAME_IN_QUERIES;
  return isLong ? stated.slice(0, LONGEST_NAME_IN_QUERIES) : topic.topicName;
}

/**
 * The role and the two log groups a topic's delivery-status logging needs, for all five protocols that SNS can log, and
 * what is asked of them: how often deliveries fail, by status code, as metrics; and three saved queries of Logs Insights
 * below `DeadLetterOffice/<topic>`, one for why a message died, one for the slowest endpoints, one for who fails now.
 *
 * SNS would create the log groups itself at the first delivery, and keep them for ever; here they exist beforehand, with
 * a retention. Let subscriptions depend on this construct, or a first delivery may still come before it. A
 * `DurableTopic` makes its own. For a plain `Topic`, pass `role` to its `addLoggingConfig`: until one of its configurations
 * names it, SNS logs nothing, and the warning `dead-letter-office:logging-unused` says so.
 *
 * A failure is counted when SNS gives up, once a delivery and not once an attempt; a failed delivery to the dead-letter
 * queue counts as one of its own. Filters and queries cost nothing by themselves. A metric costs 0.30 US dollars a month,
 * for the hours in which it counted something; a query half a cent for each gigabyte it reads.
 *
 * Two things about the role are our choice. AWS documents it with access to every log group; ours may write to these two
 * alone, whose names are documented as well, so that the role can neither read nor spoil another log. And its trust has
 * no `aws:SourceAccount` or `aws:SourceArn`: AWS documents none here, nor that SNS sends them along when it takes this
 * role, and a condition on a key that is not sent would end all logging without a word. Nobody else's topic can name the
 * role in its stead: that takes `iam:PassRole` on it, and a role cannot be passed to another account.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/topics-attrib-prereq.html
 */
export class DeliveryStatusLogging extends Construct {
  /** Holds the records of successful deliveries: `sns/<region>/<account>/<topic>`. */
  public readonly successLogGroup: ILogGroup;
  /** Holds the records of failed deliveries: `sns/<region>/<account>/<topic>/Failure`. */
  public readonly failureLogGroup: ILogGroup;
  /** What SNS writes both with. */
  public readonly role: IRole;
  /** How many of a hundred successful deliveries are logged. */
  public readonly successSampleRate: number;
  private readonly topic: ITopic;

  /** The log groups go by the topic's name: those of a second logging are there already. */
  private static otherProblems(scope: IConstruct, { topicArn }: ITopic): Problem[] {
    const others = scope.node.root.node
      .findAll()
      .filter(it => it instanceof DeliveryStatusLogging && it.topic.topicArn === topicArn);
    const rule = 'must have no other DeliveryStatusLogging, whose log groups have the same names';
    return others.map(({ node }) => ({ property: 'topic', rule, value: node.path }));
  }

  /** @throws if `successSampleRate` is not a whole number from 0 to 100, or if the topic has such a logging already */
  constructor(scope: Construct, id: string, props: DeliveryStatusLoggingProps) {
    throwProblems(pathOf(scope, id), [
      ...integerProblems('successSampleRate', props.successSampleRate, SAMPLE_RATE),
      ...DeliveryStatusLogging.otherProblems(scope, props.topic),
    ]);
    super(scope, id);
    this.topic = props.topic;
    this.successSampleRate = props.successSampleRate ?? DEFAULT_SUCCESS_SAMPLE_RATE;
    if (props.encryptionKey) grantLogsOnKey(this, props.encryptionKey);
    const { topicName: name } = props.topic;
    const groups = statusLogGroups({ region: Aws.REGION, account: Aws.ACCOUNT_ID, name });
    this.successLogGroup = this.addLogGroup('Successes', groups.success, props);
    this.failureLogGroup = this.addLogGroup('Failures', groups.failure, props);
    this.role = this.addRole();
    warnOfUnusedLogging(this, props.topic, this.role);
    countFailures(this, this.failureLogGroup);
    for (const query of STATUS_QUERIES) this.addQuery(query);
  }

  /** Deliveries SNS gave up on with one status code, such as 403. Sum over 5 minutes by default. */
  public metricFailures(statusCode: number, options?: MetricOptions): Metric {
    const by = { StatusCode: Tokenization.stringifyNumber(statusCode) };
    return failureMetric(FAILURE_COUNTS.FailuresByStatusCode, this.topic, options, by);
  }

  /** Deliveries SNS gave up on with a status code from 400 to 499. Sum over 5 minutes by default. */
  public metricClientErrors(options?: MetricOptions): Metric {
    return failureMetric(FAILURE_COUNTS.ClientErrors, this.topic, options);
  }

  /** Deliveries SNS gave up on with a status code from 500 to 599. Sum over 5 minutes by default. */
  public metricServerErrors(options?: MetricOptions): Metric {
    return failureMetric(FAILURE_COUNTS.ServerErrors, this.topic, options);
  }

  /** Deliveries SNS gave up on with any other status code or none, as when nobody answered. Sum over 5 minutes by default. */
  public metricOtherFailures(options?: MetricOptions): Metric {
    return failureMetric(FAILURE_COUNTS.OtherFailures, this.topic, options);
  }

  /**
   * Deliveries SNS gave up on and kept nothing of: the subscription has no dead-letter queue, or this was the delivery to
   * that queue. Sum over 5 minutes by default.
   */
  public metricUnkept(options?: MetricOptions): Metric {
    return failureMetric(FAILURE_COUNTS.Unkept, this.topic, options);
  }

  private addLogGroup(id: string, logGroupName: string, props: DeliveryStatusLoggingProps): LogGroup {
    return new LogGroup(this, id, {
      logGroupName,
      retention: props.retention ?? RetentionDays.THREE_MONTHS,
      encryptionKey: props.encryptionKey,
      removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    });
  }

  private addQuery({ id, question, ofSuccesses, lines }: StatusQuery): void {
    const groups = [...(ofSuccesses ? [this.successLogGroup] : []), this.failureLogGroup];
    new CfnQueryDefinition(this, id, {
      name: `DeadLetterOffice/${nameInQueries(this.topic)}/${question}`,
      queryString: lines.join('\n| '),
      logGroupNames: groups.map(({ logGroupName }) => logGroupName),
    });
  }

  /** The statement is a policy of its own, not the role's: the topic names the role, and the log groups the topic. */
  private addRole(): Role {
    const role = new Role(this, 'Role', {
      description: 'Lets SNS log what became of each delivery.',
      assumedBy: new ServicePrincipal('sns.amazonaws.com'),
    });
    const groups = [this.successLogGroup, this.failureLogGroup];
    role.addToPolicy(
      new PolicyStatement({ actions: LOGGING_ACTIONS, resources: groups.map(({ logGroupArn }) => logGroupArn) }),
    );
    return role;
  }
}

/** What a topic logs of its deliveries: what its user says of a protocol, and for the others in use whatever SNS can. */
export class StatusLogging {
  private readonly configs = new Map<LoggingProtocol, LoggingConfig>();
  private readonly stated = new Set<LoggingProtocol>();
  private logs?: DeliveryStatusLogging;

  constructor(private readonly topic: Topic) {
    renderLogging(topic, this.configs);
  }

  /** What the protocols in use are logged with; undefined where they are not. */
  public get deliveryStatus(): DeliveryStatusLogging | undefined {
    return this.logs;
  }

  /** Whether failures by a protocol are logged. */
  public canLog(protocol: string): boolean {
    return this.logs !== undefined && protocolFacts(protocol).logging !== undefined;
  }

  public logWith(logs: DeliveryStatusLogging): void {
    this.logs = logs;
  }

  /**
   * Takes what a user says of a protocol.
   * @throws if the success sample rate is not a whole number from 0 to 100, or a user has said something of it already
   */
  public configure(config: LoggingConfig): void {
    const { protocol, failureFeedbackRole, successFeedbackRole } = config;
    const rate = config.successFeedbackSampleRate;
    const rule = 'must have one logging configuration, for a topic logs each protocol in one way';
    throwProblems(this.topic.node.path, [
      ...integerProblems('successFeedbackSampleRate', rate, SAMPLE_RATE),
      ...(this.stated.has(protocol) ? [{ property: 'protocol', rule, value: protocol }] : []),
    ]);
    this.stated.add(protocol);
    this.configs.set(protocol, config);
    if (failureFeedbackRole || successFeedbackRole) return;
    const message = `Delivery status of ${protocol} is not logged: SNS has no role to log it with.`;
    warn(this.topic, 'logging-without-role', message);
  }

  /** Logs what becomes of a subscription's messages, and makes it wait until that can be written. */
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

/** How many of a hundred successful deliveries may be logged. */
export const SAMPLE_RATE: Range = { min: 0, max: 100 };

function rendered(config: LoggingConfig): CfnTopic.LoggingConfigProperty {
  const rate = config.successFeedbackSampleRate;
  return {
    protocol: config.protocol,
    failureFeedbackRoleArn: config.failureFeedbackRole?.roleRef.roleArn,
    successFeedbackRoleArn: config.successFeedbackRole?.roleRef.roleArn,
    successFeedbackSampleRate: rate === undefined ? undefined : Tokenization.stringifyNumber(rate),
  };
}

/**
 * Renders the logging of a topic, one configuration a protocol, as late as synthesis. A `Topic` would do it itself, but
 * throws on a sample rate that is not known before deployment.
 */
export function renderLogging(topic: Topic, configs: ReadonlyMap<string, LoggingConfig>): void {
  const resource = topic.node.defaultChild;
  if (!(resource instanceof CfnTopic)) throw new Error(`${topic.node.path} has no AWS::SNS::Topic`);
  const produce = () => [...configs.values()].map(rendered);
  resource.deliveryStatusLogging = Lazy.any({ produce }, { omitEmptyArray: true });
}

/** Warns at synthesis where no logging configuration of a topic of the app names the role made for it. */
export function warnOfUnusedLogging(scope: Construct, topic: ITopic, role: IRole): void {
  const resource = topic.node.defaultChild;
  // What a DurableTopic makes for itself, it uses as soon as it delivers.
  if (!(resource instanceof CfnTopic) || scope.node.scope === topic) return;
  atSynthesis(scope, () => {
    const configured = JSON.stringify(Stack.of(resource).resolve(resource.deliveryStatusLogging)) ?? '';
    const named = JSON.stringify(Stack.of(resource).resolve(role.roleArn));
    if (configured.includes(named)) return;
    const message = `SNS logs nothing with this: pass its role to addLoggingConfig of ${topic.node.path}, a protocol at a time.`;
    warn(scope, 'logging-unused', message);
  });
}
