import { parseArn } from '../../../policy/arn';
import { QUEUE_LIMITS } from '../../../policy/aws-limits';
import { isObject, type JsonObject, jsonOrUndefined } from '../../kernel/json';
import { isFifoName } from '../../kernel/messaging';
import { invalidParameterValue, invalidValue } from '../errors';

export interface RedrivePolicy {
  readonly deadLetterTargetArn: string;
  /** 1 to 1,000 receives from the queue that has the policy. The next receive moves the message. */
  readonly maxReceiveCount: number;
}

/** The queues that may use this queue as their dead-letter queue. */
export type RedriveAllowPolicy =
  | { readonly redrivePermission: 'allowAll' | 'denyAll' }
  | { readonly redrivePermission: 'byQueue'; readonly sourceQueueArns: readonly string[] };

/**
 * @param text the attribute `RedrivePolicy`; empty or undefined means no policy
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
 */
export function readRedrivePolicy(text: string | undefined): RedrivePolicy | undefined {
  if (!text) return undefined;
  const members = readJsonMap(text, 'RedrivePolicy', ['deadLetterTargetArn', 'maxReceiveCount']);
  for (const name of ['deadLetterTargetArn', 'maxReceiveCount']) {
    if (members[name] === undefined) {
      throw invalidValue(text, 'RedrivePolicy', `Redrive policy does not contain mandatory attribute: ${name}.`);
    }
  }
  const { deadLetterTargetArn, maxReceiveCount: count } = members;
  const maxReceiveCount = wholeNumber(count);
  const { min, max } = QUEUE_LIMITS.receiveCount;
  if (maxReceiveCount === undefined || maxReceiveCount < min || maxReceiveCount > max) {
    const got = `Invalid value for maxReceiveCount: ${typeof count === 'object' ? 'not a number' : count}`;
    throw invalidValue(text, 'RedrivePolicy', `${got}, valid values are from ${min} to ${max} both inclusive.`);
  }
  const isText = typeof deadLetterTargetArn === 'string';
  const target = isText ? parseArn(deadLetterTargetArn) : undefined;
  if (!isText || !target) throw invalidValue(text, 'RedrivePolicy', 'Invalid value for deadLetterTargetArn.');
  if (target.service !== 'sqs') {
    throw invalidValue(text, 'RedrivePolicy', 'Only SQS queues are valid resources for deadLetterTargetArn');
  }
  return { deadLetterTargetArn, maxReceiveCount };
}

/** @param text the attribute `RedriveAllowPolicy`; empty or undefined means no policy, which allows every queue */
export function readRedriveAllowPolicy(text: string | undefined): RedriveAllowPolicy | undefined {
  if (!text) return undefined;
  const { redrivePermission, sourceQueueArns } = readJsonMap(text, 'RedriveAllowPolicy', [
    'redrivePermission',
    'sourceQueueArns',
  ]);
  const arns: readonly unknown[] | undefined = Array.isArray(sourceQueueArns) ? sourceQueueArns : undefined;
  if (redrivePermission === 'byQueue') {
    const { min: fewest, max: most } = QUEUE_LIMITS.sourceQueues;
    if (!arns || arns.length < fewest || arns.length > most) {
      const rule = `Amazon SQS can take from ${fewest} to ${most} sourceQueueArns for byQueue.`;
      throw invalidValue(text, 'RedriveAllowPolicy', rule);
    }
    if (arns.every(isQueueArn)) return { redrivePermission, sourceQueueArns: arns };
    throw invalidValue(text, 'RedriveAllowPolicy', 'Each of sourceQueueArns must be the ARN of an SQS queue.');
  }
  if (redrivePermission !== 'allowAll' && redrivePermission !== 'denyAll') {
    throw invalidValue(text, 'RedriveAllowPolicy', 'redrivePermission must be allowAll, denyAll or byQueue.');
  }
  if (arns) throw invalidValue(text, 'RedriveAllowPolicy', `sourceQueueArns is not valid for ${redrivePermission}.`);
  return { redrivePermission };
}

/** Whether the queue `sourceArn` may use the queue with this policy as its dead-letter queue. */
export function allowsSource(policy: RedriveAllowPolicy | undefined, sourceArn: string): boolean {
  if (!policy || policy.redrivePermission === 'allowAll') return true;
  return policy.redrivePermission === 'byQueue' && policy.sourceQueueArns.includes(sourceArn);
}

/** Checks the ARN of a dead-letter queue, without looking the queue up. */
export function checkTargetArn(policy: RedrivePolicy, text: string, sourceArn: string): void {
  const target = parseArn(policy.deadLetterTargetArn);
  const source = parseArn(sourceArn);
  if (target?.region !== source?.region || target?.account !== source?.account) {
    throw invalidParameterValue('Dead-letter target must be in same region as the source.');
  }
  if (isFifoName(policy.deadLetterTargetArn) !== isFifoName(sourceArn)) {
    throw invalidValue(text, 'RedrivePolicy', 'Dead-letter queue must be same type of queue as the source.');
  }
}

/** **Assumption SQS-3:** Unknown members are refused, so that a misspelled member does not go unnoticed. */
function readJsonMap(text: string, parameter: string, known: readonly string[]): JsonObject {
  const members = jsonOrUndefined(text);
  if (!isObject(members)) throw invalidValue(text, parameter, 'It must be a JSON map.');
  const unknown = Object.keys(members).find(name => !known.includes(name));
  if (unknown === undefined) return members;
  throw invalidValue(text, parameter, `Unknown member ${unknown}. Its members are ${known.join(' and ')}.`);
}

function isQueueArn(value: unknown): value is string {
  return typeof value === 'string' && parseArn(value)?.service === 'sqs';
}

/** AWS accepts a number, or a number as text. */
function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) ? number : undefined;
}
