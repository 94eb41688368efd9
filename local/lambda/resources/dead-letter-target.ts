import type { PropertyReader } from '../../cloudformation/property-reader';
import { parseArn } from '../../kernel/arn';
import { roleCaller } from '../../kernel/caller';
import type { FunctionConfiguration } from '../function-configuration';
import type { Lambda } from '../lambda';

/** What Lambda sends to, and what its role must be allowed. */
const SENDING = {
  sqs: { action: 'sqs:SendMessage', words: 'SendMessage on SQS' },
  sns: { action: 'sns:Publish', words: 'Publish on SNS' },
} as const;

/** Lambda refuses a dead-letter target that is none, or that the role may not send to, when the function is created. */
export function checkDeadLetterTarget(
  properties: PropertyReader,
  { deadLetterTargetArn: target, roleArn }: FunctionConfiguration,
  lambda: Lambda,
): void {
  if (target === undefined) return;
  const problem = (rule: string): void => void properties.problem('DeadLetterConfig.TargetArn', rule, target);
  const { service, resource = '' } = parseArn(target) ?? {};
  if (service !== 'sqs' && service !== 'sns') {
    problem('must be the ARN of a standard queue or topic');
    return;
  }
  if (resource.endsWith('.fifo')) {
    const kind = `FIFO ${service.toUpperCase()} ${service === 'sqs' ? 'queue' : 'topic'}`;
    problem(`is refused (Invalid dead letter queue ARN: ${kind} is not supported for dead letter configuration)`);
    return;
  }
  const { action, words } = SENDING[service];
  const decision = lambda.context.access.decide({ caller: roleCaller(roleArn), action, resource: target });
  if (!decision.allowed) {
    problem(`is refused (The provided execution role does not have permissions to call ${words}: ${decision.reason})`);
  }
}
