import type { IAlarm, IMetric, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** What a dashboard shows of one construct. */
export interface DashboardSection {
  /** What constructs of its kind are called, such as `Topics`: all of one title stand under one heading. */
  readonly title: string;

  /** Its rows of widgets, 24 columns wide at most, from top to bottom. */
  readonly rows: IWidget[][];

  /**
   * The sections of the runbook that say what its alarms mean, as a link names them: `dead-letters-lost`.
   *
   * @default - none
   */
  readonly runbookSections?: string[];

  /**
   * Counts what is lost for good, each as a sum: shown as a number at the top.
   *
   * @default - none
   */
  readonly lost?: IMetric[];
}

/**
 * What an `OpsDashboard` can show. `DurableTopic`, `ImportedTopic`, `ProcessingQueue`, `FunctionFailures`, `HttpRelay`,
 * `Redrive` and `RedriveLane` can be shown, and so can a construct of your own that implements it. It is asked when the app
 * is synthesized.
 */
export interface IWatched {
  /** Its alarms; not those of its dead-letter queues, which have them themselves. */
  readonly alarms: IAlarm[];

  /** The queues that keep what it could not deliver or process. */
  readonly deadLetterQueues: IQueue[];

  /**
   * What it is made of that can be shown itself, such as the queue of a relay.
   *
   * @default - nothing
   */
  readonly watchedParts?: IWatched[];

  /** What a dashboard shows of it, beside its alarms and its dead-letter queues. */
  dashboardSection(): DashboardSection;
}
