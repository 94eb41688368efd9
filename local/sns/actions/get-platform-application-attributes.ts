import { type SnsAction, snsResource } from './sns-action';
import { checkArn } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetPlatformApplicationAttributes.html */
export const getPlatformApplicationAttributes: SnsAction<'GetPlatformApplicationAttributes'> = {
  permission: 'sns:GetPlatformApplicationAttributes',
  resourceOf: (_world, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ dispatch }, { input: { PlatformApplicationArn = '' } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    return { Attributes: dispatch.platforms.application(PlatformApplicationArn).attributes };
  },
};
