import type { Protocol } from '../../../lib/policy/protocol';
import type { ServiceContext } from '../../kernel/services';
import { writeWithRole } from '../../kernel/telemetry';
import type { SnsHappening } from '../happenings';
import type { SnsNeighbours } from '../ports';
import type { Topic } from '../topic';
import { type DeliveryStatus, statusRecord } from './status-record';

/** What the topic attributes of a protocol's logging begin with; e-mail and text messages of topics are not logged. */
export const FEEDBACK_PREFIXES: Readonly<Partial<Record<Protocol, string>>> = {
  application: 'Application',
  firehose: 'Firehose',
  http: 'HTTP',
  https: 'HTTP',
  lambda: 'Lambda',
  sqs: 'SQS',
};

/**
 * Writes delivery-status records with the roles a topic was given: failures always, successes as often as the sample rate
 * says. A role SNS may not assume, or that may not write, logs nothing; the trace says so.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-topic-attributes.html
 */
export class StatusLog {
  /** SNS names its log streams by ids; one a group here. */
  private readonly streams = new Map<string, string>();

  constructor(
    private readonly context: ServiceContext<SnsHappening>,
    private readonly neighbours: Pick<SnsNeighbours, 'logs' | 'roles'>,
  ) {}

  /**
   * Logs the end of a delivery if the topic logs such an end.
   *
   * @param protocol whose logging it falls under
   * @param describe called only if it is logged
   */
  ended(topic: Topic, protocol: Protocol, succeeded: boolean, describe: () => DeliveryStatus): void {
    const prefix = FEEDBACK_PREFIXES[protocol];
    if (prefix === undefined) return;
    const roleArn = topic.feedback.get(`${prefix}${succeeded ? 'Success' : 'Failure'}FeedbackRoleArn`);
    if (roleArn === undefined || (succeeded && !this.isSampled(topic, prefix))) return;
    const { place, random, trace } = this.context;
    const group = `sns/${place.region}/${topic.account}/${topic.name}${succeeded ? '' : '/Failure'}`;
    const reason = this.write(roleArn, group, statusRecord(describe(), random.uuid()));
    if (reason !== undefined) trace.record({ type: 'sns.status-log-refused', topicArn: topic.arn, roleArn, reason });
  }

  /** Without a rate nothing is sampled: AWS gives no default, so this is our choice. */
  private isSampled(topic: Topic, prefix: string): boolean {
    const percent = Number(topic.feedback.get(`${prefix}SuccessFeedbackSampleRate`) ?? 0);
    return percent >= 100 || this.context.random.fraction() * 100 < percent;
  }

  /** Answers why the record could not be written, if it could not. */
  private write(roleArn: string, group: string, record: string): string | undefined {
    const { logs, roles } = this.neighbours;
    if (!roles.canAssume('sns.amazonaws.com', roleArn)) return 'sns.amazonaws.com may not assume the role';
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
