import { checkNotNull, invalidParameter } from '../errors';
import { checkArn, type SnsFamily, snsPage, snsResource } from './sns-action';

export const directMessageActions = {
  CheckIfPhoneNumberIsOptedOut: {
    resourceOf: () => snsResource('*'),
    run: ({ services }, { input: { phoneNumber = '' } }) => ({ isOptedOut: services.phones.isOptedOut(phoneNumber) }),
  },

  OptInPhoneNumber: {
    resourceOf: () => snsResource('*'),
    run: ({ services }, { input: { phoneNumber = '' } }) => {
      services.phones.optIn(phoneNumber);
    },
  },

  ListPhoneNumbersOptedOut: {
    resourceOf: () => snsResource('*'),
    run: ({ services }, { input }) => {
      const { items, nextToken } = snsPage(services.phones.optedOutNumbers, input.nextToken);
      return { phoneNumbers: items, ...(nextToken && { nextToken }) };
    },
  },

  /**
   * Returns the requested settings that have a value, by default all. @see
   * https://docs.aws.amazon.com/sns/latest/api/API_GetSMSAttributes.html
   */
  GetSMSAttributes: {
    resourceOf: () => snsResource('*'),
    run: ({ services }, { input: { attributes = [] } }) => {
      const settings = Object.entries(services.phones.allSettings());
      const wanted = settings.filter(([name]) => attributes.length === 0 || attributes.includes(name));
      return { attributes: Object.fromEntries(wanted) };
    },
  },

  SetSMSAttributes: {
    resourceOf: () => snsResource('*'),
    run: ({ services }, { input }) => {
      services.phones.set(checkNotNull('attributes', input.attributes));
    },
  },

  CreatePlatformApplication: {
    resourceOf: ({ services }, { Platform = '', Name = '' }) =>
      snsResource(services.platforms.applicationArn(Platform, Name)),
    run: ({ services }, { input: { Name = '', Platform = '', Attributes } }) => {
      // The Query protocol cannot tell an empty map from none.
      const isEmpty = Object.keys(Attributes ?? {}).length === 0;
      const attributes = checkNotNull('attributes', isEmpty ? undefined : Attributes);
      return { PlatformApplicationArn: services.platforms.createApplication(Name, Platform, attributes).arn };
    },
  },

  /**
   * Deleting a missing application succeeds. @see
   * https://docs.aws.amazon.com/sns/latest/api/API_DeletePlatformApplication.html
   */
  DeletePlatformApplication: {
    resourceOf: (_state, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
    run: ({ services }, { input: { PlatformApplicationArn = '' } }) => {
      checkArn('PlatformApplicationArn', PlatformApplicationArn);
      services.platforms.deleteApplication(PlatformApplicationArn);
    },
  },

  GetPlatformApplicationAttributes: {
    resourceOf: (_state, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
    run: ({ services }, { input: { PlatformApplicationArn = '' } }) => {
      checkArn('PlatformApplicationArn', PlatformApplicationArn);
      return { Attributes: services.platforms.application(PlatformApplicationArn).attributes };
    },
  },

  SetPlatformApplicationAttributes: {
    resourceOf: (_state, { PlatformApplicationArn }) => snsResource(PlatformApplicationArn),
    run: ({ services }, { input: { PlatformApplicationArn = '', Attributes } }) => {
      checkArn('PlatformApplicationArn', PlatformApplicationArn);
      const attributes = checkNotNull('attributes', Attributes);
      services.platforms.application(PlatformApplicationArn).set(attributes);
    },
  },

  ListPlatformApplications: {
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
  },

  /** `CustomUserData` among the attributes takes precedence over the parameter of that name. */
  CreatePlatformEndpoint: {
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
  },

  /** Deleting a missing endpoint succeeds. */
  DeleteEndpoint: {
    resourceOf: (_state, { EndpointArn }) => snsResource(EndpointArn),
    run: ({ services }, { input: { EndpointArn = '' } }) => {
      checkArn('EndpointArn', EndpointArn);
      services.platforms.deleteEndpoint(EndpointArn);
    },
  },

  GetEndpointAttributes: {
    resourceOf: (_state, { EndpointArn }) => snsResource(EndpointArn),
    run: ({ services }, { input: { EndpointArn = '' } }) => {
      checkArn('EndpointArn', EndpointArn);
      return { Attributes: { ...services.platforms.endpoint(EndpointArn).attributes } };
    },
  },

  SetEndpointAttributes: {
    resourceOf: (_state, { EndpointArn }) => snsResource(EndpointArn),
    run: ({ services }, { input: { EndpointArn = '', Attributes } }) => {
      checkArn('EndpointArn', EndpointArn);
      const attributes = checkNotNull('attributes', Attributes);
      services.platforms.endpoint(EndpointArn).set(attributes);
    },
  },

  ListEndpointsByPlatformApplication: {
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
  },
} satisfies SnsFamily;
