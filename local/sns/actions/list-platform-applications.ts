import { snsPage } from './page';
import { type SnsAction, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListPlatformApplications.html */
export const listPlatformApplications: SnsAction<'ListPlatformApplications'> = {
  permission: 'sns:ListPlatformApplications',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input }) => {
    const { items, nextToken } = snsPage(dispatch.platforms.applications, input.NextToken);
    return {
      PlatformApplications: items.map(({ arn, attributes }) => ({
        PlatformApplicationArn: arn,
        Attributes: attributes,
      })),
      ...(nextToken && { NextToken: nextToken }),
    };
  },
};
