import { invalidParameter } from '../errors';
import { type SnsAction, snsResource } from './sns-action';
import { checkArn } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CreatePlatformEndpoint.html */
export const createPlatformEndpoint: SnsAction<'CreatePlatformEndpoint'> = {
  permission: 'sns:CreatePlatformEndpoint',
  resourceOf: (_world, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ dispatch }, { input: { PlatformApplicationArn = '', Token = '', CustomUserData, Attributes = {} } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    const application = dispatch.platforms.application(PlatformApplicationArn);
    if (Token === '') throw invalidParameter('Token Reason: no value for required parameter');
    const { arn } = dispatch.platforms.createEndpoint(application, {
      ...Attributes,
      ...(CustomUserData !== undefined && { CustomUserData }),
      Token,
    });
    return { EndpointArn: arn };
  },
};
