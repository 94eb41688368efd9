import type { Caller } from '../kernel/caller';

/** What CloudWatch Logs needs of AWS Lambda: the functions that subscription filters feed. */
export interface Functions {
  /**
   * @param type `DryRun` asks only whether the function would be invoked
   * @throws AwsError when there is no such function, or its policy lets the caller not
   */
  invoke(functionArn: string, caller: Caller, type: 'Event' | 'DryRun', payload: string): void;
}

/** A log event, as CloudWatch sees it. */
export interface WrittenLogEvent {
  readonly logGroupName: string;
  readonly logStreamName: string;
  readonly message: string;
}

/** What CloudWatch Logs needs of CloudWatch besides the place for metrics: who reads them out of log events. */
export interface EmbeddedMetrics {
  takeLogEvent(event: WrittenLogEvent): void;
}

/** The services that are told of what comes in. */
export interface LogsNeighbours {
  /** @default nobody reads metrics in the embedded metric format */
  readonly cloudWatch?: EmbeddedMetrics;
  /** @default there are no functions, and subscription filters are refused */
  readonly lambda?: () => Functions;
}
