import { type SnsAction, snsResource } from './sns-action';
import { checkArn } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetEndpointAttributes.html */
export const getEndpointAttributes: SnsAction<'GetEndpointAttributes'> = {
  permission: 'sns:GetEndpointAttributes',
  resourceOf: (_world, { EndpointArn }) => snsResource(EndpointArn),
  run: ({ dispatch }, { input: { EndpointArn = '' } }) => {
    checkArn('EndpointArn', EndpointArn);
    return { Attributes: { ...dispatch.platforms.endpoint(EndpointArn).attributes } };
  },
};
