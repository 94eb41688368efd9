import { parseArn } from '../../../policy/arn';
import { AccessRefused, type AwsError } from '../../kernel/aws-error';
import { roleCaller } from '../../kernel/caller';
import { isFifoName } from '../../kernel/fifo-name';
import { invalidParameter } from '../errors';
import type { LambdaContext } from '../ports';

/** What Lambda sends to, and what its role must be allowed. */
const SENDING = {
  sqs: { action: 'sqs:SendMessage', words: 'SendMessage on SQS', fifo: 'FIFO SQS queue' },
  sns: { action: 'sns:Publish', words: 'Publish on SNS', fifo: 'FIFO SNS topic' },
} as const;

/** What AWS has against a dead-letter target: that it is none, or that the role may not send to it. */
export function deadLetterProblem(
  targetArn: string | undefined,
  roleArn: string,
  { access }: Pick<LambdaContext, 'access'>,
): AwsError | undefined {
  if (targetArn === undefined) return undefined;
  const { service } = parseArn(targetArn) ?? {};
  if (service !== 'sqs' && service !== 'sns') {
    return invalidParameter(`Invalid dead letter queue ARN: ${targetArn} is no standard queue or topic`);
  }
  const { action, words, fifo } = SENDING[service];
  if (isFifoName(targetArn)) {
    const text = `Invalid dead letter queue ARN: ${fifo} is not supported for dead letter configuration`;
    return invalidParameter(text);
  }
  const { allowed, reason } = access.decide({ caller: roleCaller(roleArn), action, resource: targetArn });
  if (allowed) return undefined;
  const text = `The provided execution role does not have permissions to call ${words}`;
  return new AccessRefused('InvalidParameterValueException', text, 400, reason);
}
