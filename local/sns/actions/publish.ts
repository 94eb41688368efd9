import { parseArn } from '../../kernel/arn';
import { invalidParameter, notImplemented } from '../errors';
import { draftOf } from '../publishing/draft';
import { publishDraft } from '../publishing/publisher';
import { checkTopicKey } from '../publishing/topic-key';
import type { SnsAction } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Publish.html */
export const publish: SnsAction<'Publish'> = {
  permission: 'sns:Publish',
  topicArn: (_world, { TopicArn, TargetArn }) => TopicArn ?? TargetArn,
  run: (world, { caller, input }) => {
    if (input.PhoneNumber !== undefined) throw notImplemented('Publish to a PhoneNumber');
    const arn = input.TopicArn ?? input.TargetArn;
    if (arn === undefined) throw invalidParameter('TopicArn or TargetArn Reason: no value for required parameter');
    if (parseArn(arn)?.resource.startsWith('endpoint/')) throw notImplemented('Publish to a platform endpoint');
    const draft = draftOf(input);
    const topic = world.directory.topic(arn);
    checkTopicKey(world, topic, caller);
    return { MessageId: publishDraft(world, topic, draft) };
  },
};
