import { judge } from './judge';
import type { Outcome, Verdict } from './outcome';
import { type Protocol, policyFor } from './protocol';
import { APPLICATION_RULES } from './rules/application';
import { EMAIL_RULES } from './rules/email';
import { FIREHOSE_RULES } from './rules/firehose';
import { HTTP_RULES } from './rules/http';
import { LAMBDA_RULES } from './rules/lambda';
import type { ProtocolRules } from './rules/ruling';
import { SMS_RULES } from './rules/sms';
import { SQS_RULES } from './rules/sqs';

const RULES: Readonly<Record<Protocol, ProtocolRules>> = {
  application: APPLICATION_RULES,
  email: EMAIL_RULES,
  'email-json': EMAIL_RULES,
  firehose: FIREHOSE_RULES,
  http: HTTP_RULES,
  https: HTTP_RULES,
  lambda: LAMBDA_RULES,
  sms: SMS_RULES,
  sqs: SQS_RULES,
};

/**
 * What becomes of a message after one attempt to deliver it by `protocol`: a server-side error is tried again, a client-side
 * one is not and goes straight to the dead-letter queue.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html
 */
export function classify(protocol: Protocol, outcome: Outcome): Verdict {
  const { kind, policy = policyFor(protocol), reason } = judge(RULES[protocol], outcome);
  return kind === 'retry' ? { kind, policy, reason } : { kind, reason };
}
