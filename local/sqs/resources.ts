import { alreadyExists, type PropertyReader, tagsProperty } from '../cloudformation/property-reader';
import {
  type CreateContext,
  type CreatedResource,
  changedAttributes,
  changeTags,
  type PutResource,
  putType,
  type ResourceType,
  typeForEach,
} from '../cloudformation/resource-type';
import { checkTags, type TagRecord, tagList, tagRecord } from '../kernel/tags';
import { requiredPolicyProperty } from '../policy-document/policy';
import {
  checkAttributes,
  checkTogether,
  FIFO_ATTRIBUTES,
  NUMBER_ATTRIBUTES,
  queueTags,
  typeOf,
} from './queue/queue-attributes';
import type { Sqs } from './sqs';

type Attributes = Record<string, string>;

const BOOLEANS = ['SqsManagedSseEnabled', 'FifoQueue', 'ContentBasedDeduplication'];
const TEXTS = ['KmsMasterKeyId', 'DeduplicationScope', 'FifoThroughputLimit'];
const DOCUMENTS = ['RedrivePolicy', 'RedriveAllowPolicy'];

/** The first deployment creates a queue without its wrong attributes, to find further problems of the template. */
const NOTHING = { ref: '', attributes: {} };

export function queueResourceType(sqs: Sqs): ResourceType {
  const created = (name: string): CreatedResource => {
    const { arn: Arn = '', url: QueueUrl = '' } = sqs.queueByName(name) ?? {};
    return { ref: QueueUrl, attributes: { Arn, QueueName: name, QueueUrl } };
  };
  return {
    type: 'AWS::SQS::Queue',
    create: (properties, context) => {
      const attributes = readAttributes(properties);
      const tags = readTags(properties);
      const name = readName(properties, context, attributes);
      const Attributes = withoutProblems(attributes, properties);
      const isTaken = sqs.queueByName(name) !== undefined;
      if (context.takesTime && properties.notedProblems().length > 0) return NOTHING;
      if (properties.isFree('QueueName', name, isTaken)) {
        sqs.call('CreateQueue', sqs.owner, { QueueName: name, Attributes, tags });
      }
      return created(name);
    },
    update: (properties, context, existing) => {
      const attributes = readAttributes(properties);
      const tags = readTags(properties);
      const name = readName(properties, context, attributes);
      const after = withoutProblems(attributes, properties);
      const Attributes = changedAttributes(readAttributes(existing.properties), after, defaultOf);
      const QueueUrl = existing.ref;
      if (Object.keys(Attributes).length > 0) {
        sqs.call('SetQueueAttributes', sqs.owner, { QueueUrl, Attributes });
      }
      changeTags(
        tagList(tags),
        existing,
        changed => sqs.call('TagQueue', sqs.owner, { QueueUrl, Tags: tagRecord(changed) }),
        TagKeys => sqs.call('UntagQueue', sqs.owner, { QueueUrl, TagKeys }),
      );
      return created(name);
    },
    delete: ({ ref: QueueUrl }) => sqs.call('DeleteQueue', sqs.owner, { QueueUrl }),
  };
}

const DEFAULTS: Readonly<Record<string, { readonly byDefault: number } | { readonly values: readonly string[] }>> = {
  ...NUMBER_ATTRIBUTES,
  ...FIFO_ATTRIBUTES,
  SqsManagedSseEnabled: { values: ['true'] },
};

function defaultOf(attribute: string): string {
  const found = DEFAULTS[attribute];
  if (!found) return '';
  return 'byDefault' in found ? String(found.byDefault) : (found.values[0] ?? '');
}

/** CloudFormation generates a missing name. The name of a FIFO queue ends in `.fifo`. */
function readName(properties: PropertyReader, context: CreateContext, attributes: Attributes): string {
  const name = properties.string('QueueName');
  if (name !== undefined) return name;
  return typeOf(attributes) === 'FIFO' ? `${context.physicalName(75)}.fifo` : context.physicalName(80);
}

/** The CDK also writes the tags of the stack to every taggable resource of the template. */
function readTags(properties: PropertyReader): TagRecord {
  const tags = tagsProperty(properties);
  const isGood = properties.attempt('Tags', () => {
    checkTags(tags, queueTags('of this template'));
    return true;
  });
  return isGood ? tagRecord(tags) : {};
}

function readAttributes(properties: PropertyReader): Attributes {
  const read: (readonly [string, string | number | boolean | undefined])[] = [
    ...Object.keys(NUMBER_ATTRIBUTES).map(name => [name, properties.number(name)] as const),
    ...BOOLEANS.map(name => [name, properties.boolean(name)] as const),
    ...TEXTS.map(name => [name, properties.string(name)] as const),
    ...DOCUMENTS.map(name => [name, text(properties.document(name))] as const),
  ];
  const attributes: Attributes = {};
  for (const [name, value] of read) if (value !== undefined) attributes[name] = String(value);
  return attributes;
}

/** Reports each invalid attribute under its property, all at once, and omits it. */
function withoutProblems(attributes: Attributes, properties: PropertyReader): Attributes {
  const good: Attributes = {};
  const type = typeOf(attributes);
  for (const [name, value] of Object.entries(attributes)) {
    properties.attempt(name, () => {
      checkAttributes({ [name]: value }, type);
      checkTogether({ ...attributes, ...(name !== 'FifoThroughputLimit' && { FifoThroughputLimit: 'perQueue' }) });
      good[name] = value;
    });
  }
  return good;
}

function text(document: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return document && JSON.stringify(document);
}

/** Sets the policy of queues; an empty text removes it. */
function setPolicies(sqs: Sqs, queueUrls: readonly string[], Policy: string): void {
  for (const QueueUrl of queueUrls) sqs.call('SetQueueAttributes', sqs.owner, { QueueUrl, Attributes: { Policy } });
}

/**
 * Removes the current policy of the queues. Skips a queue that no longer exists.
 *
 * **Assumption SQS-26:** AWS has not published the code of this resource type. That for topics, which it has published,
 * sets the default policy in the same way, also if another resource has set the policy since.
 * @see https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-sns/tree/main/aws-sns-topicpolicy
 */
function removePolicies(sqs: Sqs, queueUrls: readonly string[]): void {
  setPolicies(
    sqs,
    queueUrls.filter(url => sqs.queueByName(url.slice(url.lastIndexOf('/') + 1))),
    '',
  );
}

export function queuePolicyResourceType(sqs: Sqs): ResourceType {
  const put = (properties: PropertyReader, queueUrls: readonly string[]): void => {
    const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
    if (document) setPolicies(sqs, queueUrls, JSON.stringify(document));
  };
  return typeForEach('AWS::SQS::QueuePolicy', 'Queues', put, queueUrls => removePolicies(sqs, queueUrls));
}

function checkHasNone(sqs: Sqs, QueueUrl: string): void {
  const { Attributes = {} } = sqs.call('GetQueueAttributes', sqs.owner, { QueueUrl, AttributeNames: ['Policy'] });
  if (!Attributes['Policy']) return;
  throw alreadyExists('AWS::SQS::QueueInlinePolicy', QueueUrl);
}

/**
 * Fails for a queue that already has a policy, which something else created. **Assumption SQS-20:** AWS has not published
 * the code of this resource type. The resource type for topics, which it has published, refuses in the same way, as
 * CloudFormation requires.
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queueinlinepolicy.html
 * @see
 * https://github.com/aws-cloudformation/aws-cloudformation-resource-providers-sns/tree/main/aws-sns-topicinlinepolicy
 */
export function queueInlinePolicyResourceType(sqs: Sqs): ResourceType {
  const put: PutResource = (properties, _context, existing) => {
    const document = requiredPolicyProperty(properties, 'PolicyDocument', 'resource');
    const QueueUrl = properties.requiredString('Queue');
    if (document && QueueUrl) {
      if (!existing) checkHasNone(sqs, QueueUrl);
      setPolicies(sqs, [QueueUrl], JSON.stringify(document));
    }
    return { ref: QueueUrl, attributes: {} };
  };
  return putType('AWS::SQS::QueueInlinePolicy', put, ({ ref }) => removePolicies(sqs, [ref]));
}
