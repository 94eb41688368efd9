import type { ApiCall, InputOf, OutputOf } from '../../kernel/api';
import type { SnsActionName, SnsActions } from '../sns-actions';
import type { SnsWorld } from '../sns-world';

/** One API action: who may call it, what it is about, and what it does. */
export interface SnsAction<Name extends SnsActionName> {
  /**
   * The permission it takes, as IAM names it.
   * @default - none: whoever holds the token of a subscription may confirm it
   */
  readonly permission?: string;
  /** The ARN of the topic it is about; undefined for an action on none. */
  readonly topicArn: (world: SnsWorld, input: InputOf<SnsActions[Name]>) => string | undefined;
  /** @throws AwsError as SNS would answer */
  readonly run: (world: SnsWorld, call: ApiCall<InputOf<SnsActions[Name]>>) => OutputOf<SnsActions[Name]>;
}
