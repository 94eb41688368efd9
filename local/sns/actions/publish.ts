import type { PublishInput } from '@aws-sdk/client-sns';
import { publishToDevice, publishToPhone } from '../direct/direct-publisher';
import { invalidParameter } from '../errors';
import { checkLength, draftOf } from '../publishing/draft';
import { messageGroupOf } from '../publishing/message-group';
import { publishToTopic } from '../publishing/publisher';
import { checkTopicKey } from '../publishing/topic-key';
import { isEndpointArn } from '../push/platform-arns';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';

/** AWS does not say what it makes of several targets at once: our choice is to refuse them. */
function checkTarget({ TopicArn, TargetArn, PhoneNumber }: PublishInput): void {
  if (TopicArn !== undefined && TargetArn !== undefined) {
    throw invalidParameter('TopicArn or TargetArn Reason: only one of them may be given');
  }
  const hasArn = TopicArn !== undefined || TargetArn !== undefined;
  if (hasArn && PhoneNumber !== undefined) {
    throw invalidParameter('PhoneNumber Reason: only one of PhoneNumber and an ARN may be given');
  }
  if (!hasArn && PhoneNumber === undefined) {
    throw invalidParameter('TopicArn or TargetArn Reason: no value for required parameter');
  }
}

/**
 * To a topic, a device or a phone.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
 */
export const publish: SnsAction<'Publish'> = {
  permission: 'sns:Publish',
  resourceOf: (world, { TopicArn, TargetArn }) => topicAt(world, TopicArn ?? TargetArn),
  run: (world, { caller, input }) => {
    checkTarget(input);
    const { TopicArn, TargetArn, PhoneNumber } = input;
    if (PhoneNumber !== undefined) return publishToPhone(world, PhoneNumber, input);
    const arn = TopicArn ?? TargetArn ?? '';
    const known = world.directory.findTopic(arn);
    if (!known && isEndpointArn(arn)) return publishToDevice(world, arn, input);
    const draft = draftOf(input);
    checkLength(draft);
    const topic = known ?? topicNamed(world, arn);
    const group = messageGroupOf(topic, input);
    checkTopicKey(world, topic, caller);
    return publishToTopic(world, topic, { draft, group }, caller.traceHeader);
  },
};
