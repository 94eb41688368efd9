import { CreateKeyCommand } from '@aws-sdk/client-kms';
import { CreatePlatformApplicationCommand, CreatePlatformEndpointCommand, PublishCommand } from '@aws-sdk/client-sns';
import { HOUR_SECONDS } from '../../policy/time-units';
import { type Dimensions, Reported } from './alarm';
import { DeployedFunction } from './deployed-function';
import { HttpEndpoint } from './http-endpoint';
import { Queue } from './queue';
import { embeddedRow, row, Target } from './target';
import { openQueue, redriveTo, Topic } from './topic';
import { happened } from './trace';

const ATTRIBUTES = {
  colour: { DataType: 'String', StringValue: 'red' },
  size: { DataType: 'Number', StringValue: '42' },
  picture: { DataType: 'Binary', BinaryValue: Buffer.from('png') },
};
const ENVELOPED = {
  colour: { Type: 'String', Value: 'red' },
  size: { Type: 'Number', Value: '42' },
  picture: { Type: 'Binary', Value: 'cG5n' },
};
const RAW = { RawMessageDelivery: 'true' };

describe('section 4: the message in the dead-letter queue of a subscription', () => {
  const aws = new Target();

  /** A queue that is subscribed to a topic and denies all senders. */
  async function closed(topic: Topic, attributes = {}, queueAttributes = {}): Promise<Queue> {
    const queue = await topic.queue(attributes, queueAttributes);
    await queue.set({ Policy: '' });
    return queue;
  }

  async function deadLetter(subscription = {}) {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws)];
    const working = await topic.queue(subscription);
    await closed(topic, { ...subscription, ...redriveTo(dead) });
    const { MessageId } = await topic.publish('order', { Subject: 'Order', MessageAttributes: ATTRIBUTES });
    await aws.pass(2);
    const [[message], [delivered]] = [await dead.receive(), await working.receive()];
    return { topic, message, delivered, MessageId };
  }

  row(
    'is the envelope with the attributes inside and none outside, as the endpoint would have received it',
    async () => {
      const { message, delivered, MessageId } = await deadLetter();
      const envelope = JSON.parse(message?.Body ?? '');
      expect(envelope).toMatchObject({ MessageId, Message: 'order', Subject: 'Order', MessageAttributes: ENVELOPED });
      const { UnsubscribeURL: _, ...common } = JSON.parse(delivered?.Body ?? '');
      expect(envelope).toMatchObject(common);
      expect(message?.MessageAttributes).toBeUndefined();
    },
  );

  row('is the message with its attributes as message attributes when delivery is raw', async () => {
    const { message, delivered } = await deadLetter(RAW);
    expect(message?.Body).toBe('order');
    expect(message?.MessageAttributes).toEqual({
      colour: ATTRIBUTES.colour,
      size: ATTRIBUTES.size,
      picture: { DataType: 'Binary', BinaryValue: new Uint8Array(Buffer.from('png')) },
    });
    expect(message?.MessageAttributes).toEqual(delivered?.MessageAttributes);
  });

  row.each([
    ['enveloped', {}],
    ['raw', RAW],
  ])('has no RequestID, ErrorCode or ErrorMessage: %s', async (_, subscription) => {
    const { message } = await deadLetter(subscription);
    expect(message?.MessageId).toBeDefined();
    expect(JSON.stringify([message?.MessageAttributes, message?.Body])).not.toMatch(/RequestID|ErrorCode|ErrorMessage/);
  });

  row("of a function's is the envelope, with the member names that queues receive", async () => {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws)];
    const deployed = await DeployedFunction.hearing(aws, topic, 'exports.handler = async () => {};', redriveTo(dead));
    await deployed.remove();
    await topic.publish('order', { MessageAttributes: ATTRIBUTES });
    await aws.pass(2);
    const [message] = await dead.receive();
    const envelope = JSON.parse(message?.Body ?? '');
    expect(Object.keys(envelope)).toEqual(expect.arrayContaining(['SigningCertURL', 'UnsubscribeURL']));
    expect(envelope).toMatchObject({ Type: 'Notification', Message: 'order', MessageAttributes: ENVELOPED });
    expect(message?.MessageAttributes).toBeUndefined();
  });

  embeddedRow("of an endpoint's is what was posted", async () => {
    const [topic, dead, endpoint] = [await Topic.of(aws), await openQueue(aws), new HttpEndpoint(aws)];
    await endpoint.confirmed(topic, redriveTo(dead));
    await endpoint.behaves({ status: 404 });
    await topic.publish('order');
    await aws.pass(1);
    const [request] = await endpoint.requests();
    expect(await dead.bodies()).toEqual([request?.body]);
  });

  describe('FIFO', () => {
    row('it keeps group and deduplication id; SQS gives ids of its own, the envelope has those of SNS', async () => {
      const [topic, dead] = [await Topic.fifo(aws), await openQueue(aws, { FifoQueue: 'true' })];
      await closed(topic, redriveTo(dead), { FifoQueue: 'true' });
      const published = await topic.publish('order', { MessageGroupId: 'g', MessageDeduplicationId: 'd' });
      await aws.pass(2);
      const [message] = await dead.receive();
      expect(message?.Attributes).toMatchObject({ MessageGroupId: 'g', MessageDeduplicationId: 'd' });
      const { MessageId, SequenceNumber } = JSON.parse(message?.Body ?? '');
      expect({ MessageId, SequenceNumber }).toEqual({
        MessageId: published.MessageId,
        SequenceNumber: published.SequenceNumber,
      });
      expect(message?.MessageId).not.toBe(MessageId);
      expect(message?.Attributes?.SequenceNumber).not.toBe(SequenceNumber);
    });

    row('a FIFO queue needs a FIFO dead-letter queue', async () => {
      const [topic, dead] = [await Topic.fifo(aws), await openQueue(aws)];
      const queue = await openQueue(aws, { FifoQueue: 'true' });
      const text = 'RedrivePolicy: must use a FIFO queue as DLQ for a FIFO Subscription to a FIFO Topic.';
      await expect(topic.subscribe('sqs', queue.arn, redriveTo(dead))).rejects.toMatchObject({
        message: `Invalid parameter: Attributes Reason: ${text}`,
      });
      const subscriptionArn = await topic.subscribe('sqs', queue.arn);
      const set = topic.setOf(subscriptionArn, 'RedrivePolicy', redriveTo(dead).RedrivePolicy);
      await expect(set).rejects.toMatchObject({ message: `Invalid parameter: ${text}` });
    });

    row('a standard queue of a FIFO topic may have a standard dead-letter queue', async () => {
      const [topic, dead] = [await Topic.fifo(aws), await openQueue(aws)];
      await closed(topic, redriveTo(dead));
      await topic.publish('order', { MessageGroupId: 'g' });
      await aws.pass(2);
      expect(await dead.bodies()).toEqual([expect.stringContaining('"Message" : "order"')]);
    });

    row('a FIFO queue cannot be subscribed to a standard topic', async () => {
      const [topic, queue] = [await Topic.of(aws), await openQueue(aws, { FifoQueue: 'true' })];
      await expect(topic.subscribe('sqs', queue.arn)).rejects.toMatchObject({
        name: 'InvalidParameterException',
        message:
          'Invalid parameter: Invalid parameter: Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics',
      });
    });

    row('group and deduplication id do not reach a standard queue of a FIFO topic', async () => {
      const topic = await Topic.fifo(aws);
      const queue = await topic.queue(RAW);
      await topic.publish('order', { MessageGroupId: 'g', MessageDeduplicationId: 'd' });
      await aws.pass(1);
      const [message] = await queue.receive();
      expect(message?.Body).toBe('order');
      expect(message?.Attributes).not.toHaveProperty('MessageGroupId');
      expect(message?.Attributes).not.toHaveProperty('MessageDeduplicationId');
    });

    row('the group id of a message to a standard topic reaches its standard queues', async () => {
      const topic = await Topic.of(aws);
      const queue = await topic.queue(RAW);
      await topic.publish('order', { MessageGroupId: 'tenant-1' });
      await aws.pass(1);
      expect(await queue.receive()).toMatchObject([{ Body: 'order', Attributes: { MessageGroupId: 'tenant-1' } }]);
    });
  });
});

describe('section 4: what a dead-letter queue must be', () => {
  const aws = new Target();

  const policyFor = (topicArn: string) =>
    JSON.stringify({
      Version: '2012-10-17',
      Statement: {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: '*',
        Condition: { ArnEquals: { 'aws:SourceArn': topicArn } },
      },
    });

  /** Creates a topic whose only queue cannot be reached, and a dead-letter queue. */
  async function unreachable(deadAttributes = {}) {
    const [topic, dead] = [await Topic.of(aws), await openQueue(aws, deadAttributes)];
    const queue = await topic.queue(redriveTo(dead));
    await queue.set({ Policy: '' });
    const publish = async () => {
      await topic.publish('order');
      await aws.pass(2);
    };
    const lost = () => happened(aws, 'sns.lost', { topicArn: topic.arn });
    return { topic, dead, publish, lost };
  }

  row("its policy lets the topic send, by the topic's ARN", async () => {
    const { topic, dead, publish } = await unreachable();
    await dead.set({ Policy: policyFor(topic.arn) });
    await publish();
    expect(await dead.depths()).toEqual([1, 0, 0]);
  });

  row('a policy that lets another topic send loses the message', async () => {
    const { topic, dead, publish } = await unreachable();
    await dead.set({ Policy: policyFor(`${topic.arn}-of-others`) });
    await publish();
    expect(await dead.depths()).toEqual([0, 0, 0]);
  });

  const key = async (...actions: readonly string[]) => {
    const owner = { AWS: `arn:aws:iam::${aws.embedded.place.account}:root` };
    const allow = (Principal: object, Action: readonly string[]) => ({
      Effect: 'Allow',
      Principal,
      Action,
      Resource: '*',
    });
    const topics = actions.length === 0 ? [] : [allow({ Service: 'sns.amazonaws.com' }, actions)];
    const Statement = [allow(owner, ['kms:*']), ...topics];
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement });
    return (await aws.kms.send(new CreateKeyCommand({ Policy }))).KeyMetadata?.KeyId ?? '';
  };

  embeddedRow.each<
    [string, number, () => Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>]
  >([
    [
      'a key that gives SNS both permissions takes it',
      1,
      async () => ({ KmsMasterKeyId: await key('kms:Decrypt', 'kms:GenerateDataKey*') }),
    ],
    ['a key without kms:GenerateDataKey* loses it', 0, async () => ({ KmsMasterKeyId: await key('kms:Decrypt') })],
    ['a key without kms:Decrypt loses it', 0, async () => ({ KmsMasterKeyId: await key('kms:GenerateDataKey*') })],
    ['a key that knows nothing of SNS loses it', 0, async () => ({ KmsMasterKeyId: await key() })],
    ["AWS's own key alias/aws/sqs loses it", 0, () => ({ KmsMasterKeyId: 'alias/aws/sqs' })],
    ['SSE-SQS takes it', 1, () => ({ SqsManagedSseEnabled: 'true' })],
  ])('%s', async (_, taken, encryption) => {
    const { dead, publish, lost } = await unreachable(await encryption());
    await publish();
    expect(await dead.depths()).toEqual([taken, 0, 0]);
    expect(await lost()).toHaveLength(1 - taken);
  });
});

const of = (aws: Target, { name }: Topic) => new Reported(aws, 'AWS/SNS', { TopicName: name });

/** Creates a topic with one queue, subscribed with this filter policy. */
async function filtering(aws: Target, policy: object, FilterPolicyScope = 'MessageAttributes'): Promise<Topic> {
  const topic = await Topic.of(aws);
  await topic.queue({ FilterPolicy: JSON.stringify(policy), FilterPolicyScope });
  return topic;
}

/** Creates a topic whose only subscriber is a queue that denies it. */
async function refused(aws: Target, attributes: Readonly<Record<string, string>> = {}): Promise<Topic> {
  const topic = await Topic.of(aws);
  await topic.subscribe('sqs', (await Queue.of(aws)).arn, attributes);
  return topic;
}

describe('section 6: AWS/SNS', () => {
  const aws = new Target();

  embeddedRow('NumberOfMessagesPublished counts what is published, Delivered what each subscriber gets', async () => {
    const topic = await Topic.of(aws);
    await topic.queue();
    await topic.queue();
    for (const message of ['one', 'two', 'three']) await topic.publish(message);
    await aws.pass(60);
    expect(
      await of(aws, topic).sums(
        'NumberOfMessagesPublished',
        'NumberOfNotificationsDelivered',
        'NumberOfNotificationsFailed',
      ),
    ).toEqual({ NumberOfMessagesPublished: 3, NumberOfNotificationsDelivered: 6, NumberOfNotificationsFailed: 0 });
  });

  embeddedRow('counts by the minute', async () => {
    const topic = await Topic.of(aws);
    await topic.publish('one');
    await topic.publish('two');
    await aws.pass(60);
    await topic.publish('three');
    await aws.pass(60);
    expect(await of(aws, topic).values('NumberOfMessagesPublished')).toEqual([2, 1]);
  });

  embeddedRow('PublishSize is the bytes of a message', async () => {
    const topic = await Topic.of(aws);
    await topic.publish('hello');
    await aws.pass(60);
    expect(await of(aws, topic).values('PublishSize', 'Maximum')).toEqual([5]);
  });
});

describe('section 6: NumberOfNotificationsFailed', () => {
  const aws = new Target();

  embeddedRow('does not count a message to a queue while SNS tries', async () => {
    const topic = await Topic.of(aws);
    const queue = await topic.queue();
    await aws.control('PUT', 'faults', { service: 'sqs', action: 'SendMessage', resource: queue.arn, status: 503 });
    await topic.publish('order');
    await aws.pass(HOUR_SECONDS);
    expect(await of(aws, topic).sum('NumberOfNotificationsFailed')).toBe(0);
    await aws.control('DELETE', 'faults');
    await aws.pass(60);
    expect(await of(aws, topic).sums('NumberOfNotificationsFailed', 'NumberOfNotificationsDelivered')).toEqual({
      NumberOfNotificationsFailed: 0,
      NumberOfNotificationsDelivered: 1,
    });
  });

  embeddedRow('counts a message to a queue once, when SNS stops trying', async () => {
    const topic = await refused(aws);
    await topic.publish('order');
    await aws.pass(60);
    expect(await of(aws, topic).sum('NumberOfNotificationsFailed')).toBe(1);
  });

  embeddedRow('counts a text message once, when SNS stops trying after more than six hours', async () => {
    const topic = await Topic.of(aws);
    await topic.subscribe('sms', '+15550100');
    const errorCode = 'Phone is currently unreachable/unavailable';
    aws.embedded.services.sns.recipients.behave('+15550100', {
      outcome: { kind: 'answered', statusCode: 400, errorCode },
    });
    await topic.publish('order');
    await aws.pass(6 * HOUR_SECONDS);
    expect(await of(aws, topic).sum('NumberOfNotificationsFailed')).toBe(0);
    await aws.pass(HOUR_SECONDS);
    expect(await of(aws, topic).sum('NumberOfNotificationsFailed')).toBe(1);
  });

  embeddedRow('counts every failed attempt at an HTTP/S endpoint, retries included', async () => {
    const topic = await Topic.of(aws);
    const [dead, slow] = [new HttpEndpoint(aws), new HttpEndpoint(aws)];
    for (const endpoint of [dead, slow]) await endpoint.confirmed(topic);
    await dead.behaves({ status: 500 });
    await slow.behaves({ status: 500, count: 2 });
    await topic.publish('order');
    await aws.pass(600);
    expect(await of(aws, topic).sums('NumberOfNotificationsFailed', 'NumberOfNotificationsDelivered')).toEqual({
      NumberOfNotificationsFailed: 4 + 2,
      NumberOfNotificationsDelivered: 1,
    });
  });

  embeddedRow('counts one for any other message that is not delivered, however often it was tried', async () => {
    const topic = await Topic.of(aws);
    const { account, region } = aws.embedded.place;
    await topic.subscribe('lambda', `arn:aws:lambda:${region}:${account}:function:nowhere`);
    await topic.publish('order');
    await aws.pass(60);
    expect(await of(aws, topic).sum('NumberOfNotificationsFailed')).toBe(1);
  });
});

describe('section 6: NumberOfNotificationsFilteredOut', () => {
  const aws = new Target();
  const colour = (StringValue: string) => ({ colour: { DataType: 'String', StringValue } });
  const broken = { colour: { DataType: 'String.Array', StringValue: 'red' } };
  const byAttributes = { colour: ['red'] };

  embeddedRow.each([
    ['MessageAttributes', 'MessageAttributes', 'order', colour('blue')],
    ['NoMessageAttributes', 'MessageAttributes', 'order', {}],
    ['InvalidAttributes', 'MessageAttributes', 'order', broken],
    ['MessageBody', 'MessageBody', '{"colour":"blue"}', {}],
    ['InvalidMessageBody', 'MessageBody', 'no JSON', {}],
  ])('counts what a policy turns away, and as -%s in particular', async (kind, scope, message, MessageAttributes) => {
    const topic = await filtering(aws, byAttributes, scope);
    await topic.publish(message, { MessageAttributes });
    await aws.pass(60);
    const kinds = [
      'MessageAttributes',
      'NoMessageAttributes',
      'InvalidAttributes',
      'MessageBody',
      'InvalidMessageBody',
    ].map(name => `NumberOfNotificationsFilteredOut-${name}`);
    const sums = await of(aws, topic).sums('NumberOfNotificationsFilteredOut', ...kinds);
    expect(Object.entries(sums).filter(([, sum]) => sum !== 0)).toEqual([
      ['NumberOfNotificationsFilteredOut', 1],
      [`NumberOfNotificationsFilteredOut-${kind}`, 1],
    ]);
  });

  embeddedRow('counts nothing that a policy lets through', async () => {
    const topic = await filtering(aws, byAttributes);
    await topic.publish('order', { MessageAttributes: colour('red') });
    await aws.pass(60);
    expect(await of(aws, topic).sums('NumberOfNotificationsFilteredOut', 'NumberOfNotificationsDelivered')).toEqual({
      NumberOfNotificationsFilteredOut: 0,
      NumberOfNotificationsDelivered: 1,
    });
  });
});

describe('section 6: what becomes of dead letters', () => {
  const aws = new Target();
  const BOTH = ['NumberOfNotificationsRedrivenToDlq', 'NumberOfNotificationsFailedToRedriveToDlq'] as const;

  embeddedRow('NumberOfNotificationsRedrivenToDlq counts those that were moved', async () => {
    const topic = await refused(aws, redriveTo(await openQueue(aws)));
    await topic.publish('order');
    await aws.pass(60);
    expect(await of(aws, topic).sums(...BOTH)).toEqual({ [BOTH[0]]: 1, [BOTH[1]]: 0 });
  });

  embeddedRow('NumberOfNotificationsFailedToRedriveToDlq counts those that could not, and are lost', async () => {
    const topic = await refused(aws, redriveTo(await Queue.of(aws)));
    await topic.publish('order');
    await aws.pass(60);
    expect(await of(aws, topic).sums(...BOTH)).toEqual({ [BOTH[0]]: 0, [BOTH[1]]: 1 });
  });
});

describe('section 6: the other dimensions of AWS/SNS', () => {
  const aws = new Target();

  embeddedRow(
    'are PhoneNumber, SMSType and Country for text messages, of which SMSSuccessRate is the rate',
    async () => {
      const PhoneNumber = '+4915112345678';
      const text = () => aws.sns.send(new PublishCommand({ PhoneNumber, Message: 'hello' }));
      await text();
      aws.embedded.services.sns.recipients.behave(PhoneNumber, {
        outcome: { kind: 'answered', statusCode: 400, errorCode: 'Invalid phone number' },
        count: 1,
      });
      await text();
      await aws.pass(60);
      const each: readonly Dimensions[] = [
        { PhoneNumber: 'PhoneNumberDirect' },
        { SMSType: 'Promotional' },
        { Country: 'DE', SMSType: 'Promotional' },
      ];
      for (const dimensions of each) {
        const reported = new Reported(aws, 'AWS/SNS', dimensions);
        expect(await reported.sums('NumberOfNotificationsDelivered', 'NumberOfNotificationsFailed')).toEqual({
          NumberOfNotificationsDelivered: 1,
          NumberOfNotificationsFailed: 1,
        });
        expect(await reported.values('SMSSuccessRate', 'Average')).toEqual([0.5]);
      }
    },
  );

  embeddedRow('are Application and Platform for mobile push', async () => {
    const Name = aws.name('app');
    const { PlatformApplicationArn } = await aws.sns.send(
      new CreatePlatformApplicationCommand({ Name, Platform: 'GCM', Attributes: { PlatformCredential: 'secret' } }),
    );
    const { EndpointArn = '' } = await aws.sns.send(
      new CreatePlatformEndpointCommand({ PlatformApplicationArn, Token: 'token-1' }),
    );
    await aws.sns.send(new PublishCommand({ TargetArn: EndpointArn, Message: 'hello' }));
    await aws.pass(60);
    const each: readonly Dimensions[] = [
      { Application: Name },
      { Platform: 'GCM' },
      { Application: Name, Platform: 'GCM' },
    ];
    for (const dimensions of each) {
      expect(await new Reported(aws, 'AWS/SNS', dimensions).sum('NumberOfNotificationsDelivered')).toBe(1);
    }
  });
});
