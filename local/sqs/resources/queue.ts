import { type PropertyReader, tagsProperty } from '../../cloudformation/property-reader';
import {
  type CreateContext,
  type CreatedResource,
  changedAttributes,
  changeTags,
  isNameFree,
  type ResourceType,
} from '../../cloudformation/resource-type';
import { checkTags, type TagRecord, tagList, tagRecord } from '../../kernel/tags';
import {
  checkAttributes,
  checkTogether,
  FIFO_ATTRIBUTES,
  NUMBER_ATTRIBUTES,
  queueTags,
  typeOf,
} from '../queue/queue-attributes';
import type { Sqs } from '../sqs';

type Attributes = Record<string, string>;

const TYPE = 'AWS::SQS::Queue';

const BOOLEANS = ['SqsManagedSseEnabled', 'FifoQueue', 'ContentBasedDeduplication'];
const TEXTS = ['KmsMasterKeyId', 'DeduplicationScope', 'FifoThroughputLimit'];
const DOCUMENTS = ['RedrivePolicy', 'RedriveAllowPolicy'];

/** The first deployment creates a queue without its wrong attributes, to find further problems of the template. */
const NOTHING = { ref: '', attributes: {} };

/** @see https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-resource-sqs-queue.html */
export function queueResourceType(sqs: Sqs): ResourceType {
  const created = (name: string): CreatedResource => {
    const { arn: Arn = '', url: QueueUrl = '' } = sqs.queueByName(name) ?? {};
    return { ref: QueueUrl, attributes: { Arn, QueueName: name, QueueUrl } };
  };
  return {
    type: TYPE,
    create: (properties, context) => {
      const attributes = readAttributes(properties);
      const tags = readTags(properties);
      const name = readName(properties, context, attributes);
      const Attributes = withoutProblems(attributes, properties);
      const isTaken = sqs.queueByName(name) !== undefined;
      if (context.takesTime && properties.notedProblems().length > 0) return NOTHING;
      if (isNameFree(properties, { type: TYPE, property: 'QueueName', identifier: name }, isTaken)) {
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
