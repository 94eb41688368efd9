import { type Alarm, CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { warn } from '../../shared/checks';
import type { IDeadLetterQueue } from '../i-dead-letter-queue';
import { LONGEST_RETENTION_SECONDS } from '../processing/queue-checks';
import { retentionSeconds } from '../processing/queue-facts';

/** When the dead letters of a queue expire, and how old the oldest may be until then. */
export class Expiry {
  private longestSourceSeconds = 0;
  private knowsSources = true;

  /** @param keptSeconds how long the queue keeps a message, or undefined where that is not known before deployment */
  constructor(
    private readonly queue: IDeadLetterQueue,
    private readonly keptSeconds: number | undefined,
    private readonly timeToRespondSeconds: number,
  ) {}

  /**
   * The age counts from the move, the expiry from the first send: what the source may have used up is taken off. With a
   * retention not known before deployment, ours or a source's, the alarm fires at once rather than too late.
   */
  public get thresholdSeconds(): number {
    return Math.max(0, (this.keptSeconds ?? 0) - this.longestSourceSeconds - this.timeToRespondSeconds);
  }

  /** Whether the retentions it reckons with are known before deployment: ours, and that of each source. */
  public get isKnown(): boolean {
    return this.keptSeconds !== undefined && this.knowsSources;
  }

  /** Counts what `source` may have used up of a message's life, and warns where that may be all of it. */
  public allowFor(source: IQueue, ageAlarm: Alarm): void {
    const sourceSeconds = retentionSeconds(source);
    const { keptSeconds } = this;
    if (sourceSeconds === undefined) this.knowsSources = false;
    if (sourceSeconds !== undefined && keptSeconds !== undefined && keptSeconds <= sourceSeconds) {
      const message = `It keeps messages for ${keptSeconds} s and its source ${source.node.path} for ${sourceSeconds} s, counted from the same first send: a message may expire as soon as it is moved. Keep the source's for less.`;
      warn(this.queue, 'dead-letters-expire-early', message);
    }
    this.longestSourceSeconds = Math.max(this.longestSourceSeconds, sourceSeconds ?? LONGEST_RETENTION_SECONDS);
    const resource = ageAlarm.node.defaultChild;
    if (resource instanceof CfnAlarm) resource.threshold = this.thresholdSeconds;
  }
}
