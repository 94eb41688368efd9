import { createHash } from 'node:crypto';
import { redrivePolicyText, type StatusRecord, statusLogGroups } from '../../../policy/messages/delivery-status';
import type { Protocol } from '../../../policy/outcome/protocol';
import { isoInstant } from '../../kernel/clock';
import type { ServiceContext } from '../../kernel/service-api';
import { writeWithRole } from '../../kernel/telemetry';
import type { SnsDependencies } from '../ports';
import type { TextMessage } from '../text-messages';
import type { Topic } from '../topic';
import type { SnsTraceEvent } from '../trace-events';

/** What the topic attributes of a protocol's logging begin with; e-mail and text messages of topics are not logged. */
export const FEEDBACK_PREFIXES: Readonly<Partial<Record<Protocol, string>>> = {
  application: 'Application',
  firehose: 'Firehose',
  http: 'HTTP',
  https: 'HTTP',
  lambda: 'Lambda',
  sqs: 'SQS',
};

/** What is logged, where and in whose name. */
export interface LogSettings {
  /** Of successes, below `sns/<Region>/<account>/`; failures have a group of their own below it. */
  readonly group: string;
  /** @default - successes are not logged */
  readonly successRoleArn: string | undefined;
  /** @default - failures are not logged */
  readonly failureRoleArn: string | undefined;
  /** How many successes of a hundred. Without a rate nothing is sampled: AWS gives no default, so this is our choice. */
  readonly successSampleRate: string | undefined;
  /** @default - it was not published to a topic */
  readonly topicArn?: string;
}

/** How a topic logs the deliveries of a protocol, if it does. */
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
 * Writes delivery-status records with the roles SNS was given: failures always, successes as often as the sample rate
 * says. A role SNS may not assume, or that may not write, logs nothing; the trace says so.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export class StatusLog {
  /** SNS names its log streams by ids; one a group here. */
  private readonly streams = new Map<string, string>();

  constructor(
    private readonly context: ServiceContext<SnsTraceEvent>,
    private readonly neighbours: Pick<SnsDependencies, 'logs' | 'roles'>,
  ) {}

  /**
   * Logs the end of a topic's delivery if the topic logs such an end.
   *
   * @param protocol whose logging it falls under
   * @param describe called only if it is logged
   */
  endedOf(topic: Topic, protocol: Protocol, succeeded: boolean, describe: (deliveryId: string) => string): void {
    const settings = topicSettings(topic, protocol);
    if (settings) this.ended(settings, succeeded, describe);
  }

  /** Logs the end of a delivery if the settings say so. */
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

  /** Answers why the record could not be written, if it could not. */
  private write(roleArn: string, group: string, record: string): string | undefined {
    const { logs, roles } = this.neighbours;
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

/** The end of a delivery, as its record tells it. */
export interface DeliveryStatus {
  readonly messageId: string;
  /** @default - it was not published to a topic */
  readonly topicArn?: string;
  /** The text the destination received, or would have. */
  readonly body: string;
  /** An ARN, a URL or an address. */
  readonly destination: string;
  /** Of a device. */
  readonly token?: string;
  readonly succeeded: boolean;
  /** Shown where the subscription has one, and never for the delivery to the dead-letter queue itself. */
  readonly deadLetterQueueArn?: string;
  readonly providerResponse: string;
  /** When it was published; for the delivery to the dead-letter queue, when the one to the endpoint had failed for good. */
  readonly readyAtMs: number;
  /** When the last attempt was handed over. */
  readonly startedAtMs: number;
  /** @default - not shown: a function that took its event */
  readonly attempts?: number;
  /** @default - not shown: no answer came */
  readonly statusCode?: number;
}

/** `2019-11-05 18:33:46.123`, in UTC. */
function logInstant(atMs: number): string {
  return isoInstant(atMs).replace('T', ' ').replace('Z', '');
}

const word = (succeeded: boolean): StatusRecord['status'] => (succeeded ? 'SUCCESS' : 'FAILURE');

/**
 * One record of a delivery-status log.
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

/** The end of a delivery to a phone. */
export type TextMessageStatus = Pick<
  DeliveryStatus,
  'messageId' | 'destination' | 'succeeded' | 'providerResponse' | 'readyAtMs' | 'startedAtMs'
> &
  Pick<TextMessage, 'smsType' | 'parts'>;

/**
 * One record of the log of text messages. What only a carrier knows (its name and codes, the price, when the phone
 * acknowledged) is left out.
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
