import { checkNotNull } from '../not-null';
import { type SnsAction, snsResource } from './sns-action';
import { checkArn } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetPlatformApplicationAttributes.html */
export const setPlatformApplicationAttributes: SnsAction<'SetPlatformApplicationAttributes'> = {
  permission: 'sns:SetPlatformApplicationAttributes',
  resourceOf: (_world, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ dispatch }, { input: { PlatformApplicationArn = '', Attributes } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    const attributes = checkNotNull('attributes', Attributes);
    dispatch.platforms.application(PlatformApplicationArn).set(attributes);
  },
};
