import { type SnsAction, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CreatePlatformApplication.html */
export const createPlatformApplication: SnsAction<'CreatePlatformApplication'> = {
  permission: 'sns:CreatePlatformApplication',
  resourceOf: ({ dispatch }, { Platform = '', Name = '' }) =>
    snsResource(dispatch.platforms.applicationArn(Platform, Name)),
  run: ({ dispatch }, { input: { Name = '', Platform = '', Attributes = {} } }) => ({
    PlatformApplicationArn: dispatch.platforms.createApplication(Name, Platform, Attributes).arn,
  }),
};
