import { sqsResourceTypes } from '../../../local/sqs';
import { createResource } from '../create-resource';
import { ADMIN, errorOf, SqsFixture } from './sqs-fixture';

const URL = 'https://sqs.us-east-1.amazonaws.com/123456789012/orders';
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, `value ${i}`]));

function queue() {
  const aws = new SqsFixture();
  const QueueUrl = aws.createQueue('orders');
  const tag = (Tags: Record<string, string>) => aws.sqs.call('TagQueue', ADMIN, { QueueUrl, Tags });
  const untag = (TagKeys: string[]) => aws.sqs.call('UntagQueue', ADMIN, { QueueUrl, TagKeys });
  const list = () => aws.sqs.call('ListQueueTags', ADMIN, { QueueUrl });
  return { aws, tag, untag, list };
}

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-queue-tags.html */
describe('the tags of a queue', () => {
  it('are added, replaced key by key, and taken away; an answer without any has no Tags', () => {
    const { tag, untag, list } = queue();
    expect(list()).toEqual({});
    tag({ Team: 'rental', team: 'lower case is another key' });
    tag({ Team: 'returns', Stage: '' });
    expect(list()).toEqual({ Tags: { Team: 'returns', team: 'lower case is another key', Stage: '' } });
    untag(['team', 'Stage', 'never there']);
    expect(list()).toEqual({ Tags: { Team: 'returns' } });
    untag(['Team']);
    expect(list()).toEqual({});
  });

  it('are fifty at most, and a call that would exceed them adds none', () => {
    const { tag, list } = queue();
    tag(many(49));
    const tooMany = { code: 'InvalidParameterValue', message: 'Too many tags added for queue orders.', status: 400 };
    expect(errorOf(() => tag({ one: '', two: '' }))).toEqual(tooMany);
    expect(Object.keys(list().Tags ?? {})).toHaveLength(49);
    tag({ one: '', 'key 1': 'replaced' });
    expect(Object.keys(list().Tags ?? {})).toHaveLength(50);
    expect(errorOf(() => tag(many(51)))).toEqual(tooMany);
  });

  it.each([
    [{ '': 'x' }, 'Tag keys must be between 1 and 128 characters in length.'],
    [{ ['k'.repeat(129)]: 'x' }, 'Tag keys must be between 1 and 128 characters in length.'],
    [{ k: 'v'.repeat(257) }, 'Tag values must be between 0 and 256 characters in length.'],
    [{ 'aws:mine': 'x' }, 'Tag keys cannot begin with aws:, which AWS reserves; got aws:mine.'],
    [{ k: 'a;b' }, 'Tags can hold letters, digits, spaces and _ . : / = + - @ only; got a;b'],
  ])('%j are refused', (tags, message) => {
    const { tag, list } = queue();
    expect(errorOf(() => tag(tags))).toEqual({ code: 'InvalidParameterValue', message, status: 400 });
    expect(list()).toEqual({});
  });

  it('may be of any script, and as long as AWS allows', () => {
    const { tag, list } = queue();
    const tags = { ['k'.repeat(128)]: 'v'.repeat(256), 東京: 'Zürich _.:/=+-@' };
    tag(tags);
    expect(list()).toEqual({ Tags: tags });
  });

  it('must be there to be added, and so must keys to be taken away', () => {
    const { tag, untag } = queue();
    expect(errorOf(() => tag({}))).toMatchObject({
      code: 'MissingParameter',
      message: 'The request must contain the parameter Tags.',
    });
    expect(errorOf(() => untag([]))).toMatchObject({
      code: 'InvalidParameterValue',
      message: 'Tag keys must be between 1 and 128 characters in length.',
    });
  });

  it('come with CreateQueue, which takes the permission to tag as well', () => {
    const { aws } = queue();
    const create = (QueueName: string) =>
      aws.sqs.call('CreateQueue', ADMIN, { QueueName, tags: { Team: 'rental' } }).QueueUrl;
    expect(aws.sqs.call('ListQueueTags', ADMIN, { QueueUrl: create('tagged') })).toEqual({ Tags: { Team: 'rental' } });
    aws.decideAccess = ({ action }) => ({ allowed: action !== 'sqs:TagQueue', reason: 'the test' });
    expect(errorOf(() => create('other')).code).toBe('AccessDenied');
    expect(aws.sqs.queues().map(({ name }) => name)).toEqual(['orders', 'tagged']);
  });

  it('break the creation of a queue when they break a rule', () => {
    const { aws } = queue();
    const create = () => aws.sqs.call('CreateQueue', ADMIN, { QueueName: 'other', tags: many(51) });
    expect(errorOf(create).message).toBe('Too many tags added for queue other.');
    expect(aws.sqs.queues()).toHaveLength(1);
  });
});

describe('the tags of a queue in a template', () => {
  it('are the queue’s', async () => {
    const { aws } = queue();
    const { problems } = await createResource(sqsResourceTypes(aws.sqs), 'AWS::SQS::Queue', {
      QueueName: 'deployed',
      Tags: [
        { Key: 'Team', Value: 'rental' },
        { Key: 'Stage', Value: 'prod' },
      ],
    });
    expect(problems).toEqual([]);
    const QueueUrl = URL.replace('orders', 'deployed');
    expect(aws.sqs.call('ListQueueTags', ADMIN, { QueueUrl })).toEqual({ Tags: { Team: 'rental', Stage: 'prod' } });
  });

  it('are named when they break a rule', async () => {
    const { aws } = queue();
    const { problems } = await createResource(sqsResourceTypes(aws.sqs), 'AWS::SQS::Queue', {
      Tags: [{ Key: 'aws:mine', Value: 'x' }],
    });
    expect(problems).toEqual([
      'Tags is refused (InvalidParameterValue: Tag keys cannot begin with aws:, which AWS reserves; got aws:mine.)',
    ]);
  });
});
