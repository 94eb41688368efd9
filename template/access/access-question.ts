/** What a request carries of condition keys. A key that is not here may have any value, or none. */
export interface RequestKeys {
  /** By key, in lower case; undefined where the request certainly has none. */
  readonly [key: string]: string | undefined;
}

/** May a service do something, on behalf of a resource? */
export interface ServiceQuestion {
  /** The service's principal: `sns.amazonaws.com`. */
  readonly service: string;
  /** `sqs:SendMessage`. */
  readonly action: string;
  /** The ARN of what is acted on. */
  readonly resource: string;
  /** On whose behalf, where the service is known to say so. @default - not known */
  readonly sourceArn?: string | undefined;
  /** The account that is of, where the service is known to say so. @default - not known */
  readonly sourceAccount?: string | undefined;
  /** What else is known of the request. */
  readonly keys?: RequestKeys;
}

/** May a role do something? */
export interface RoleQuestion {
  readonly roleArn: string;
  readonly action: string;
  readonly resource: string;
  readonly keys?: RequestKeys;
}

/**
 * What a service that comes as itself does not carry: it belongs to no organization, signs in with no second factor, and
 * comes by no network of yours.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_data-perimeters.html
 */
const ABSENT_OF_SERVICES: RequestKeys = {
  'aws:principalorgid': undefined,
  'aws:principalorgpaths': undefined,
  'aws:sourcevpc': undefined,
  'aws:sourcevpce': undefined,
  'aws:multifactorauthpresent': undefined,
};

/** AWS's services speak over TLS. */
export function serviceKeys({ service, sourceArn, sourceAccount, keys = {} }: ServiceQuestion): RequestKeys {
  return {
    ...ABSENT_OF_SERVICES,
    'aws:securetransport': 'true',
    'aws:principalisawsservice': 'true',
    'aws:principalservicename': service,
    ...(sourceArn !== undefined && { 'aws:sourcearn': sourceArn }),
    ...(sourceAccount !== undefined && { 'aws:sourceaccount': sourceAccount }),
    ...keys,
  };
}

/** A role comes as itself, over TLS as every client of AWS does. */
export function roleKeys({ roleArn, keys = {} }: RoleQuestion): RequestKeys {
  return { 'aws:securetransport': 'true', 'aws:principalisawsservice': 'false', 'aws:principalarn': roleArn, ...keys };
}
