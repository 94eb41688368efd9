import { notImplemented } from '../../kernel/aws-error';
import { arnIn } from '../../kernel/place';
import { setTopicAttribute, topicAttributes } from '../attributes/topic-attributes';
import { invalidParameter, refuseAttributes } from '../errors';
import type { SnsWorld } from '../sns-world';
import { Topic } from '../topic';
import { type SnsAction, topicAt } from './sns-action';

const STANDARD_NAME = /^[A-Za-z0-9_-]{1,256}$/;

const arnOf = ({ context }: SnsWorld, name: string | undefined): string => arnIn(context.place, 'sns', name ?? '');

/** Whoever creates a topic again gets the one that is there, if it is as they say. */
function checkSame(existing: Topic, wanted: Topic, names: readonly string[]): void {
  const [has, wants] = [topicAttributes(existing), topicAttributes(wanted)];
  if (names.some(name => has[name] !== wants[name])) {
    throw refuseAttributes('Topic already exists with different attributes');
  }
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CreateTopic.html */
export const createTopic: SnsAction<'CreateTopic'> = {
  permission: 'sns:CreateTopic',
  resourceOf: (world, { Name }) => topicAt(world, arnOf(world, Name)),
  run: (world, { input: { Name = '', Attributes = {}, DataProtectionPolicy } }) => {
    if (Attributes['FifoTopic'] === 'true' || Name.endsWith('.fifo')) throw notImplemented('a FIFO topic');
    if (DataProtectionPolicy !== undefined) throw notImplemented('DataProtectionPolicy');
    if (!STANDARD_NAME.test(Name)) throw invalidParameter('Topic Name');
    const topic = new Topic(arnOf(world, Name), Name, world.context.place.account);
    for (const [name, value] of Object.entries(Attributes)) setTopicAttribute(topic, name, value, refuseAttributes);
    const existing = world.directory.findTopic(topic.arn);
    if (existing) checkSame(existing, topic, Object.keys(Attributes));
    else {
      world.directory.addTopic(topic);
      world.context.trace.record({ type: 'sns.topic-created', topicArn: topic.arn });
    }
    return { TopicArn: topic.arn };
  },
};
