import { checkNotNull, invalidParameter } from '../errors';
import { checkArn, type SnsAction, snsPage, snsResource } from './sns-action';

/** @see https://docs.aws.amazon.com/sns/latest/api/API_CreatePlatformApplication.html */
export const createPlatformApplication: SnsAction<'CreatePlatformApplication'> = {
  permission: 'sns:CreatePlatformApplication',
  resourceOf: ({ dispatch }, { Platform = '', Name = '' }) =>
    snsResource(dispatch.platforms.applicationArn(Platform, Name)),
  run: ({ dispatch }, { input: { Name = '', Platform = '', Attributes = {} } }) => ({
    PlatformApplicationArn: dispatch.platforms.createApplication(Name, Platform, Attributes).arn,
  }),
};

/** Deleting what is not there is done already. @see https://docs.aws.amazon.com/sns/latest/api/API_DeletePlatformApplication.html */
export const deletePlatformApplication: SnsAction<'DeletePlatformApplication'> = {
  permission: 'sns:DeletePlatformApplication',
  resourceOf: (_world, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ dispatch }, { input: { PlatformApplicationArn = '' } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    dispatch.platforms.deleteApplication(PlatformApplicationArn);
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetPlatformApplicationAttributes.html */
export const getPlatformApplicationAttributes: SnsAction<'GetPlatformApplicationAttributes'> = {
  permission: 'sns:GetPlatformApplicationAttributes',
  resourceOf: (_world, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
  run: ({ dispatch }, { input: { PlatformApplicationArn = '' } }) => {
    checkArn('PlatformApplicationArn', PlatformApplicationArn);
    return { Attributes: dispatch.platforms.application(PlatformApplicationArn).attributes };
  },
};

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

/** @see https://docs.aws.amazon.com/sns/latest/api/API_ListPlatformApplications.html */
export const listPlatformApplications: SnsAction<'ListPlatformApplications'> = {
  permission: 'sns:ListPlatformApplications',
  resourceOf: () => snsResource('*'),
  run: ({ dispatch }, { input }) => {
    const { items, nextToken } = snsPage(dispatch.platforms.applications, input.NextToken);
    return {
      PlatformApplications: items.map(({ arn, attributes }) => ({
        PlatformApplicationArn: arn,
        Attributes: attributes,
      })),
      ...(nextToken && { NextToken: nextToken }),
    };
  },
};

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

/** Deleting what is not there is done already. @see https://docs.aws.amazon.com/sns/latest/api/API_DeleteEndpoint.html */
export const deleteEndpoint: SnsAction<'DeleteEndpoint'> = {
  permission: 'sns:DeleteEndpoint',
  resourceOf: (_world, { EndpointArn }) => snsResource(EndpointArn),
  run: ({ dispatch }, { input: { EndpointArn = '' } }) => {
    checkArn('EndpointArn', EndpointArn);
    dispatch.platforms.deleteEndpoint(EndpointArn);
  },
};

/** @see https://docs.aws.amazon.com/sns/latest/api/API_GetEndpointAttributes.html */
export const getEndpointAttributes: SnsAction<'GetEndpointAttributes'> = {
  permission: 'sns:GetEndpointAttributes',
  resourceOf: (_world, { EndpointArn }) => snsResource(EndpointArn),
  run: ({ dispatch }, { input: { EndpointArn = '' } }) => {
    checkArn('EndpointArn', EndpointArn);
    return { Attributes: { ...dispatch.platforms.endpoint(EndpointArn).attributes } };
  },
};

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
