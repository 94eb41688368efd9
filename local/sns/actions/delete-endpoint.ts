import { type SnsAction, snsResource } from './sns-action';
import { checkArn } from './topic-named';

/** Deleting what is not there is done already. @see https://docs.aws.amazon.com/sns/latest/api/API_DeleteEndpoint.html */
export const deleteEndpoint: SnsAction<'DeleteEndpoint'> = {
  permission: 'sns:DeleteEndpoint',
  resourceOf: (_world, { EndpointArn }) => snsResource(EndpointArn),
  run: ({ dispatch }, { input: { EndpointArn = '' } }) => {
    checkArn('EndpointArn', EndpointArn);
    dispatch.platforms.deleteEndpoint(EndpointArn);
  },
};
