import type { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { FilterOrPolicy, HealthyRetryPolicy, SubscriptionFilter } from 'aws-cdk-lib/aws-sns';
import type { RelayEndpoint, RelayNetworkOptions } from './relay-endpoint';

/** When a relay counts as failing. */
export interface RelayFailureRateAlarmOptions {
  /**
   * How many of a hundred attempts may fail in a way that is tried again: a whole number from 0 to 99.
   *
   * @default 50
   */
  readonly thresholdPercent?: number;

  /**
   * How many attempts, failed or not, five minutes must have had to count at all.
   *
   * @default 10
   */
  readonly minimumAttempts?: number;
}

/** Whether a relay has a breaker, when it stops the relay, and how often it looks whether the endpoint answers again. */
export interface RelayCircuitBreakerOptions {
  /**
   * Whether there is one. Without it each message is tried by its own schedule, whatever becomes of the others.
   *
   * @default true
   */
  readonly enabled?: boolean;

  /**
   * How many of a hundred attempts may fail in a way that is tried again, in each of two minutes: a whole number from 0 to 99.
   *
   * @default 50
   */
  readonly thresholdPercent?: number;

  /**
   * How many attempts, failed or not, a minute must have had to count at all; where an invocation may take longer than a
   * minute, so many minutes together.
   *
   * @default 10
   */
  readonly minimumAttempts?: number;

  /**
   * How long a relay that was stopped rests before one message is tried, and between such trials: whole seconds, 5 minutes to
   * a day. The breaker looks every five minutes, and so a trial may be that much later.
   *
   * @default Duration.minutes(5)
   */
  readonly probeInterval?: Duration;
}

/** Everything of an `HttpRelay` but where it posts to. */
export interface HttpRelayOptions extends RelayNetworkOptions {
  /**
   * When and how often a failed attempt is made again: the four phases of SNS's own delivery policy, without its limits of
   * 100 retries and an hour in all. A delay is 12 hours at most, less the queue's visibility timeout; the whole schedule must end
   * before messages expire; each retry with a delay takes one of the 1,000 receives SQS counts.
   *
   * The immediate retries follow the first attempt at once, in the same invocation.
   *
   * @default - Our choice: 1 immediate retry, 2 retries after 20 seconds, 10 that grow to an hour (exponential), and 80 an
   * hour apart: more than 80 hours, so that what fails on Friday night is still being tried on Tuesday, whatever the jitter
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
   */
  readonly retryPolicy?: HealthyRetryPolicy;

  /**
   * By how many of a hundred a delay may be shorter or longer than the policy's, at random, so that messages that failed
   * together do not come back together: a whole number from 0 to 50.
   *
   * @default 10
   */
  readonly jitterPercent?: number;

  /**
   * The most requests a second, of all invocations together. It is a ceiling and no average, unlike the one SNS knows by
   * this name: each of `maximumConcurrency` invocations keeps its share of it, in whole requests a second, and the relay is
   * slower than the ceiling while fewer run. A ceiling below `maximumConcurrency` holds for the time in which each sends
   * once: choose no more invocations than requests a second.
   *
   * What it costs: an invocation waits for the turns of its messages, by default a second for ten of them. A relay that must
   * be faster says so.
   *
   * @default - Our choice: 50, so that a partner that returns meets what piled up at a rate it can bear; `maximumConcurrency`
   * where that is more, a request a second for each
   */
  readonly maxReceivesPerSecond?: number;

  /**
   * How many invocations of the function run side by side at most, each with up to 10 messages: 3 to 1,000, and 2 too
   * where `circuitBreaker.enabled` is false.
   *
   * @default 5
   * @see https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
   */
  readonly maximumConcurrency?: number;

  /**
   * How long a connection may take to stand, TLS included: whole milliseconds, no longer than `totalTimeout`.
   *
   * @default Duration.seconds(5)
   */
  readonly connectTimeout?: Duration;

  /**
   * How long a request may take, from the call to the end of the answer: whole milliseconds. SNS gives endpoints the same
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
   * Whether the endpoint gets the message alone, and not SNS's envelope around it. The queue holds the envelope in either
   * case: do not ask for raw delivery in the subscription.
   *
   * @default false
   */
  readonly rawMessageDelivery?: boolean;

  /**
   * Headers of each request beside those SNS sends. Anybody may see them: keep a token in `headersSecret`.
   *
   * @default - only those SNS sends
   */
  readonly headers?: { [name: string]: string };

  /**
   * Headers that are a secret: a JSON object of names and texts. The function reads them when it runs, at most five minutes
   * late, and never logs them.
   *
   * @default - none
   */
  readonly headersSecret?: ISecret;

  /**
   * The secret with which each request is signed, as Standard Webhooks has it: `whsec_` and the key in base64. While it is
   * rotated, requests carry the signatures of both versions.
   *
   * @default - not signed, but for SNS's own signature in the envelope
   * @see https://www.standardwebhooks.com
   */
  readonly signingSecret?: ISecret;

  /**
   * The ranges of private addresses, in CIDR notation, that the endpoint may have. Any other address that is not public is
   * refused, by whatever name it goes. A range must have nothing of loopback, `0.0.0.0/8`, link-local, multicast and
   * broadcast addresses; the addresses at which AWS hands out credentials are refused even within one. Without
   * `vpc` there is no way to any of them, and the warning `dead-letter-office:private-ranges-without-vpc` says so.
   *
   * @default - public addresses only
   */
  readonly allowedPrivateRanges?: string[];

  /**
   * Answers that are tried again beside 408, 425, 429 and 500 to 599: 300 to 499. Any other makes the message a dead letter
   * at once, and 410 always does.
   *
   * @default - no others
   */
  readonly retriedStatuses?: number[];

  /**
   * How much longer than the policy says a `Retry-After` header may make the relay wait: whole seconds, up to 12 hours less
   * the queue's visibility timeout. It is added to each delay, and never makes one shorter.
   *
   * @default Duration.hours(1)
   */
  readonly retryAfterCap?: Duration;

  /**
   * How long the queue keeps a message, from when it is sent: 60 seconds to 14 days. It must hold the whole schedule.
   *
   * @default - Our choice: 10 days, so that what SQS itself moves to the dead-letter queue, where it expires 14 days after it
   * was first sent, leaves you three days to respond and one to spare
   */
  readonly retentionPeriod?: Duration;

  /**
   * The key that encrypts the queue and its dead-letter queue.
   *
   * @default - SQS encrypts with keys of its own
   */
  readonly encryptionMasterKey?: IKey;

  /**
   * Whether the queue is FIFO, for a FIFO topic: the messages of a group are delivered one after the other, and one that
   * waits to be tried again holds up those behind it.
   *
   * @default false
   */
  readonly fifo?: boolean;

  /**
   * How long the log of the function is kept.
   *
   * @default RetentionDays.THREE_MONTHS
   */
  readonly logRetention?: RetentionDays;

  /**
   * What becomes of the queue, its dead-letter queue and the log when the relay is taken out of the app, or its stack deleted.
   *
   * @default - the queue is deleted, with what waits in it; its dead-letter queue and the log stay
   */
  readonly removalPolicy?: RemovalPolicy;

  /**
   * Who is told when an alarm of this relay, its queue or its dead-letter queue fires. An `OpsTopic` is such an action.
   * At most 5, in the Region of the alarm; one in another account gets the warning
   * `dead-letter-office:alarm-action-of-another-account`.
   *
   * @default - nobody, and the warning `dead-letter-office:alarm-tells-nobody` says so
   */
  readonly alarmActions?: IAlarmAction[];

  /**
   * When the relay counts as failing: the alarm fires when so many attempts failed in a way that is tried again, in each of
   * three times five minutes. Of fewer attempts another alarm tells, without being asked: in two of three hours some failed and
   * nothing was delivered.
   *
   * @default - 50 of a hundred attempts, where there were 10 or more
   */
  readonly failureRateAlarm?: RelayFailureRateAlarmOptions;

  /**
   * Stops the relay while its endpoint fails, so that a partner that is down is not hammered, and you do not pay for
   * functions that wait for it: a second function disables the mapping, tries one message from time to time, and once one
   * is delivered starts the relay gently, from two invocations side by side to `maximumConcurrency`. What the queue would
   * drop meanwhile is given up in time, and is a dead letter. An alarm fires while the relay is stopped, by whomever.
   *
   * By a concurrency of 2 it tells a relay it stopped from one that you did: `maximumConcurrency` must be 3 or more, or
   * `enabled` false. It never touches a mapping that is disabled with another: stop a relay by `dlo relay stop`, or disable the
   * mapping and set its `MaximumConcurrency` in the same call. One that is only disabled, while the breaker has it at 2, it
   * starts again. A deployment that changes the mapping starts the relay.
   *
   * @default - our choice: a breaker that stops the relay at 50 failures of a hundred, where there were 10 attempts or more
   */
  readonly circuitBreaker?: RelayCircuitBreakerOptions;

  /**
   * How far behind its schedule an attempt may be, in whole seconds, before the lateness alarm fires.
   *
   * @default Duration.minutes(15)
   */
  readonly latenessAlarmThreshold?: Duration;
}

/** Properties of an `HttpRelay`. */
export interface HttpRelayProps extends HttpRelayOptions {
  /** Where to post to. */
  readonly endpoint: RelayEndpoint;
}

/** How a topic delivers to an endpoint through an `HttpRelay` of the delivery's own. */
export interface RelayedEndpointOptions extends HttpRelayOptions {
  /**
   * The messages wanted, by their attributes. The others are neither delivered nor dead-lettered. At most 5 names and
   * 150 combinations of values.
   *
   * @default - all messages
   * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-filtering.html
   */
  readonly filterPolicy?: { [attribute: string]: SubscriptionFilter };

  /**
   * The messages wanted, by members of their JSON body; not together with `filterPolicy`.
   *
   * @default - all messages
   */
  readonly filterPolicyWithMessageBody?: { [attribute: string]: FilterOrPolicy };
}
