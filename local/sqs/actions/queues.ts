import { QUEUE_NAMES } from '../../../policy/aws-limits';
import { AwsError } from '../../kernel/aws-error';
import { type Page, pageOf } from '../../kernel/page';
import { checkTags, tagList } from '../../kernel/tags';
import { invalidParameterValue, invalidValue, missingParameter, queueDoesNotExist } from '../errors';
import { COOL_DOWN_MS } from '../limits';
import { identityOf } from '../queue/directory';
import type { Queue } from '../queue/queue';
import {
  type AttributeMap,
  changed,
  checkAttributes,
  checkTagKey,
  checkTogether,
  normalized,
  type QueueType,
  queueTags,
  typeOf,
} from '../queue/queue-attributes';
import { attributeOf, checkDeadLetterTarget } from './queue-attributes';
import { onOwnQueue, onQueue, queueNamed, type SqsFamily } from './sqs-action';

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
 */
export const createQueue: Required<SqsFamily>['CreateQueue'] = {
  isForOwnAccountOnly: true,
  resourceOf: queueNamed,
  run: (state, { input, caller }) => {
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
  },
};

function sameQueue(existing: Queue, wanted: AttributeMap): Queue {
  const different = Object.entries(wanted).find(([name, value]) => (attributeOf(existing, name) ?? '') !== value);
  if (!different) return existing;
  throw new AwsError(
    'QueueAlreadyExists',
    `A queue already exists with the same name and a different value for attribute ${different[0]}`,
  );
}

const MAX_RESULTS = 1000;

export const queueActions = {
  /** Deletes the queue and its messages at once. AWS takes up to 60 seconds. */
  DeleteQueue: onOwnQueue((state, queue) => {
    const messages = state.directory.delete(queue);
    state.context.trace.record({ type: 'sqs.queue-deleted', queueArn: queue.arn, messages });
  }),

  /** Deletes every message at once, including in-flight and delayed ones. AWS takes up to 60 seconds. */
  PurgeQueue: onQueue((state, queue) => {
    if (state.nowMs - queue.lastPurgedMs < COOL_DOWN_MS) {
      throw new AwsError(
        'AWS.SimpleQueueService.PurgeQueueInProgress',
        `Only one PurgeQueue operation on ${queue.identity.name} is allowed every 60 seconds.`,
        403,
      );
    }
    queue.lastPurgedMs = state.nowMs;
    const messages = queue.empty();
    state.context.trace.record({ type: 'sqs.purged', queueArn: queue.arn, messages });
  }),

  ListQueues: {
    run: (state, { input }) => {
      const { QueueNamePrefix = '', MaxResults, NextToken } = input;
      const urls = [...state.directory.all()]
        .filter(({ identity }) => identity.name.startsWith(QueueNamePrefix))
        .map(({ identity }) => identity.url);
      const { items, nextToken } = sqsPage(urls, MaxResults, NextToken);
      return { ...(items.length > 0 && { QueueUrls: items }), ...(nextToken && { NextToken: nextToken }) };
    },
  },

  ListDeadLetterSourceQueues: onQueue((state, queue, { input }) => {
    const urls = [...state.directory.all()]
      .filter(({ settings }) => settings.redrivePolicy?.deadLetterTargetArn === queue.arn)
      .map(({ identity }) => identity.url);
    const { items, nextToken } = sqsPage(urls, input.MaxResults, input.NextToken);
    return { queueUrls: items, ...(nextToken && { NextToken: nextToken }) };
  }),

  GetQueueUrl: {
    resourceOf: queueNamed,
    run: (state, { input }) => {
      const { QueueName, QueueOwnerAWSAccountId = state.context.place.account } = input;
      if (!QueueName) throw missingParameter('QueueName');
      const queue = state.directory.findByName(QueueName);
      if (!queue || QueueOwnerAWSAccountId !== state.context.place.account) throw queueDoesNotExist();
      queue.use();
      return { QueueUrl: queue.identity.url };
    },
  },

  TagQueue: onOwnQueue((_, queue, { input: { Tags = {} } }) => {
    if (Object.keys(Tags).length === 0) throw missingParameter('Tags');
    queue.tags.put(tagList(Tags));
  }),

  /** Ignores a key that the queue does not have. Recorded: an empty list gets the same error as an empty key. */
  UntagQueue: onOwnQueue((_, queue, { input: { TagKeys } }) => {
    if (!TagKeys) throw missingParameter('TagKeys');
    if (TagKeys.length === 0) checkTagKey('');
    for (const key of TagKeys) checkTagKey(key);
    queue.tags.remove(TagKeys);
  }),

  ListQueueTags: onOwnQueue((_, queue) => (queue.tags.size > 0 ? { Tags: queue.tags.record() } : {})),
} satisfies SqsFamily;

/** Without `MaxResults` AWS returns up to 1,000 items and no token. */
function sqsPage<Item>(
  items: readonly Item[],
  maxResults: number | undefined,
  nextToken: string | undefined,
): Page<Item> {
  if (maxResults !== undefined && !(maxResults >= 1 && maxResults <= MAX_RESULTS)) {
    throw invalidValue(maxResults, 'MaxResults', `Must be between 1 and ${MAX_RESULTS}.`);
  }
  const page = pageOf(items, maxResults ?? MAX_RESULTS, nextToken, token =>
    invalidValue(token, 'NextToken', 'Must be a token of an earlier page.'),
  );
  return maxResults === undefined ? { ...page, nextToken: undefined } : page;
}
