import type { Caller } from '../kernel/caller';

/** What CloudWatch Logs needs of AWS Lambda: the functions that subscription filters feed. */
export interface Functions {
  /**
   * @param type `DryRun` asks only whether the function would be invoked
   * @throws AwsError when there is no such function, or its policy lets the caller not
   */
  invoke(functionArn: string, caller: Caller, type: 'Event' | 'DryRun', payload: string): void;
}
