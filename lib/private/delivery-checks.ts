import type { IResource } from 'aws-cdk-lib';
import { Stack, Token, TokenComparison } from 'aws-cdk-lib';
import { type ITopic, SubscriptionProtocol } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Problem } from '../policy/problem';
import { snsKeyProblems } from './queue-checks';

/** A value two places must share, where it is known of both. */
function mismatch(property: string, rule: string, wanted: string, got: string): Problem[] {
  const differs = Token.compareStrings(wanted, got) === TokenComparison.DIFFERENT;
  return differs ? [{ property, rule: `${rule} ${wanted}`, value: got }] : [];
}

/** Problems of a consumer: ours lives where the topic does. @see https://docs.aws.amazon.com/sns/latest/dg/sns-cross-region-delivery.html */
export function consumerPlaceProblems(consumer: IResource, topic: ITopic): Problem[] {
  const rule = 'must be passed where the consumer is not in the Region of the topic,';
  return mismatch('deadLetterQueue', rule, topic.env.region, consumer.env.region);
}

/** What SNS rejects of a queue as subscriber. @see https://docs.aws.amazon.com/sns/latest/dg/sns-fifo-topics.html */
export function subscriberQueueProblems(queue: IQueue, topic: ITopic): Problem[] {
  const fifoOnStandard = queue.fifo && !topic.fifo;
  return [
    ...(fifoOnStandard
      ? [{ property: 'queue', rule: 'must not be FIFO where the topic is standard', value: queue.node.path }]
      : []),
    ...snsKeyProblems('queue.encryption', queue),
  ];
}

/** A FIFO topic delivers to queues and to nothing else. */
export function standardTopicProblems(property: string, topic: ITopic, value: string): Problem[] {
  return topic.fifo ? [{ property, rule: 'must be a queue where the topic is FIFO', value }] : [];
}

/** What SNS rejects of a dead-letter queue, or would never reach. @see https://docs.aws.amazon.com/sns/latest/dg/sns-dead-letter-queues.html */
export function deadLetterQueueProblems(
  scope: IConstruct,
  queue: IQueue,
  topic: ITopic,
  needsFifo: boolean,
): Problem[] {
  const fifoRule = needsFifo
    ? 'must be FIFO where a FIFO topic delivers to a FIFO queue'
    : 'must be a standard queue where the subscription is not from a FIFO topic to a FIFO queue';
  return [
    ...mismatch('deadLetterQueue', 'must be in the Region of the topic,', topic.env.region, queue.env.region),
    ...mismatch(
      'deadLetterQueue',
      'must be in the account of the subscription,',
      Stack.of(scope).account,
      queue.env.account,
    ),
    ...(queue.fifo === needsFifo ? [] : [{ property: 'deadLetterQueue', rule: fifoRule, value: queue.node.path }]),
    ...snsKeyProblems('deadLetterQueue.encryption', queue),
  ];
}

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

/** What is wrong with the URL of a web endpoint, in `property`. An error never shows a URL whole: it may hold credentials. */
export function endpointProblems(property: string, url: string | undefined): Problem[] {
  if (url === undefined || Token.isUnresolved(url)) return [];
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && SCHEMES[parsed.protocol]) return [];
  const value = parsed ? `${parsed.protocol}//${parsed.host}` : `${url.length} characters that are no URL`;
  return [{ property, rule: 'must be an absolute http or https URL', value }];
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
