import { snsPage } from './page';
import { type SnsAction, snsResource } from './sns-action';
import { checkArn } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListEndpointsByPlatformApplication.html */
export const listEndpointsByPlatformApplication: SnsAction<'ListEndpointsByPlatformApplication'> = {
  permission: 'sns:ListEndpointsByPlatformApplication',
  resourceOf: (_world, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ dispatch }, { input: { PlatformApplicationArn = '', NextToken } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    const { platforms } = dispatch;
    const all = platforms.endpointsOf(platforms.application(PlatformApplicationArn));
    const { items, nextToken } = snsPage(all, NextToken);
    return {
      Endpoints: items.map(({ arn, attributes }) => ({ EndpointArn: arn, Attributes: { ...attributes } })),
      ...(nextToken && { NextToken: nextToken }),
    };
  },
};
