import { type SnsAction, snsResource } from './sns-action';
import { checkArn } from './topic-named';

/** Deleting what is not there is done already. @see https://docs.aws.amazon.com/sns/latest/api/API_DeletePlatformApplication.html */
export const deletePlatformApplication: SnsAction<'DeletePlatformApplication'> = {
  permission: 'sns:DeletePlatformApplication',
  resourceOf: (_world, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ dispatch }, { input: { PlatformApplicationArn = '' } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    dispatch.platforms.deleteApplication(PlatformApplicationArn);
  },
};
