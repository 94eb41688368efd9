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
  test('everything at once, in one error', () => {
    const lines = problemsWith(
      {
        deliveryPolicy: { healthyRetryPolicy: { numRetries: 101, minDelayTarget: Duration.hours(2) } },
        protocol: SubscriptionProtocol.SMS,
      },
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
