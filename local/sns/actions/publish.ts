import { notImplemented } from '../../kernel/aws-error';
import { invalidParameter } from '../errors';
import { checkLength, draftOf } from '../publishing/draft';
import { messageGroupOf } from '../publishing/message-group';
import { publishToTopic } from '../publishing/publisher';
import { checkTopicKey } from '../publishing/topic-key';
import { type SnsAction, topicAt } from './sns-action';
import { topicNamed } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const publish: SnsAction<'Publish'> = {
  permission: 'sns:Publish',
  resourceOf: (world, { TopicArn, TargetArn }) => topicAt(world, TopicArn ?? TargetArn),
  run: (world, { caller, input }) => {
    if (input.PhoneNumber !== undefined) throw notImplemented('Publish to a PhoneNumber');
    const arn = input.TopicArn ?? input.TargetArn;
    if (arn === undefined) throw invalidParameter('TopicArn or TargetArn Reason: no value for required parameter');
    const draft = draftOf(input);
    checkLength(draft);
    const topic = topicNamed(world, arn);
    const group = messageGroupOf(topic, input);
    checkTopicKey(world, topic, caller);
    return publishToTopic(world, topic, { draft, group }, caller.traceHeader);
  },
};
