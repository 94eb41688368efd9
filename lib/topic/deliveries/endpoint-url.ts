import { Token } from 'aws-cdk-lib';
import { SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { Problem } from '../../../policy/problem';

const SCHEMES: Readonly<Record<string, SubscriptionProtocol>> = {
  'http:': SubscriptionProtocol.HTTP,
  'https:': SubscriptionProtocol.HTTPS,
};

/** What a URL endpoint amounts to, once judged. */
export interface EndpointReading {
  readonly protocol: SubscriptionProtocol;
  readonly problems: readonly Problem[];
}

/** A token that hides its scheme is taken for HTTPS; one that shows it, as in `https://${host}`, is read. */
function schemeOfToken(url: string): SubscriptionProtocol {
  return url.toLowerCase().startsWith('http://') ? SubscriptionProtocol.HTTP : SubscriptionProtocol.HTTPS;
}

/** What an error shows of a URL: never the whole, for it may hold credentials. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return `${url.length} characters that are no URL`;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/** What is wrong with the URL of a web endpoint, in `property`. */
export function endpointProblems(property: string, url: string | undefined): Problem[] {
  if (url === undefined || Token.isUnresolved(url)) return [];
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && SCHEMES[parsed.protocol]) return [];
  return [{ property, rule: 'must be an absolute http or https URL', value: shownUrl(url) }];
}

/** What SNS itself would reject of a good URL. */
function subscriberProblems({ hostname, protocol }: URL, stated: SubscriptionProtocol | undefined): Problem[] {
  const own = SCHEMES[protocol];
  const underscore = 'must not have an underscore in its host name, which SNS does not support';
  return [
    ...(hostname.includes('_') ? [{ property: 'url', rule: underscore, value: hostname }] : []),
    ...(own && stated && stated !== own
      ? [{ property: 'protocol', rule: `must be the URL's own, ${own}`, value: stated }]
      : []),
  ];
}

/**
 * The protocol of a URL, and what SNS would reject of both.
 * @see https://docs.aws.amazon.com/sns/latest/dg/sns-http-https-endpoint-as-subscriber.html
 */
export function readEndpoint(url: string, stated: SubscriptionProtocol | undefined): EndpointReading {
  const isWeb = stated === undefined || Object.values(SCHEMES).includes(stated);
  const notWeb = isWeb ? [] : [{ property: 'protocol', rule: 'must be HTTP or HTTPS', value: stated }];
  if (Token.isUnresolved(url)) return { protocol: stated ?? schemeOfToken(url), problems: notWeb };
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  return {
    protocol: (parsed && SCHEMES[parsed.protocol]) ?? SubscriptionProtocol.HTTPS,
    problems: [
      ...notWeb,
      ...endpointProblems('url', url),
      ...(parsed ? subscriberProblems(parsed, isWeb ? stated : undefined) : []),
    ],
  };
}
