import { Arn, ArnFormat, Token } from 'aws-cdk-lib';
import { SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import { isE164, MAIL_ADDRESS, PHONE_NUMBER, phoneKey } from '../../policy/address-formats';
import type { Problem } from '../../policy/problem';
import { webUrlOf, webUrlProblems } from '../../policy/web-url';

/** The kind of ARN that an endpoint must have. */
export interface ArnKind {
  readonly service: string;
  /** The part of its resource before the first `/` or `:`. @default - any */
  readonly resource?: string;
  /** The noun in an error, such as `an SQS queue`. */
  readonly noun: string;
}

function shapeProblems(property: string, value: string, shape: RegExp, rule: string): Problem[] {
  return Token.isUnresolved(value) || shape.test(value) ? [] : [{ property, rule, value }];
}

/** @see https://docs.aws.amazon.com/sns/latest/api/API_Subscribe.html */
export function mailAddressProblems(property: string, address: string): Problem[] {
  return shapeProblems(property, address, MAIL_ADDRESS, 'must be one e-mail address');
}

/** @see https://docs.aws.amazon.com/sns/latest/dg/sms_publish-to-topic.html */
export function phoneNumberProblems(property: string, phoneNumber: string): Problem[] {
  return shapeProblems(property, phoneNumber, PHONE_NUMBER, 'must be a phone number, such as +15550100');
}

/**
 * Whether a phone number lacks a plus sign and country code. SNS accepts such a number, but may not be able to reach
 * it.
 */
export function isLocalNumber(phoneNumber: string): boolean {
  if (Token.isUnresolved(phoneNumber)) return false;
  return !phoneNumber.startsWith('+') || !isE164(phoneKey(phoneNumber));
}

function isArnOf(arn: string, { service, resource }: ArnKind): boolean {
  if (!/^arn:[^:]+:[^:]+:[^:]*:[^:]*:.+/.test(arn)) return false;
  const parts = Arn.split(arn, ArnFormat.NO_RESOURCE_NAME);
  return parts.service === service && (resource === undefined || parts.resource.split(/[/:]/)[0] === resource);
}

/** A problem if `arn` is known and of another kind. */
export function arnProblems(property: string, arn: string, kind: ArnKind): Problem[] {
  if (Token.isUnresolved(arn) || isArnOf(arn, kind)) return [];
  return [{ property, rule: `must be ${kind.noun}`, value: arn }];
}

const SCHEMES: Readonly<Record<string, SubscriptionProtocol>> = {
  'http:': SubscriptionProtocol.HTTP,
  'https:': SubscriptionProtocol.HTTPS,
};

/** The protocol of an endpoint, and the problems with its URL. */
interface EndpointReading {
  readonly protocol: SubscriptionProtocol;
  readonly problems: readonly Problem[];
}

/** The protocol of a URL with a token: read if it is visible, as in `https://${host}`, otherwise HTTPS. */
function schemeOfToken(url: string): SubscriptionProtocol {
  return url.toLowerCase().startsWith('http://') ? SubscriptionProtocol.HTTP : SubscriptionProtocol.HTTPS;
}

export function endpointProblems(property: string, url: string | undefined): Problem[] {
  return url === undefined || Token.isUnresolved(url) ? [] : webUrlProblems(property, url);
}

/** What SNS would reject about a valid URL. */
function subscriberProblems({ hostname, protocol }: URL, stated: SubscriptionProtocol | undefined): Problem[] {
  const own = SCHEMES[protocol];
  const underscore = 'must not have an underscore in its host name, because SNS does not support it';
  return [
    ...(hostname.includes('_') ? [{ property: 'url', rule: underscore, value: hostname }] : []),
    ...(own && stated && stated !== own
      ? [{ property: 'protocol', rule: `must be the URL's own, ${own}`, value: stated }]
      : []),
  ];
}

/**
 * Returns the protocol of a URL, and what SNS would reject about both.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html
 */
export function readEndpoint(url: string, stated: SubscriptionProtocol | undefined): EndpointReading {
  const isWeb = stated === undefined || Object.values(SCHEMES).includes(stated);
  const notWeb = isWeb ? [] : [{ property: 'protocol', rule: 'must be HTTP or HTTPS', value: stated }];
  if (Token.isUnresolved(url)) return { protocol: stated ?? schemeOfToken(url), problems: notWeb };
  const parsed = webUrlOf(url);
  return {
    protocol: (parsed && SCHEMES[parsed.protocol]) ?? SubscriptionProtocol.HTTPS,
    problems: [
      ...notWeb,
      ...endpointProblems('url', url),
      ...(parsed ? subscriberProblems(parsed, isWeb ? stated : undefined) : []),
    ],
  };
}
