import { parseArn } from '../../kernel/arn';
import { notImplemented } from '../../kernel/aws-error';
import { invalidParameter } from '../errors';
import { draftOf } from '../publishing/draft';
import { publishDraft } from '../publishing/publisher';
import { checkTopicKey } from '../publishing/topic-key';
import { type SnsAction, topicAt } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const publish: SnsAction<'Publish'> = {
  permission: 'sns:Publish',
  resourceOf: (world, { TopicArn, TargetArn }) => topicAt(world, TopicArn ?? TargetArn),
  run: (world, { caller, input }) => {
    if (input.PhoneNumber !== undefined) throw notImplemented('Publish to a PhoneNumber');
    const arn = input.TopicArn ?? input.TargetArn;
    if (arn === undefined) throw invalidParameter('TopicArn or TargetArn Reason: no value for required parameter');
    if (parseArn(arn)?.resource.startsWith('endpoint/')) throw notImplemented('Publish to a platform endpoint');
    const draft = draftOf(input);
    const topic = world.directory.topic(arn);
    checkTopicKey(world, topic, caller);
    return { MessageId: publishDraft(world, topic, draft, caller.traceHeader) };
  },
};
