import type { Protocol } from '../../../policy/outcome/protocol';
import type { Diagnosis } from '../death';
import type { FailedDelivery } from '../failed-delivery';
import { type AnswerRule, diagnosedBy } from './answer-rule';
import { ENDPOINT_ANSWERS } from './endpoint-answers';
import { FUNCTION_ANSWERS } from './function-answers';
import { QUEUE_ANSWERS } from './queue-answers';

/** Of other protocols it is told what SNS itself makes of an answer. */
const ANSWERS: Readonly<Partial<Record<Protocol, readonly AnswerRule[]>>> = {
  http: ENDPOINT_ANSWERS,
  https: ENDPOINT_ANSWERS,
  lambda: FUNCTION_ANSWERS,
  sqs: QUEUE_ANSWERS,
};

/** What an answer to SNS means, and what to do about it. */
export function diagnoseDelivery(failed: FailedDelivery): Diagnosis {
  const { protocol } = failed;
  return diagnosedBy((protocol && ANSWERS[protocol]) ?? [], failed);
}
