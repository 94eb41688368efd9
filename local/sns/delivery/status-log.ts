import { createHash } from 'node:crypto';
import { redrivePolicyText, type StatusRecord, statusLogGroups } from '../../../policy/messages/delivery-status';
import type { Protocol } from '../../../policy/outcome/protocol';
import { isoInstant } from '../../kernel/clock';
import type { ServiceContext } from '../../kernel/service-api';
import { writeWithRole } from '../../kernel/telemetry';
import type { TextMessage } from '../direct-messages/text-messages';
import type { SnsDependencies } from '../ports';
import type { Topic } from '../topic/topic-and-subscription';
import type { SnsTraceEvent } from '../trace-events';

/**
 * The prefix of the topic attributes that configure logging, by protocol. SNS does not log e-mail or text messages of
 * topics.
 */
export const FEEDBACK_PREFIXES: Readonly<Partial<Record<Protocol, string>>> = {
  application: 'Application',
  firehose: 'Firehose',
  http: 'HTTP',
  https: 'HTTP',
  lambda: 'Lambda',
  sqs: 'SQS',
};

/** What SNS logs, to which log group and with which role. */
export interface LogSettings {
  /** The log group of successes, below `sns/<Region>/<account>/`. Failures go to its `/Failure` group. */
  readonly group: string;
  /** @default - successes are not logged */
  readonly successRoleArn: string | undefined;
  /** @default - failures are not logged */
  readonly failureRoleArn: string | undefined;
  /**
   * Percentage of successes to log, as text.
   * **Assumption SNS-20:** Without a rate, SNS logs no success.
   */
  readonly successSampleRate: string | undefined;
  /** @default - published directly to a phone or device */
  readonly topicArn?: string;
}

function topicSettings({ arn, name, feedback }: Topic, protocol: Protocol): LogSettings | undefined {
  const prefix = FEEDBACK_PREFIXES[protocol];
  if (prefix === undefined || feedback.size === 0) return undefined;
  return {
    group: name,
    successRoleArn: feedback.get(`${prefix}SuccessFeedbackRoleArn`),
    failureRoleArn: feedback.get(`${prefix}FailureFeedbackRoleArn`),
    successSampleRate: feedback.get(`${prefix}SuccessFeedbackSampleRate`),
    topicArn: arn,
  };
}

/**
 * Writes delivery-status records: every failure, and the sampled share of successes. SNS uses the roles from the
 * topic's attributes. When SNS may not assume a role, or the role may not write, nothing is logged and the trace
 * records the refusal.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export class StatusLog {
  /** The log stream of each log group. SNS names its log streams by random ids. */
  private readonly streams = new Map<string, string>();

  constructor(
    private readonly context: ServiceContext<SnsTraceEvent>,
    private readonly dependencies: Pick<SnsDependencies, 'logs' | 'roles'>,
  ) {}

  /**
   * Logs the end of a delivery if the logging settings of the topic require it.
   * @param protocol whose logging settings apply
   * @param describe makes the record; called only if the record is logged
   */
  endedOf(topic: Topic, protocol: Protocol, succeeded: boolean, describe: (deliveryId: string) => string): void {
    const settings = topicSettings(topic, protocol);
    if (settings) this.ended(settings, succeeded, describe);
  }

  /** Logs the end of a delivery if `settings` require it. */
  ended(settings: LogSettings, succeeded: boolean, describe: (deliveryId: string) => string): void {
    const roleArn = succeeded ? settings.successRoleArn : settings.failureRoleArn;
    if (roleArn === undefined || (succeeded && !this.isSampled(settings))) return;
    const { place, random, trace } = this.context;
    const groups = statusLogGroups({ ...place, name: settings.group });
    const group = succeeded ? groups.success : groups.failure;
    const reason = this.write(roleArn, group, describe(random.uuid()));
    if (reason === undefined) return;
    const { topicArn } = settings;
    trace.record({
      type: 'sns.status-log-refused',
      ...(topicArn !== undefined && { topicArn }),
      logGroupName: group,
      roleArn,
      reason,
    });
  }

  private isSampled({ successSampleRate = '0' }: LogSettings): boolean {
    const percent = Number(successSampleRate);
    return percent >= 100 || this.context.random.fraction() * 100 < percent;
  }

  /** Returns why the record could not be written, or undefined if it was written. */
  private write(roleArn: string, group: string, record: string): string | undefined {
    const { logs, roles } = this.dependencies;
    if (!roles.decideAssumeRole('sns.amazonaws.com', roleArn).allowed)
      return 'sns.amazonaws.com may not assume the role';
    return writeWithRole(logs, roleArn, group, this.streamOf(group), record);
  }

  private streamOf(group: string): string {
    const known = this.streams.get(group);
    if (known !== undefined) return known;
    const stream = this.context.random.uuid();
    this.streams.set(group, stream);
    return stream;
  }
}

export interface DeliveryStatus {
  readonly messageId: string;
  /** @default - published directly to a phone or device */
  readonly topicArn?: string;
  /** The text that the destination received or should have received. */
  readonly body: string;
  /** An ARN, a URL or an address. */
  readonly destination: string;
  /** Device token. */
  readonly token?: string;
  readonly succeeded: boolean;
  readonly deadLetterQueueArn?: string;
  readonly providerResponse: string;
  /**
   * When the message was published. For the delivery to the dead-letter queue: when the delivery to the endpoint had
   * failed.
   */
  readonly readyAtMs: number;
  /** When the last attempt began. */
  readonly startedAtMs: number;
  /** @default - not shown, as for a function that accepted its event */
  readonly attempts?: number;
  /** @default - not shown, because no response came */
  readonly statusCode?: number;
}

/** Formats an instant in UTC as in `2019-11-05 18:33:46.123`. */
function logInstant(atMs: number): string {
  return isoInstant(atMs).replace('T', ' ').replace('Z', '');
}

const word = (succeeded: boolean): StatusRecord['status'] => (succeeded ? 'SUCCESS' : 'FAILURE');

/**
 * Returns one record of a delivery-status log, as JSON.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export function statusRecord(status: DeliveryStatus, deliveryId: string): string {
  const { messageId, topicArn, deadLetterQueueArn, token, attempts, statusCode } = status;
  const record: StatusRecord = {
    notification: {
      messageMD5Sum: createHash('md5').update(status.body).digest('hex'),
      messageId,
      topicArn,
      timestamp: logInstant(status.readyAtMs),
    },
    delivery: {
      deliveryId,
      ...(deadLetterQueueArn !== undefined && { redrivePolicy: redrivePolicyText(deadLetterQueueArn) }),
      destination: status.destination,
      token,
      providerResponse: status.providerResponse,
      dwellTimeMs: status.startedAtMs - status.readyAtMs,
      attempts,
      statusCode,
    },
    status: word(status.succeeded),
  };
  return JSON.stringify(record);
}

type TextMessageStatus = Pick<
  DeliveryStatus,
  'messageId' | 'destination' | 'succeeded' | 'providerResponse' | 'readyAtMs' | 'startedAtMs'
> &
  Pick<TextMessage, 'smsType' | 'parts'>;

/**
 * Returns one record of the log of text messages, as JSON. It omits what only a carrier knows: its name and codes, the
 * price, and when the phone acknowledged the message.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sms_stats_cloudwatch.html
 */
export function textMessageRecord(status: TextMessageStatus): string {
  return JSON.stringify({
    notification: { messageId: status.messageId, timestamp: logInstant(status.readyAtMs) },
    delivery: {
      numberOfMessageParts: status.parts,
      destination: status.destination,
      smsType: status.smsType,
      providerResponse: status.providerResponse,
      dwellTimeMs: status.startedAtMs - status.readyAtMs,
    },
    status: word(status.succeeded),
  });
}
