import type { IAlarm, IMetric, IWidget } from 'aws-cdk-lib/aws-cloudwatch';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';

/** What a dashboard shows of one construct. */
export interface DashboardSection {
  /** The kind of construct, such as `Topics`. Sections with the same title share one heading. */
  readonly title: string;

  /** Its rows of widgets, at most 24 columns wide, from top to bottom. */
  readonly rows: IWidget[][];

  /**
   * The anchors of the runbook sections that explain its alarms, such as `dead-letters-lost`.
   *
   * @default - none
   */
  readonly runbookSections?: string[];

  /**
   * Metrics that count lost messages, as sums. They are shown as numbers at the top.
   *
   * @default - none
   */
  readonly lost?: IMetric[];
}

/**
 * A construct that an `OpsDashboard` can show: `DurableTopic`, `ImportedTopic`, `ProcessingQueue`, `FunctionFailures`,
 * `HttpRelay`, `RelayFleet`, `Redrive`, `RedriveLane`, or your own construct that implements this interface. It is read at synthesis.
 */
export interface IWatched {
  /** Its alarms, without those of its dead-letter queues. */
  readonly alarms: IAlarm[];

  /** The dead-letter queues of what it could not deliver or process. */
  readonly deadLetterQueues: IQueue[];

  /**
   * Its parts that are shown as well, such as the queue of a relay.
   *
   * @default - none
   */
  readonly watchedParts?: IWatched[];

  /** The section that a dashboard shows in addition to its alarms and dead-letter queues. */
  dashboardSection(): DashboardSection;
}
