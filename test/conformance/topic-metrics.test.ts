import { CreatePlatformApplicationCommand, CreatePlatformEndpointCommand, PublishCommand } from '@aws-sdk/client-sns';
import { type Dimensions, Reported } from './alarm';
import { HttpEndpoint } from './http-endpoint';
import { Queue } from './queue';
import { embeddedRow, Target } from './target';
import { openQueue, redriveTo, Topic } from './topic';

const HOUR_SECONDS = 3_600;

const of = (aws: Target, { name }: Topic) => new Reported(aws, 'AWS/SNS', { TopicName: name });

/** A topic with one queue that hears it by this filter policy. */
async function filtering(aws: Target, policy: object, FilterPolicyScope = 'MessageAttributes'): Promise<Topic> {
  const topic = await Topic.of(aws);
  await topic.queue({ FilterPolicy: JSON.stringify(policy), FilterPolicyScope });
  return topic;
}

/** A topic whose one subscriber, a queue, does not let it in. */
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
