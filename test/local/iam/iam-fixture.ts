import { type CreateRoleInput, Iam, type IamTraceEvent } from '../../../local/iam';
import type { AccessDecision, PolicyDocument } from '../../../local/kernel/access';
import { administrator, type Caller, roleCaller, serviceCaller } from '../../../local/kernel/caller';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { Random } from '../../../local/kernel/random';
import { Timeline } from '../../../local/kernel/timeline';
import { Trace } from '../../../local/kernel/trace';

export const ACCOUNT = EXAMPLE_PLACE.account;
export const OTHER_ACCOUNT = '999999999999';
export const ROOT = `arn:aws:iam::${ACCOUNT}:root`;
export const QUEUE = `arn:aws:sqs:us-east-1:${ACCOUNT}:orders`;
export const TOPIC = `arn:aws:sns:us-east-1:${ACCOUNT}:rental`;
export const ADMIN = administrator(ACCOUNT);
export const SNS = serviceCaller('sns.amazonaws.com', TOPIC, ACCOUNT);

export type StatementJson = Readonly<Record<string, unknown>>;

export function policy(...statements: readonly StatementJson[]): PolicyDocument {
  return { Version: '2012-10-17', Statement: statements };
}

export const NO_STATEMENTS = policy();
export const LAMBDA_TRUST = policy({
  Effect: 'Allow',
  Principal: { Service: 'lambda.amazonaws.com' },
  Action: 'sts:AssumeRole',
});

/** 2026-01-01T12:00:00Z, a Thursday. */
const NOON_MS = Date.UTC(2026, 0, 1, 12);

/** An IAM of its own, in the example account. */
export class IamFixture {
  readonly timeline = new Timeline(NOON_MS);
  readonly trace = new Trace<IamTraceEvent>(this.timeline);
  readonly iam: Iam;

  /** @param allowsUnknownPolicies whether clients may attach managed policies that are not known */
  constructor(allowsUnknownPolicies = false) {
    const { timeline, trace } = this;
    const random = new Random('iam test');
    this.iam = new Iam({ place: EXAMPLE_PLACE, timeline, trace, random, allowsUnknownPolicies });
  }

  /** A role with these statements in one inline policy called `Inline`, and a caller who has assumed it. */
  role(statements: readonly StatementJson[], input: Partial<CreateRoleInput> = {}): Caller {
    const roleName = input.roleName ?? 'Billing';
    const role = this.iam.createRole({ trustPolicy: LAMBDA_TRUST, ...input, roleName });
    if (statements.length > 0) this.iam.putRolePolicy(roleName, 'Inline', policy(...statements));
    return roleCaller(role.arn);
  }

  /** May the caller send to the queue, whose policy has these statements? */
  maySend(caller: Caller, ...queuePolicy: readonly StatementJson[]): AccessDecision {
    return this.iam.decide({
      caller,
      action: 'sqs:SendMessage',
      resource: QUEUE,
      ...(queuePolicy.length > 0 ? { resourcePolicy: policy(...queuePolicy) } : {}),
    });
  }
}

/** `caller` with these condition keys as well. */
export function withContext(caller: Caller, context: Caller['context']): Caller {
  return { principal: caller.principal, context: { ...caller.context, ...context } };
}
