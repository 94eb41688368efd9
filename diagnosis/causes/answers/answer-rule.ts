import { classify } from '../../../policy/outcome/classify';
import type { Outcome } from '../../../policy/outcome/outcome';
import type { Diagnosis } from '../death';
import { answerCode, type FailedDelivery, shortName } from '../failed-delivery';

/** What an answer means, and what to do about it. */
export interface AnswerRule {
  /** The error a service names. @default - any, and none */
  readonly codes?: readonly string[];
  /** What it says of the error. @default - anything */
  readonly saying?: RegExp;
  /** The status of the answer, both ends included. @default - any, and none */
  readonly statuses?: readonly [from: number, to: number];
  diagnose(failed: FailedDelivery): Diagnosis;
}

function isMeant({ codes, saying, statuses }: AnswerRule, failed: FailedDelivery): boolean {
  const { errorCode = '', errorMessage = '', statusCode } = failed;
  if (codes && !codes.includes(errorCode)) return false;
  if (saying && !saying.test(errorMessage)) return false;
  return !statuses || (statusCode !== undefined && statusCode >= statuses[0] && statusCode <= statuses[1]);
}

function outcomeOf({ statusCode, errorCode, errorMessage }: FailedDelivery): Outcome {
  if (statusCode === undefined) return { kind: 'unanswered', failure: 'unreachable' };
  return {
    kind: 'answered',
    statusCode,
    ...(errorCode !== undefined && { errorCode }),
    ...(errorMessage !== undefined && { errorMessage }),
  };
}

/** What SNS itself makes of an answer no rule is about. */
function otherwise(failed: FailedDelivery): Diagnosis {
  const { protocol, destination } = failed;
  const reason =
    protocol === undefined ? `it answered ${answerCode(failed)}` : classify(protocol, outcomeOf(failed)).reason;
  return { says: `SNS could not deliver to ${shortName(destination)}: ${reason}.` };
}

/** What the first rule that is about an answer makes of it. */
export function diagnosedBy(rules: readonly AnswerRule[], failed: FailedDelivery): Diagnosis {
  return (rules.find(rule => isMeant(rule, failed))?.diagnose ?? otherwise)(failed);
}
