import { checkNotNull } from '../not-null';
import { type SnsAction, snsResource } from './sns-action';
import { checkArn } from './topic-named';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetEndpointAttributes.html */
export const setEndpointAttributes: SnsAction<'SetEndpointAttributes'> = {
  permission: 'sns:SetEndpointAttributes',
  resourceOf: (_world, { EndpointArn }) => snsResource(EndpointArn),
  run: ({ dispatch }, { input: { EndpointArn = '', Attributes } }) => {
    checkArn('EndpointArn', EndpointArn);
    const attributes = checkNotNull('attributes', Attributes);
    dispatch.platforms.endpoint(EndpointArn).set(attributes);
  },
};
