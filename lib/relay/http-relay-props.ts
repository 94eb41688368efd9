import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { FilterOrPolicy, HealthyRetryPolicy, SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import type { AlarmSet } from '../shared/alarm-set';
import type { RelayAuthorization } from './relay-authorization';
import type { RelayEndpoint, RelayNetworkOptions } from './relay-endpoint';

/** When the failure-rate alarm of a relay fires. */
export interface RelayFailureRateAlarmOptions {
  /**
   * The percentage of attempts with a retriable failure above which the alarm fires: a whole number from 0 to 99.
   *
   * @default 50
   */
  readonly thresholdPercent?: number;

  /**
   * The minimum number of attempts in five minutes. With fewer, the period does not count as failing.
   *
   * @default 10
   */
  readonly minimumAttempts?: number;
}

/** Options for the circuit breaker of a relay. */
export interface RelayCircuitBreakerOptions {
  /**
   * Whether the relay has a breaker. Without one, each message follows its own retry schedule, whatever happens to the
   * others.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * The percentage of attempts with a retriable failure, in each of two minutes, above which the breaker opens: a whole
   * number from 0 to 99.
   *
   * @default 50
   */
  readonly thresholdPercent?: number;

  /**
   * The minimum number of attempts in a minute. With fewer, the minute does not count as failing. If an invocation may
   * take longer than a minute, the period is that many minutes.
   *
   * @default 10
   */
  readonly minimumAttempts?: number;

  /**
   * How long a stopped relay waits before it tries one message, and between such probes: whole seconds, 5 minutes to a
   * day. The breaker runs every five minutes, so a probe may be that much later.
   *
   * @default Duration.minutes(5)
   */
  readonly probeInterval?: Duration;
}

/** All properties of an `HttpRelay` except its endpoint. */
export interface HttpRelayOptions extends RelayNetworkOptions {
  /**
   * When and how often a failed attempt is retried. The policy has the four phases of SNS's delivery policy, without
   * its limits of 100 retries and one hour. A delay is at most 12 hours less the queue's visibility timeout. The whole
   * schedule must end before messages expire. Each delayed retry uses one of the 1,000 receives that SQS counts.
   *
   * Immediate retries follow the first attempt in the same invocation.
   *
   * @default - 1 immediate retry, 2 retries after 20 seconds, 10 with an exponential backoff up to an hour, and 80 an
   * hour apart. This is more than 80 hours, so that a message that fails on Friday night is still being retried on
   * Tuesday, whatever the jitter
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
   */
  readonly retryPolicy?: HealthyRetryPolicy;

  /**
   * The maximum random change of a delay, in percent, so that messages that failed together are not retried together: a
   * whole number from 0 to 50.
   *
   * @default 10
   */
  readonly jitterPercent?: number;

  /**
   * The maximum number of requests per second, of all invocations together. It is a ceiling, while the SNS setting of
   * this name is an average. Each of `maximumConcurrency` invocations uses its share, in whole requests per second, so
   * the relay is slower than the ceiling while fewer run. If the ceiling is below `maximumConcurrency`, it holds only
   * for the time in which each invocation sends one request: choose no more invocations than requests per second.
   *
   * Its cost: an invocation waits between the requests for its messages, by default one second for ten messages. Set a
   * higher ceiling for a relay that must be faster.
   *
   * @default - 50, so that an endpoint that recovers receives the backlog at a rate it can handle; `maximumConcurrency`
   * if that is more, which is one request per second for each invocation
   */
  readonly maxReceivesPerSecond?: number;

  /**
   * The maximum number of concurrent invocations, each with up to 10 messages: 3 to 1,000, or 2 to 1,000 if
   * `circuitBreaker.enabled` is false.
   *
   * @default 5
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
   * The timeout for a request, from the call to the end of the response: whole milliseconds. SNS also gives endpoints
   * 15 seconds.
   *
   * @default Duration.seconds(15)
   */
  readonly totalTimeout?: Duration;

  /**
   * The `Content-Type` of each request.
   *
   * @default 'text/plain; charset=UTF-8'
   */
  readonly contentType?: string;

  /**
   * Whether the endpoint gets only the message, without SNS's envelope. The queue contains the envelope in both cases:
   * do not enable raw delivery in the subscription.
   *
   * @default false
   */
  readonly rawMessageDelivery?: boolean;

  /**
   * Headers of each request, in addition to those SNS sends. They are visible in the template: put a token into
   * `headersSecret`.
   *
   * @default - only those SNS sends
   */
  readonly headers?: { [name: string]: string };

  /**
   * Secret headers: a JSON object of names and texts. The function reads them at run time, caches them for at most five
   * minutes, and never logs them.
   *
   * @default - none
   */
  readonly headersSecret?: ISecret;

  /**
   * The secret with which requests are signed, in the format of Standard Webhooks: `whsec_` and the key in base64.
   * During a rotation, requests have the signatures of both versions.
   *
   * @default - not signed, except for SNS's own signature in the envelope
   * @see https://www.standardwebhooks.com
   */
  readonly signingSecret?: ISecret;

  /**
   * How the relay gets the access token that each request carries in its header `Authorization`, instead of one in
   * `headers` or `headersSecret`.
   *
   * @default - none
   */
  readonly authorization?: RelayAuthorization;

  /**
   * The ranges of private addresses, in CIDR notation, that the endpoint may have, and the token endpoint. The relay refuses every other
   * address that is not public, also if a host name resolves to it. A range must be within 10.0.0.0/8, 172.16.0.0/12,
   * 192.168.0.0/16, 100.64.0.0/10, 198.18.0.0/15 or fc00::/7. The addresses at which AWS offers credentials, DNS and
   * time are refused even in an allowed range. Without `vpc` the function can reach none of them, and the warning
   * `dead-letter-office:private-ranges-without-vpc` says so.
   *
   * @default - public addresses only
   */
  readonly allowedPrivateRanges?: string[];

  /**
   * Status codes that are the message's own fault and make it a dead letter at once: 300 to 599. Every other status
   * except 200 to 299 is retried by the whole schedule, because a partner's bad deployment, expired token or firewall
   * rule answers 404, 403 or 302 to every request for a while.
   *
   * In a FIFO relay, such a message blocks its group. There the relay gives it up 30 minutes after its first receive.
   *
   * @default [400, 410, 413, 415, 422]
   * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5
   */
  readonly deadStatuses?: number[];

  /**
   * The maximum delay that a `Retry-After` header may add to the delay of the policy: whole seconds, up to 12 hours
   * less the queue's visibility timeout. It never makes a delay shorter.
   *
   * @default Duration.hours(1)
   */
  readonly retryAfterCap?: Duration;

  /**
   * How long the queue stores a message after it was sent: 60 seconds to 14 days. It must be longer than the whole
   * schedule.
   *
   * @default - 10 days. A message that SQS moves to the dead-letter queue expires there 14 days after it was first
   * sent, which leaves three days to respond and one to spare
   */
  readonly retentionPeriod?: Duration;

  /**
   * The key that encrypts the queue and its dead-letter queue.
   *
   * @default - SQS encrypts with keys of its own
   */
  readonly encryptionMasterKey?: IKey;

  /**
   * Whether the queue is FIFO, for a FIFO topic. The messages of a group are delivered one after the other, and a
   * message that waits for a retry blocks those after it.
   *
   * @default false
   */
  readonly fifo?: boolean;

  /**
   * How long the log of the function is stored.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What happens to the queue, its dead-letter queue and the log when the relay is removed from the app or its stack is
   * deleted.
   *
   * @default - the queue is deleted with its waiting messages; its dead-letter queue and the log are retained
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Which alarms are created. With `AlarmSet.ESSENTIAL`, five alarms of the relay also watch its queue and its dead-letter
   * queue.
   *
   * @default - that of the construct around it or of `AlarmDefaults`, and otherwise `AlarmSet.ESSENTIAL`
   */
  readonly alarms?: AlarmSet;

  /**
   * The actions of the alarms of this relay, its queue and its dead-letter queue, for example an `OpsTopic`. At most 5,
   * in the Region of the alarm. One in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * The first five of all relays of a stack are also those of the alarm on their common breaker. More get the warning
   * `dead-letter-office:breaker-alarm-full`.
   *
   * @default - none, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * When the failure-rate alarm fires: if more than this percentage of attempts had a retriable failure in each of
   * three periods of five minutes. For fewer attempts there is another alarm, which needs no configuration: it fires if
   * attempts have failed for an hour and none succeeded since.
   *
   * @default - 50 percent, with a minimum of 10 attempts
   */
  readonly failureRateAlarm?: RelayFailureRateAlarmOptions;

  /**
   * Stops the relay while its endpoint fails. This protects a failing endpoint from requests, and saves the cost of
   * functions that wait for it. A second function disables the mapping and tries one message from time to time. After a
   * successful delivery it starts the relay gradually, from two concurrent invocations to `maximumConcurrency`.
   * Messages that would expire meanwhile are sent to the dead-letter queue in time. An alarm fires while the relay is
   * stopped, whether by the breaker or manually.
   *
   * The breaker recognizes a relay that it stopped by a concurrency of 2. So `maximumConcurrency` must be 3 or more, or
   * `enabled` must be false. It never changes a mapping that was disabled with another concurrency. To stop a relay,
   * use `dlo relay stop`, or disable the mapping and set its `MaximumConcurrency` in the same call. If you only disable
   * a mapping while the breaker has set it to 2, the breaker enables it again. A deployment that changes the mapping
   * enables it again, even if an operator stopped the relay.
   *
   * @default - a breaker that stops the relay at 50 percent failures, with a minimum of 10 attempts
   */
  readonly circuitBreaker?: RelayCircuitBreakerOptions;

  /**
   * The delay of an attempt beyond its schedule at which the lateness alarm fires, in whole seconds.
   *
   * @default Duration.minutes(15)
   */
  readonly latenessAlarmThreshold?: Duration;
}

/** Properties of an `HttpRelay`. */
export interface HttpRelayProps extends HttpRelayOptions {
  /** The endpoint that receives the messages. */
  readonly endpoint: RelayEndpoint;
}

/** How a topic delivers to an endpoint through an `HttpRelay` that is created for the delivery. */
export interface RelayedEndpointOptions extends HttpRelayOptions {
  /**
   * A filter on message attributes. Messages that do not match are neither delivered nor dead-lettered. At most 5 names
   * and 150 combinations of values.
   *
   * @default - all messages
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
   */
  readonly filterPolicy?: { [attribute: string]: SubscriptionFilter };

  /**
   * A filter on members of the JSON body; not together with `filterPolicy`.
   *
   * @default - all messages
   */
  readonly filterPolicyWithMessageBody?: { [attribute: string]: FilterOrPolicy };
}
