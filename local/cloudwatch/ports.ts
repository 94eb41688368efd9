import type { Caller } from '../kernel/caller';

/** What an alarm does when its state changes; SNS stands behind it. */
export interface AlarmActionTarget {
  /**
   * Publishes to the topic `actionArn`.
   *
   * @param caller `cloudwatch.amazonaws.com` on behalf of the alarm: the topic's policy and its key's decide
   * @throws AwsError as the target would answer
   */
  notify(actionArn: string, caller: Caller, subject: string, message: string): void;
}
