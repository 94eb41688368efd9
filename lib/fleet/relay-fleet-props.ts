import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { HealthyRetryPolicy, ITopic } from 'aws-cdk-lib/aws-sns';
import type { RelayFailureRateAlarmOptions } from '../relay/http-relay-props';
import type { RelayNetworkOptions } from '../relay/relay-endpoint';
import type { AlarmSet } from '../shared/alarm-set';

/** Properties of a `RelayFleet`. */
export interface RelayFleetProps extends RelayNetworkOptions {
  /**
   * The name of the fleet: 1 to 80 letters, digits, hyphens and underscores. It is part of the ids of deliveries and of
   * the encryption context of the secrets, so it must never change: set it if you want to rename or move the construct.
   *
   * @default - a name made from the stack name and the path of the construct
   */
  readonly fleetName?: string;

  /**
   * The table of a fleet that was deleted, or one that was restored from it, in the same account and Region. The fleet
   * takes over its endpoints, their states and what is parked for them. `fleetName` and `key` must then be those of that
   * fleet, because the secrets in the table are bound to them. Never let two fleets use one table. If
   * `encryptionMasterKey` encrypts it, import it with that key, for `grantRead` and `grantManage`.
   *
   * @default - a new table
   */
  readonly table?: ITable;

  /**
   * The key that encrypts the data keys, with which the secrets of endpoints are encrypted. It must be in the Region of
   * the fleet, and its key policy must let the account use IAM policies, as the key policy that CDK makes does.
   *
   * @default - a new key, which is rotated
   */
  readonly key?: IKey;

  /**
   * When and how often a failed attempt is retried, for endpoints without a policy of their own. It has the four phases
   * of SNS's delivery policy, with at most 832 retries and 12 hours between two of them. It must end within `maxAge`.
   *
   * @default - that of an `HttpRelay`: 93 retries in more than 80 hours
   */
  readonly retryPolicy?: HealthyRetryPolicy;

  /**
   * The maximum random change of a delay, in percent: a whole number from 0 to 50.
   *
   * @default 10
   */
  readonly jitterPercent?: number;

  /**
   * How long after its event a message is given up at the latest, also if its endpoint was down all the time: whole
   * seconds, from 1 minute to 14 days. It is then sent to the dead-letter queue with the reason.
   *
   * @default Duration.days(5)
   */
  readonly maxAge?: Duration;

  /**
   * The maximum number of concurrent invocations of the deliverer, and of the dispatcher: 2 to 1,000. An invocation of
   * the deliverer has up to 25 requests under way.
   *
   * @default 50
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  readonly maximumConcurrency?: number;

  /**
   * The timeout for opening a connection, including TLS: whole milliseconds, not longer than `totalTimeout`.
   *
   * @default Duration.seconds(5)
   */
  readonly connectTimeout?: Duration;

  /**
   * The timeout for a request, from the call to the end of the response: whole milliseconds, up to 60 seconds.
   *
   * @default Duration.seconds(15)
   */
  readonly totalTimeout?: Duration;

  /**
   * The ranges of private addresses, in CIDR notation, that endpoints may have, as for an `HttpRelay`. Without `vpc` the
   * deliverer can reach none of them, and the warning `dead-letter-office:private-ranges-without-vpc` says so.
   *
   * @default - public addresses only
   */
  readonly allowedPrivateRanges?: string[];

  /**
   * Status codes that are the message's own fault and make it a dead letter at once: 300 to 599. In addition, 410
   * disables the endpoint.
   *
   * @default [400, 410, 413, 415, 422]
   */
  readonly deadStatuses?: number[];

  /**
   * The maximum delay that a `Retry-After` header may add to the delay of the policy: whole seconds, up to 12 hours. It
   * never makes a delay shorter.
   *
   * @default Duration.hours(1)
   */
  readonly retryAfterCap?: Duration;

  /**
   * How long an endpoint may fail before the fleet disables it: whole seconds, from 1 hour to 90 days. A message goes to
   * `noticesTopic` after 50 and 80 percent of the time, and when it happens. An endpoint that answers 410 is disabled at
   * once.
   *
   * @default Duration.days(5)
   */
  readonly disableAfter?: Duration;

  /**
   * Whether endpoints that fail for `disableAfter` are disabled. If not, they are probed for ever, every 30 minutes.
   *
   * @default true
   */
  readonly disableFailingEndpoints?: boolean;

  /**
   * The topic that gets a message before an endpoint is disabled and when it is. It must be a standard topic.
   *
   * @default - a topic of the fleet, without subscriptions
   */
  readonly noticesTopic?: ITopic;

  /**
   * Whether every attempt is logged in the table, by endpoint and by message, for `dlo fleet attempts` and the typed
   * client. It costs about 1.30 US dollars for each million attempts.
   *
   * @default true
   */
  readonly logAttempts?: boolean;

  /**
   * How long attempts are kept: whole seconds, from 1 hour to 365 days. Not where `logAttempts` is false.
   *
   * @default Duration.days(7)
   */
  readonly attemptRetention?: Duration;

  /**
   * Whether the log of attempts has the body of each message. Not where `logAttempts` is false.
   *
   * @default false
   */
  readonly logBodies?: boolean;

  /**
   * The key that encrypts the three queues, a new table and the fleet's own `noticesTopic`, in the Region of the fleet.
   * The key of the secrets is `key`.
   *
   * @default - keys of SQS and of DynamoDB, which are free; the topic is not encrypted
   */
  readonly encryptionMasterKey?: IKey;

  /**
   * How long the logs of the functions are stored.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What happens to the table, the key, the queues and the logs when the fleet is removed from the app or its stack is
   * deleted. The table is protected from deletion unless it is `RemovalPolicy.DESTROY`.
   *
   * @default - the two queues of messages under way are deleted; everything else is retained. If the creation of the fleet fails, only the
   * table is retained
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Which alarms are created. With `AlarmSet.ESSENTIAL`, four alarms of the fleet also watch its queues.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of all alarms of the fleet, for example an `OpsTopic`. At most 5, in the Region of the alarm. One in
   * another account gets the warning `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * When the alarm on failing endpoints fires: if more than this percentage of messages failed or was parked, because
   * its endpoint is down or has reached its ceiling, in each of three periods of five minutes. Some endpoints of a fleet
   * always fail.
   *
   * @default - 50 percent, with a minimum of 10 attempts
   */
  readonly failureRateAlarm?: RelayFailureRateAlarmOptions;

  /**
   * How long messages may wait that could be sent, before an alarm fires: whole seconds.
   *
   * @default Duration.minutes(15)
   */
  readonly latenessAlarmThreshold?: Duration;
}
