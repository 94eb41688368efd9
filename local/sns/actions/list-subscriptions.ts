import { listed } from './listed-subscription';
import { snsPage } from './page';
import type { SnsAction } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListSubscriptions.html */
export const listSubscriptions: SnsAction<'ListSubscriptions'> = {
  permission: 'sns:ListSubscriptions',
  resourceOf: () => ({ arn: '*' }),
  run: ({ directory }, { input }) => {
    const { items, nextToken } = snsPage(directory.subscriptions, input.NextToken);
    return { Subscriptions: items.map(listed), ...(nextToken && { NextToken: nextToken }) };
  },
};
