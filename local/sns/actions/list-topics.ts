import { snsPage } from './page';
import type { SnsAction } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListTopics.html */
export const listTopics: SnsAction<'ListTopics'> = {
  permission: 'sns:ListTopics',
  resourceOf: () => ({ arn: '*' }),
  run: ({ directory }, { input }) => {
    const { items, nextToken } = snsPage(directory.topics, input.NextToken);
    return { Topics: items.map(({ arn }) => ({ TopicArn: arn })), ...(nextToken && { NextToken: nextToken }) };
  },
};
