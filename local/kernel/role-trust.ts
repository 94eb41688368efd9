import type { AccessDecision } from './access';
import type { Caller } from './caller';

/** What a service asks of IAM before it acts with a role it was given; IAM itself is one of these. */
export interface RoleTrust {
  /**
   * Whether the role's trust policy lets a service (`sns.amazonaws.com`) act with the role.
   *
   * @param context condition keys the service brings along, such as `aws:SourceArn`
   */
  decideAssumeRole(service: string, roleArn: string, context?: Caller['context']): AccessDecision;
}
