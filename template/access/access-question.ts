import { parseArn } from '../../policy/arn';
import type { Answer } from './text-matching';

/** The condition keys of a request. A key that is missing here may have any value, or none. */
export interface RequestKeys {
  /** By key, in lower case; undefined if the request certainly does not have it. */
  readonly [key: string]: string | undefined;
}

/** May a service do something, on behalf of a resource? */
export interface ServiceQuestion {
  /** The service's principal: `sns.amazonaws.com`. */
  readonly service: string;
  /** Whether AWS documents that the request has this principal, and no other one of the service. @default false */
  readonly isOnlyPrincipal?: boolean;
  /** `sqs:SendMessage`. */
  readonly action: string;
  readonly resource: string;
  /** The ARN on whose behalf the service acts, if the service sends it. @default - unknown */
  readonly sourceArn?: string | undefined;
  /** The account of that ARN, if the service sends it. @default - unknown */
  readonly sourceAccount?: string | undefined;
  readonly keys?: RequestKeys;
}

export interface RoleQuestion {
  readonly roleArn: string;
  /** Whether the role has a permissions boundary. @default no */
  readonly isLimited?: Answer;
  readonly action: string;
  readonly resource: string;
  readonly keys?: RequestKeys;
}

/**
 * Keys that requests by a service principal do not have: it belongs to no organization, has no MFA, and comes through
 * no VPC.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_data-perimeters.html
 */
const ABSENT_OF_SERVICES: RequestKeys = {
  'aws:principalorgid': undefined,
  'aws:principalorgpaths': undefined,
  'aws:sourcevpc': undefined,
  'aws:sourcevpce': undefined,
  'aws:multifactorauthpresent': undefined,
};

/** A principal that a service has in one Region: `sns.eu-south-1.amazonaws.com`. */
const REGIONAL = /^[\w-]+\.[a-z]{2}-[a-z-]+-\d+\./;

/**
 * The condition keys of a service's request. AWS services use TLS. AWS does not publish whether the name of a service
 * is the regional one in a condition too (assumption IAM-8).
 */
export function serviceKeys(question: ServiceQuestion): RequestKeys {
  const { service, action, resource, sourceArn, sourceAccount, keys = {} } = question;
  return {
    ...ABSENT_OF_SERVICES,
    ...absentOf(action),
    'aws:securetransport': 'true',
    'aws:principalisawsservice': 'true',
    ...ofResource(resource),
    ...(!REGIONAL.test(service) && { 'aws:principalservicename': service }),
    ...(sourceArn !== undefined && { 'aws:sourcearn': sourceArn }),
    ...(sourceAccount !== undefined && { 'aws:sourceaccount': sourceAccount }),
    ...keys,
  };
}

/** Keys that only requests by a service principal have. */
const ABSENT_OF_ROLES: RequestKeys = {
  'aws:principalservicename': undefined,
  'aws:sourcearn': undefined,
  'aws:sourceaccount': undefined,
};

/** The condition keys of a role's request. AWS clients use TLS. */
export function roleKeys({ roleArn, action, resource, keys = {} }: RoleQuestion): RequestKeys {
  const account = parseArn(roleArn)?.account;
  return {
    ...ABSENT_OF_ROLES,
    ...absentOf(action),
    'aws:securetransport': 'true',
    'aws:principalisawsservice': 'false',
    'aws:principalarn': roleArn,
    'aws:principaltype': 'AssumedRole',
    ...(account !== undefined && { 'aws:principalaccount': account }),
    ...ofResource(resource),
    ...keys,
  };
}

/** Only requests to KMS have its keys. */
function absentOf(action: string): RequestKeys {
  return /^kms:/i.test(action) ? {} : { 'kms:viaservice': undefined, 'kms:calleraccount': undefined };
}

function ofResource(resource: string): RequestKeys {
  const account = parseArn(resource)?.account;
  return account ? { 'aws:resourceaccount': account } : {};
}
