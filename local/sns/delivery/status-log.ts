import { statusLogGroups } from '../../../policy/messages/status-log-groups';
import type { Protocol } from '../../../policy/outcome/protocol';
import type { ServiceContext } from '../../kernel/services';
import { writeWithRole } from '../../kernel/telemetry';
import type { SnsTraceEvent } from '../happenings';
import type { SnsDependencies } from '../ports';
import type { Topic } from '../topic';

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
