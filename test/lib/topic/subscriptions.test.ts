import { Aws, Duration, type Stack } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BackoffFunction, type DeliveryPolicy, SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { SmsSubscription, SqsSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { DeadLetterQueue, DurableTopic, type EndpointDeliveryOptions } from '../../../lib';
import {
  allowPlainConsumers,
  newStack,
  numberToken,
  only,
  opsTopic,
  problemsOf,
  templateOf,
  textToken,
  warningIds,
  warningText,
} from '../support';

describe('subscriptions', () => {
  describe('A delivery’s id', () => {
    test.each(['DeliveryStatus', 'LostMessagesAlarm', 'Policy', 'Resource', 'Deliveries'])(
      'may be %s, which is also the id of another child of the topic',
      id => {
        const stack = newStack();
        const { subscription } = new DurableTopic(stack, 'Topic').deliverToEndpoint(id, 'https://example.com');
        expect(subscription.node.path).toBe(`Stack/Topic/Deliveries/${id}/Subscription`);
        templateOf(stack).resourceCountIs('AWS::SNS::Subscription', 1);
      },
    );
  });

  describe('A second subscription of the same endpoint to a DurableTopic is refused', () => {
    const URL = 'https://user:secret@partner.example.com/orders';

    test.each<[string, string, (topic: DurableTopic, queue: Queue) => unknown]>([
      ['as a second delivery', 'Stack/Topic/Deliveries/Again', (topic, queue) => topic.deliverToQueue('Again', queue)],
      [
        'as a plain subscription',
        'Stack/Queue/StackTopic2F4048F0',
        (topic, queue) => topic.addSubscription(new SqsSubscription(queue)),
      ],
    ])('%s of a queue', (_, where, again) => {
      const stack = newStack();
      const [topic, queue] = [new DurableTopic(stack, 'Topic'), new Queue(stack, 'Queue')];
      topic.deliverToQueue('Once', queue);
      expect(problemsOf(() => again(topic, queue))).toEqual([
        `${where} has 1 problem:`,
        expect.stringMatching(
          /endpoint must not be subscribed to this topic already.*Stack\/Topic\/Deliveries\/Once\/Subscription/,
        ),
      ]);
    });

    test('as a delivery next to a plain subscription, and no error shows the URL', () => {
      const topic = new DurableTopic(newStack(), 'Topic');
      topic.addSubscription(new UrlSubscription(URL));
      const lines = problemsOf(() => topic.deliverToEndpoint('Again', URL));
      expect(lines).toHaveLength(2);
      expect(lines.join()).toContain('endpoint must not be subscribed to this topic already');
    });

    test('if the endpoint is the same token, known only at deployment', () => {
      const topic = new DurableTopic(newStack(), 'Topic');
      const url = `https://${Aws.ACCOUNT_ID}.example.com`;
      topic.deliverToEndpoint('Once', url);
      expect(problemsOf(() => topic.deliverToEndpoint('Again', url))).toHaveLength(2);
      expect(problemsOf(() => topic.deliverToEndpoint('Other', `${url}/other`))).toEqual([]);
    });

    test('but not for another topic, or another protocol', () => {
      const stack = newStack();
      const queue = new Queue(stack, 'Queue');
      const topic = new DurableTopic(stack, 'Topic');
      topic.deliverToQueue('Orders', queue);
      topic.deliverToEndpoint('Tls', 'https://example.com');
      topic.deliverToEndpoint('Plain', 'http://example.com');
      new DurableTopic(stack, 'Other').deliverToQueue('Orders', queue);
      templateOf(stack).resourceCountIs('AWS::SNS::Subscription', 4);
    });
  });

  describe('A live subscription', () => {
    function subscriptionOf(stack: Stack) {
      return only(templateOf(stack), 'AWS::SNS::Subscription');
    }

    test('stays when its topic becomes a DurableTopic, and gets a dead-letter queue: only one property is added', () => {
      const [plain, ours] = [newStack(), newStack()];
      new Topic(plain, 'Topic').addSubscription(new SqsSubscription(new Queue(plain, 'Queue')));
      const deadLetterQueue = new DeadLetterQueue(ours, 'Dlq', { encryptionMasterKey: new Key(ours, 'Key') });
      const topic = new DurableTopic(ours, 'Topic');
      topic.addSubscription(new SqsSubscription(new Queue(ours, 'Queue'), { deadLetterQueue }));

      const [[oldId, old], [newId, { Properties }]] = [subscriptionOf(plain), subscriptionOf(ours)];
      expect(newId).toBe(oldId);
      const { RedrivePolicy, ...rest } = Properties;
      expect(rest).toEqual(old.Properties);
      expect(RedrivePolicy).toEqual({ deadLetterTargetArn: ours.resolve(deadLetterQueue.queueArn) });
    });

    test('would get another logical id from deliverTo…, which would delete the old subscription', () => {
      const [plain, ours] = [newStack(), newStack()];
      new Topic(plain, 'Topic').addSubscription(new SqsSubscription(new Queue(plain, 'Queue')));
      new DurableTopic(ours, 'Topic').deliverToQueue('Orders', new Queue(ours, 'Queue'));
      expect(subscriptionOf(ours)[0]).not.toBe(subscriptionOf(plain)[0]);
    });
  });

  test('A queue is refused as its own dead-letter queue, also in a subscription added as on a Topic', () => {
    const stack = newStack();
    const queue = new Queue(stack, 'Queue');
    const subscribe = () =>
      new DurableTopic(stack, 'Topic').addSubscription(new SqsSubscription(queue, { deadLetterQueue: queue }));
    expect(problemsOf(subscribe)).toEqual([
      'Stack/Queue/StackTopic2F4048F0 has 1 problem:',
      '  - deadLetterQueue must be another queue than the subscribed one, got "Stack/Queue"',
    ]);
  });

  describe('A live delivery that is renamed', () => {
    const URL = 'https://partner.example.com/orders';

    /** A delivery with a fixed dead-letter queue, so that only the subscription's logical id changes. */
    function stackWith(id: string): Stack {
      const stack = newStack();
      const deadLetterQueue = new DeadLetterQueue(stack, 'Dlq');
      new DurableTopic(stack, 'Topic').deliverToEndpoint(id, URL, { deadLetterQueue });
      return stack;
    }

    test('is the same subscription for SNS but a new resource for CloudFormation, which would delete it', () => {
      const subscriptions = ['ToPartner', 'Partner'].map(id =>
        only(templateOf(stackWith(id)), 'AWS::SNS::Subscription'),
      );
      const [[before, old] = [], [after, renamed] = []] = subscriptions;
      expect(renamed).toEqual(old);
      expect(after).not.toBe(before);
    });

    test('stays if its logical id is overridden as docs/adopting.md says', () => {
      const [live, renamed] = [stackWith('ToPartner'), stackWith('Partner')];
      const [before] = only(templateOf(live), 'AWS::SNS::Subscription');
      const [after] = only(templateOf(stackWith('Partner')), 'AWS::SNS::Subscription');
      renamed.renameLogicalId(after, before);
      const resources = (stack: Stack) => Object.entries<{ Type: string }>(templateOf(stack).toJSON()['Resources']);
      const [was, is] = [live, renamed].map(stack => resources(stack).map(([id, { Type }]) => `${Type} ${id}`));
      expect(is).toEqual(was);
    });
  });

  test('A subscription without a dead-letter queue gets a warning that says what to do', () => {
    const stack = newStack();
    allowPlainConsumers(stack);
    const topic = new DurableTopic(stack, 'Topic', { alarmActions: [opsTopic(stack)] });
    topic.addSubscription(new SqsSubscription(new Queue(stack, 'Queue')));
    expect(warningIds(stack)).toEqual(['no-dead-letter-queue']);
    expect(warningText(stack, 'no-dead-letter-queue')).toContain('Use a deliverTo... method, or give the subscription');
  });

  describe('An SMS subscription, whose dead-letter queue aws-cdk-lib accepts and drops (hole 4)', () => {
    test('gets a warning of its own, which does not advise what its user already did', () => {
      const stack = newStack();
      const deadLetterQueue = new Queue(stack, 'Dlq');
      new DurableTopic(stack, 'Topic').addSubscription(new SmsSubscription('+15550100', { deadLetterQueue }));
      expect(only(templateOf(stack), 'AWS::SNS::Subscription')[1].Properties['RedrivePolicy']).toBeUndefined();
      expect(warningIds(stack)).toEqual(['sms-without-dead-letter-queue']);
      expect(warningText(stack, 'sms-without-dead-letter-queue')).not.toContain('give the subscription');
    });

    test('has its dead-letter queue once that advice is followed', () => {
      const stack = newStack();
      const alarmActions = [opsTopic(stack)];
      const topic = new DurableTopic(stack, 'Topic', { alarmActions });
      const { deadLetterQueue } = topic.deliverToSms('Guard', '+15550100');
      const deadLetterTargetArn = stack.resolve(deadLetterQueue.queueArn);
      templateOf(stack).hasResourceProperties('AWS::SNS::Subscription', {
        Protocol: 'sms',
        RedrivePolicy: { deadLetterTargetArn },
      });
      expect(warningIds(stack)).toEqual([]);
    });
  });
});

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

  test('writes the three members without which SNS rejects the policy', () => {
    const deliveryPolicy = { healthyRetryPolicy: { numRetries: 5 } };
    expect(propertiesOf(URL, { deliveryPolicy })['DeliveryPolicy']).toEqual({
      healthyRetryPolicy: { minDelayTarget: 20, maxDelayTarget: 20, numRetries: 5 },
    });
  });

  test('has no delivery policy unless one is stated', () => {
    expect(propertiesOf(URL)).not.toHaveProperty('DeliveryPolicy');
  });

  test.each([
    ['http://example.com', undefined, 'http'],
    ['HTTPS://example.com', undefined, 'https'],
    [`http://${Aws.ACCOUNT_ID}/x`, undefined, 'http'],
    [`https://${Aws.ACCOUNT_ID}/x`, undefined, 'https'],
    [textToken(), undefined, 'https'],
    [textToken(), SubscriptionProtocol.HTTP, 'http'],
  ])('has the protocol of its URL (hole 13): case %#', (url, protocol, expected) => {
    expect(propertiesOf(url, { protocol })['Protocol']).toBe(expected);
  });

  test('accepts values that are known only at deployment; a plain subscription throws (hole 1)', () => {
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

describe('A delivery to an endpoint that is refused', () => {
  test('reports all problems in one error, and creates nothing', () => {
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

  test('but accepts a content type for raw messages', () => {
    const deliveryPolicy = { requestPolicy: { headerContentType: 'text/csv' } };
    expect(propertiesOf(URL, { deliveryPolicy, rawMessageDelivery: true })['DeliveryPolicy']).toEqual(deliveryPolicy);
  });
});
