import { checkNotNull, invalidParameter } from '../errors';
import { checkArn, type SnsAction, snsPage, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CreatePlatformApplication.html */
export const createPlatformApplication: SnsAction<'CreatePlatformApplication'> = {
  permission: 'sns:CreatePlatformApplication',
  resourceOf: ({ services }, { Platform = '', Name = '' }) =>
    snsResource(services.platforms.applicationArn(Platform, Name)),
  run: ({ services }, { input: { Name = '', Platform = '', Attributes } }) => {
    // The Query protocol cannot tell an empty map from none.
    const isEmpty = Object.keys(Attributes ?? {}).length === 0;
    const attributes = checkNotNull('attributes', isEmpty ? undefined : Attributes);
    return { PlatformApplicationArn: services.platforms.createApplication(Name, Platform, attributes).arn };
  },
};

/**
 * Deleting a missing application succeeds. @see
 * https://docs.aws.amazon.com/sns/latest/api/API_DeletePlatformApplication.html
 */
export const deletePlatformApplication: SnsAction<'DeletePlatformApplication'> = {
  permission: 'sns:DeletePlatformApplication',
  resourceOf: (_state, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ services }, { input: { PlatformApplicationArn = '' } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    services.platforms.deleteApplication(PlatformApplicationArn);
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetPlatformApplicationAttributes.html */
export const getPlatformApplicationAttributes: SnsAction<'GetPlatformApplicationAttributes'> = {
  permission: 'sns:GetPlatformApplicationAttributes',
  resourceOf: (_state, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ services }, { input: { PlatformApplicationArn = '' } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    return { Attributes: services.platforms.application(PlatformApplicationArn).attributes };
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetPlatformApplicationAttributes.html */
export const setPlatformApplicationAttributes: SnsAction<'SetPlatformApplicationAttributes'> = {
  permission: 'sns:SetPlatformApplicationAttributes',
  resourceOf: (_state, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ services }, { input: { PlatformApplicationArn = '', Attributes } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    const attributes = checkNotNull('attributes', Attributes);
    services.platforms.application(PlatformApplicationArn).set(attributes);
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListPlatformApplications.html */
export const listPlatformApplications: SnsAction<'ListPlatformApplications'> = {
  permission: 'sns:ListPlatformApplications',
  resourceOf: () => snsResource('*'),
  run: ({ services }, { input }) => {
    const { items, nextToken } = snsPage(services.platforms.applications, input.NextToken);
    return {
      PlatformApplications: items.map(({ arn, attributes }) => ({
        PlatformApplicationArn: arn,
        Attributes: attributes,
      })),
      ...(nextToken && { NextToken: nextToken }),
    };
  },
};

/**
 * `CustomUserData` among the attributes takes precedence over the parameter of that name.
 * @see https://docs.aws.amazon.com/sns/latest/api/API_CreatePlatformEndpoint.html
 */
export const createPlatformEndpoint: SnsAction<'CreatePlatformEndpoint'> = {
  permission: 'sns:CreatePlatformEndpoint',
  resourceOf: (_state, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ services }, { input: { PlatformApplicationArn = '', Token = '', CustomUserData, Attributes = {} } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    const application = services.platforms.application(PlatformApplicationArn);
    if (Token === '') throw invalidParameter('Token Reason: no value for required parameter');
    const { arn } = services.platforms.createEndpoint(application, {
      ...(CustomUserData !== undefined && { CustomUserData }),
      ...Attributes,
      Token,
    });
    return { EndpointArn: arn };
  },
};

/** Deleting a missing endpoint succeeds. @see https://docs.aws.amazon.com/sns/latest/api/API_DeleteEndpoint.html */
export const deleteEndpoint: SnsAction<'DeleteEndpoint'> = {
  permission: 'sns:DeleteEndpoint',
  resourceOf: (_state, { EndpointArn }) => snsResource(EndpointArn),
  run: ({ services }, { input: { EndpointArn = '' } }) => {
    checkArn('EndpointArn', EndpointArn);
    services.platforms.deleteEndpoint(EndpointArn);
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetEndpointAttributes.html */
export const getEndpointAttributes: SnsAction<'GetEndpointAttributes'> = {
  permission: 'sns:GetEndpointAttributes',
  resourceOf: (_state, { EndpointArn }) => snsResource(EndpointArn),
  run: ({ services }, { input: { EndpointArn = '' } }) => {
    checkArn('EndpointArn', EndpointArn);
    return { Attributes: { ...services.platforms.endpoint(EndpointArn).attributes } };
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_SetEndpointAttributes.html */
export const setEndpointAttributes: SnsAction<'SetEndpointAttributes'> = {
  permission: 'sns:SetEndpointAttributes',
  resourceOf: (_state, { EndpointArn }) => snsResource(EndpointArn),
  run: ({ services }, { input: { EndpointArn = '', Attributes } }) => {
    checkArn('EndpointArn', EndpointArn);
    const attributes = checkNotNull('attributes', Attributes);
    services.platforms.endpoint(EndpointArn).set(attributes);
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListEndpointsByPlatformApplication.html */
export const listEndpointsByPlatformApplication: SnsAction<'ListEndpointsByPlatformApplication'> = {
  permission: 'sns:ListEndpointsByPlatformApplication',
  resourceOf: (_state, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ services }, { input: { PlatformApplicationArn = '', NextToken } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    const { platforms } = services;
    const all = platforms.endpointsOf(platforms.application(PlatformApplicationArn));
    const { items, nextToken } = snsPage(all, NextToken);
    return {
      Endpoints: items.map(({ arn, attributes }) => ({ EndpointArn: arn, Attributes: { ...attributes } })),
      ...(nextToken && { NextToken: nextToken }),
    };
  },
};
