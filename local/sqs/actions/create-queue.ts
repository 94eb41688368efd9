import type { CreateQueueRequest, CreateQueueResult } from '@aws-sdk/client-sqs';
import { QUEUE_NAMES } from '../../../policy/aws-limits';
import { AwsError } from '../../kernel/aws-error';
import { checkTags, tagList } from '../../kernel/tags';
import { invalidParameterValue, missingParameter } from '../errors';
import { COOL_DOWN_MS } from '../limits';
import { identityOf } from '../queue/directory';
import type { Queue } from '../queue/queue';
import {
  type AttributeMap,
  changed,
  checkAttributes,
  checkTogether,
  normalized,
  type QueueType,
  queueTags,
  typeOf,
} from '../queue/queue-attributes';
import type { Call, SqsState } from '../sqs-state';
import { attributeOf, checkDeadLetterTarget } from './queue-attributes';

/** The rules for a queue name, with the recorded error texts. */
const NAMES: Readonly<Record<QueueType, { readonly pattern: RegExp; readonly rule: string }>> = {
  standard: {
    pattern: QUEUE_NAMES.standard,
    rule: 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
  },
  FIFO: {
    pattern: QUEUE_NAMES.fifo,
    rule: 'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.',
  },
};

/**
 * Returns the existing queue when it has the same name and attributes.
 * **Assumption SQS-4:** Tags are not compared.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_CreateQueue.html
 */
export function createQueue(state: SqsState, { input, caller }: Call<CreateQueueRequest>): CreateQueueResult {
  const { QueueName: name, tags = {} } = input;
  if (!name) throw missingParameter('QueueName');
  const given = normalized(input.Attributes ?? {});
  const type = typeOf(given);
  const { pattern, rule } = NAMES[type];
  if (!pattern.test(name)) throw invalidParameterValue(rule);
  const attributes = checkAttributes(given, type);
  checkTogether(attributes);
  const existing = state.directory.findByName(name);
  if (existing) return { QueueUrl: sameQueue(existing, attributes).identity.url };

  const deletedAtMs = state.directory.deletedAtMs(name);
  if (deletedAtMs !== undefined && state.nowMs - deletedAtMs < COOL_DOWN_MS) {
    throw new AwsError(
      'AWS.SimpleQueueService.QueueDeletedRecently',
      'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
    );
  }
  checkDeadLetterTarget(state.directory, identityOf(name, state.context.place).arn, given['RedrivePolicy']);
  if (Object.keys(tags).length > 0) {
    checkTags(tagList(tags), queueTags(name));
    state.checks.checkAccess(caller, 'sqs:TagQueue', { arn: identityOf(name, state.context.place).arn });
  }
  const queue = state.directory.create(name, changed({}, attributes));
  queue.tags.put(tagList(tags));
  queue.use();
  state.context.trace.record({ type: 'sqs.queue-created', queueArn: queue.arn });
  return { QueueUrl: queue.identity.url };
}

function sameQueue(existing: Queue, wanted: AttributeMap): Queue {
  const different = Object.entries(wanted).find(([name, value]) => (attributeOf(existing, name) ?? '') !== value);
  if (!different) return existing;
  throw new AwsError(
    'QueueAlreadyExists',
    `A queue already exists with the same name and a different value for attribute ${different[0]}`,
  );
}
