import { Aws, Duration } from 'aws-cdk-lib';
import { BackoffFunction, type DeliveryPolicy, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { DurableTopic, type EndpointDeliveryOptions } from '../../lib';
import { newStack, numberToken, only, problemsOf, templateOf, textToken } from './support';

const URL = 'https://partner.example.com/orders';

function propertiesOf(url: string, options: EndpointDeliveryOptions = {}) {
  const stack = newStack();
  new DurableTopic(stack, 'Topic').deliverToEndpoint('Partner', url, options);
  return only(templateOf(stack), 'AWS::SNS::Subscription')[1].Properties;
}

function problemsWith(options: EndpointDeliveryOptions, url = URL): string[] {
  return problemsOf(() => new DurableTopic(newStack(), 'Topic').deliverToEndpoint('Partner', url, options));
}

describe('A delivery to an endpoint', () => {
  test('renders the sample policy of 50 retries, 3 at once, 2 pre-backoff and 35 post-backoff', () => {
    const deliveryPolicy: DeliveryPolicy = {
      healthyRetryPolicy: {
        numRetries: 50,
        numNoDelayRetries: 3,
        numMinDelayRetries: 2,
        numMaxDelayRetries: 35,
        minDelayTarget: Duration.seconds(1),
        maxDelayTarget: Duration.minutes(1),
        backoffFunction: BackoffFunction.EXPONENTIAL,
      },
      throttlePolicy: { maxReceivesPerSecond: 10 },
      requestPolicy: { headerContentType: 'application/json' },
    };
    expect(propertiesOf(URL, { deliveryPolicy })['DeliveryPolicy']).toEqual({
      healthyRetryPolicy: {
        minDelayTarget: 1,
        maxDelayTarget: 60,
        numRetries: 50,
        numMaxDelayRetries: 35,
        numNoDelayRetries: 3,
        numMinDelayRetries: 2,
        backoffFunction: 'exponential',
      },
      throttlePolicy: { maxReceivesPerSecond: 10 },
      requestPolicy: { headerContentType: 'application/json' },
    });
  });

  test('spells out the three members SNS has been seen to demand', () => {
    const deliveryPolicy = { healthyRetryPolicy: { numRetries: 5 } };
    expect(propertiesOf(URL, { deliveryPolicy })['DeliveryPolicy']).toEqual({
      healthyRetryPolicy: { minDelayTarget: 20, maxDelayTarget: 20, numRetries: 5 },
    });
  });

  test('has no policy of its own unless given one', () => {
    expect(propertiesOf(URL)).not.toHaveProperty('DeliveryPolicy');
  });

  test.each([
    ['http://example.com', undefined, 'http'],
    ['HTTPS://example.com', undefined, 'https'],
    [`http://${Aws.ACCOUNT_ID}/x`, undefined, 'http'],
    [`https://${Aws.ACCOUNT_ID}/x`, undefined, 'https'],
    [textToken(), undefined, 'https'],
    [textToken(), SubscriptionProtocol.HTTP, 'http'],
  ])('speaks the protocol of its URL (hole 13): case %#', (url, protocol, expected) => {
    expect(propertiesOf(url, { protocol })['Protocol']).toBe(expected);
  });

  test('keeps values that are not known before deployment, where a plain subscription throws (hole 1)', () => {
    const numRetries = numberToken();
    const deliveryPolicy = { healthyRetryPolicy: { numRetries, minDelayTarget: Duration.seconds(numberToken()) } };
    expect(propertiesOf(URL, { deliveryPolicy })['DeliveryPolicy']).toEqual({
      healthyRetryPolicy: {
        minDelayTarget: { Ref: 'AWS::AccountId' },
        maxDelayTarget: 20,
        numRetries: { Ref: 'AWS::AccountId' },
      },
    });
    const plain = new Topic(newStack(), 'Topic');
    const subscription = new UrlSubscription(URL, { deliveryPolicy: { healthyRetryPolicy: { numRetries } } });
    expect(() => plain.addSubscription(subscription)).toThrow('numRetries must be between 0 and 100');
  });
});

describe('Before anything is made, a delivery to an endpoint refuses', () => {
  const retry = (healthyRetryPolicy: DeliveryPolicy['healthyRetryPolicy']) => ({
    deliveryPolicy: { healthyRetryPolicy },
  });

  test.each<[string, EndpointDeliveryOptions, string]>([
    [
      'more than 100 retries',
      retry({ numRetries: 101 }),
      'deliveryPolicy.healthyRetryPolicy.numRetries must be less than or equal to 100, got 101',
    ],
    [
      'a fraction of a retry',
      retry({ numRetries: 1.5 }),
      'deliveryPolicy.healthyRetryPolicy.numRetries must be a whole number, got 1.5',
    ],
    [
      'NaN',
      retry({ numRetries: Number.NaN }),
      'deliveryPolicy.healthyRetryPolicy.numRetries must be a whole number, got NaN',
    ],
    [
      'a delay below a second',
      retry({ minDelayTarget: Duration.millis(500) }),
      'deliveryPolicy.healthyRetryPolicy.minDelayTarget',
    ],
    [
      'phases that add up to more than all retries',
      retry({ numRetries: 2, numMinDelayRetries: 3 }),
      'deliveryPolicy.healthyRetryPolicy.numRetries',
    ],
    [
      'a minimum above the default maximum of 20 s',
      retry({ minDelayTarget: Duration.seconds(21) }),
      'deliveryPolicy.healthyRetryPolicy.minDelayTarget must be less than or equal to maxDelayTarget (20, the default)',
    ],
    [
      'more retries at once than the 3 there are by default',
      retry({ numNoDelayRetries: 5 }),
      'deliveryPolicy.healthyRetryPolicy.numRetries must be greater than or equal to total of numMinDelayRetries, numNoDelayRetries and numMaxDelayRetries (0 + 5 + 0 = 5), got 3 (the default)',
    ],
    [
      '100 retries an hour apart',
      retry({ numRetries: 100, minDelayTarget: Duration.hours(1), maxDelayTarget: Duration.hours(1) }),
      'deliveryPolicy.healthyRetryPolicy',
    ],
    [
      'a content type SNS does not send',
      { deliveryPolicy: { requestPolicy: { headerContentType: 'image/png' } } },
      'deliveryPolicy.requestPolicy.headerContentType',
    ],
    [
      'a content type for raw messages alone',
      { deliveryPolicy: { requestPolicy: { headerContentType: 'text/csv' } } },
      'deliveryPolicy.requestPolicy.headerContentType',
    ],
    [
      'no deliveries a second',
      { deliveryPolicy: { throttlePolicy: { maxReceivesPerSecond: 0 } } },
      'deliveryPolicy.throttlePolicy.maxReceivesPerSecond',
    ],
    ['an empty policy', { deliveryPolicy: {} }, 'deliveryPolicy must have at least one of'],
    [
      'a protocol that is not its URL’s',
      { protocol: SubscriptionProtocol.HTTP },
      `protocol must be the URL's own, https, got "http"`,
    ],
    [
      'a protocol that is none of the web’s',
      { protocol: SubscriptionProtocol.EMAIL },
      'protocol must be HTTP or HTTPS, got "email"',
    ],
  ])('%s (hole 1)', (_, options, line) => {
    const [head, ...lines] = problemsWith(options);
    expect(head).toBe('Stack/Topic/Deliveries/Partner has 1 problem:');
    expect(lines).toEqual([expect.stringContaining(`  - ${line}`)]);
  });

  test.each([
    ['ftp://example.com/x', 'url must be an absolute http or https URL, got "ftp://example.com"'],
    ['/orders?token=secret', 'url must be an absolute http or https URL, got "20 characters that are no URL"'],
    [
      'https://my_host.example.com',
      'url must not have an underscore in its host name, which SNS does not support, got "my_host.example.com"',
    ],
  ])('the URL %s', (url, line) => {
    expect(problemsWith({}, url)).toEqual(['Stack/Topic/Deliveries/Partner has 1 problem:', `  - ${line}`]);
  });

  test('everything at once, in one error', () => {
    const lines = problemsWith(
      { ...retry({ numRetries: 101, minDelayTarget: Duration.hours(2) }), protocol: SubscriptionProtocol.SMS },
      'gopher://example.com',
    );
    expect(lines[0]).toBe('Stack/Topic/Deliveries/Partner has 4 problems:');
    expect(lines).toHaveLength(5);
  });

  test('but takes a raw message’s content type for raw messages', () => {
    const deliveryPolicy = { requestPolicy: { headerContentType: 'text/csv' } };
    expect(propertiesOf(URL, { deliveryPolicy, rawMessageDelivery: true })['DeliveryPolicy']).toEqual(deliveryPolicy);
  });
});
