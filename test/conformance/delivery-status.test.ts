import { createHash } from 'node:crypto';
import { DescribeLogGroupsCommand, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { PublishCommand, SetSMSAttributesCommand } from '@aws-sdk/client-sns';
import { DeployedFunction, roleFor } from './deployed-function';
import { HttpEndpoint } from './http-endpoint';
import { feedbackRole, groupOf, type LoggedProtocol, logDeliveries, statusRecords } from './status-log';
import { embeddedRow, row, Target } from './target';
import { openQueue, redriveTo, Topic } from './topic';

const UUID = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);

describe('section 5: delivery status logging', () => {
  const aws = new Target();

  async function loggingTopic(...protocols: readonly LoggedProtocol[]): Promise<Topic> {
    const topic = await Topic.of(aws);
    await logDeliveries(aws, topic, ...protocols);
    return topic;
  }

  const groups = async (topic: Topic): Promise<readonly (string | undefined)[]> => {
    const asked = new DescribeLogGroupsCommand({ logGroupNamePrefix: groupOf(topic, 'SUCCESS') });
    return ((await aws.logs.send(asked)).logGroups ?? []).map(({ logGroupName }) => logGroupName);
  };

  const eventsOf = async (logGroupName: string | undefined): Promise<readonly string[]> => {
    const { events = [] } = await aws.logs.send(new FilterLogEventsCommand({ logGroupName }));
    return events.map(({ message = '' }) => message);
  };

  row.each(['HTTP', 'Firehose', 'Lambda', 'Application', 'SQS'])(
    '%s has two roles and a sample rate',
    async protocol => {
      const [topic, role] = [await Topic.of(aws), await feedbackRole(aws)];
      const attributes = {
        [`${protocol}SuccessFeedbackRoleArn`]: role,
        [`${protocol}SuccessFeedbackSampleRate`]: '100',
        [`${protocol}FailureFeedbackRoleArn`]: role,
      };
      for (const [name, value] of Object.entries(attributes)) await topic.set(name, value);
      expect(await topic.attributes()).toMatchObject(attributes);
      for (const rate of ['-1', '101', 'all']) {
        await expect(topic.set(`${protocol}SuccessFeedbackSampleRate`, rate)).rejects.toMatchObject({
          name: 'InvalidParameterException',
        });
      }
    },
  );

  const notificationOf = (topic: Topic, messageId: string | undefined) => ({
    messageMD5Sum: createHash('md5').update('order').digest('hex'),
    messageId,
    topicArn: topic.arn,
    timestamp: INSTANT,
  });

  row('the record of a queue that took the message: 200 and the ids SQS gave', async () => {
    const [topic, dead] = [await loggingTopic('SQS'), await openQueue(aws)];
    const queue = await topic.queue({ ...redriveTo(dead), RawMessageDelivery: 'true' });
    const { MessageId } = await topic.publish('order');
    await aws.pass(1);
    const [message] = await queue.receive();
    const records = await statusRecords(aws, topic, 'SUCCESS');
    expect(records).toEqual([
      {
        notification: notificationOf(topic, MessageId),
        delivery: {
          deliveryId: UUID,
          redrivePolicy: `{"deadLetterTargetArn": "${dead.arn}"}`,
          destination: queue.arn,
          providerResponse: expect.any(String),
          dwellTimeMs: expect.any(Number),
          attempts: 1,
          statusCode: 200,
        },
        status: 'SUCCESS',
      },
    ]);
    expect(JSON.parse(records[0]?.delivery.providerResponse ?? '')).toEqual({
      sqsRequestId: UUID,
      sqsMessageId: message?.MessageId,
    });
  });

  row('the record of a function that took its event: 202, and no attempts', async () => {
    const topic = await loggingTopic('Lambda');
    const { arn } = await DeployedFunction.hearing(aws, topic, 'exports.handler = async () => {};');
    await topic.publish('order');
    await aws.pass(1);
    const records = await statusRecords(aws, topic, 'SUCCESS');
    expect(records).toMatchObject([{ delivery: { destination: arn, statusCode: 202 }, status: 'SUCCESS' }]);
    expect(records[0]?.delivery).not.toHaveProperty('attempts');
    expect(records[0]?.delivery).not.toHaveProperty('redrivePolicy');
    expect(JSON.parse(records[0]?.delivery.providerResponse ?? '')).toEqual({ lambdaRequestId: UUID });
  });

  row('a failure, and the dead letter as a second record without a redrive policy', async () => {
    const [topic, dead] = [await loggingTopic('SQS'), await openQueue(aws)];
    const queue = await topic.queue(redriveTo(dead));
    await queue.set({ Policy: '' });
    const { MessageId } = await topic.publish('order');
    await aws.pass(2);
    expect(await statusRecords(aws, topic, 'FAILURE')).toMatchObject([
      {
        notification: { messageId: MessageId },
        delivery: {
          destination: queue.arn,
          redrivePolicy: `{"deadLetterTargetArn": "${dead.arn}"}`,
          attempts: 1,
          statusCode: 403,
        },
        status: 'FAILURE',
      },
    ]);
    const second = await statusRecords(aws, topic, 'SUCCESS');
    expect(second).toMatchObject([
      {
        notification: { messageId: MessageId },
        delivery: { destination: dead.arn, statusCode: 200 },
        status: 'SUCCESS',
      },
    ]);
    expect(second[0]?.delivery).not.toHaveProperty('redrivePolicy');
  });

  embeddedRow.each(['timeout', 'refuse', 'reset', 'dns'] as const)(
    'a transport failure (%s) is IO Exception in HttpClient',
    async status => {
      const [topic, endpoint] = [await loggingTopic('HTTP'), new HttpEndpoint(aws)];
      await endpoint.confirmed(topic);
      await endpoint.behaves({ status });
      await topic.publish('order');
      await aws.pass(300);
      const [record] = await statusRecords(aws, topic, 'FAILURE');
      expect(record?.delivery).toMatchObject({
        destination: endpoint.url,
        providerResponse: 'IO Exception in HttpClient',
        attempts: 4,
      });
    },
  );

  embeddedRow('dwellTimeMs is from the publication to the hand-over of the last attempt', async () => {
    const [topic, endpoint] = [await loggingTopic('HTTP'), new HttpEndpoint(aws)];
    await endpoint.confirmed(topic);
    await endpoint.behaves({ status: 503, count: 2 }, { status: 200, latencyMs: 5_000 });
    await topic.publish('order');
    await aws.pass(120);
    expect(await statusRecords(aws, topic, 'SUCCESS')).toMatchObject([
      { delivery: { dwellTimeMs: 40_000, attempts: 3, statusCode: 200 } },
    ]);
  });

  row('log groups are made by the first record', async () => {
    const topic = await loggingTopic('SQS');
    const queue = await topic.queue();
    expect(await groups(topic)).toEqual([]);
    await topic.publish('order');
    await aws.pass(1);
    await statusRecords(aws, topic, 'SUCCESS');
    expect(await groups(topic)).toEqual([groupOf(topic, 'SUCCESS')]);
    await queue.set({ Policy: '' });
    await topic.publish('order');
    await aws.pass(1);
    await statusRecords(aws, topic, 'FAILURE');
    expect(await groups(topic)).toEqual([groupOf(topic, 'SUCCESS'), groupOf(topic, 'FAILURE')]);
  });

  embeddedRow('a sample rate applies to successes; failures are all logged', async () => {
    const topic = await loggingTopic('SQS');
    await topic.set('SQSSuccessFeedbackSampleRate', '30');
    const queue = await topic.queue();
    const publish = async () => {
      for (let i = 0; i < 60; i += 1) await topic.publish('order');
      await aws.pass(1);
    };
    await publish();
    await queue.set({ Policy: '' });
    await publish();
    const { length } = await statusRecords(aws, topic, 'SUCCESS');
    expect(length).toBeGreaterThan(5);
    expect(length).toBeLessThan(40);
    expect(await statusRecords(aws, topic, 'FAILURE')).toHaveLength(60);
  });

  row('a sample rate of 0 logs no success', async () => {
    const topic = await loggingTopic('SQS');
    await topic.set('SQSSuccessFeedbackSampleRate', '0');
    await topic.queue();
    await topic.publish('order');
    await aws.pass(1);
    expect(await groups(topic)).toEqual([]);
  });

  row.each([
    ['sns.amazonaws.com may not assume', 'lambda.amazonaws.com', ['logs:*']],
    ['may not put log events', 'sns.amazonaws.com', ['logs:CreateLogGroup', 'logs:CreateLogStream']],
  ])('a role that %s logs nothing', async (_, service, actions) => {
    const topic = await Topic.of(aws);
    await topic.set('SQSFailureFeedbackRoleArn', await roleFor(aws, service, actions));
    const queue = await topic.queue();
    await queue.set({ Policy: '' });
    await topic.publish('order');
    await aws.pass(1);
    expect((await Promise.all((await groups(topic)).map(eventsOf))).flat()).toEqual([]);
  });

  embeddedRow('a text message to a phone is logged in DirectPublishToPhoneNumber', async () => {
    const attributes = { DeliveryStatusIAMRole: await feedbackRole(aws), DeliveryStatusSuccessSamplingRate: '100' };
    await aws.sns.send(new SetSMSAttributesCommand({ attributes }));
    const { recipients } = aws.embedded.services.sns;
    const [reached, refused] = ['+12065550100', '+12065550199'];
    recipients.behave(refused, { outcome: { kind: 'answered', statusCode: 400, errorCode: 'UNREACHABLE' } });
    for (const PhoneNumber of [reached, refused])
      await aws.sns.send(new PublishCommand({ PhoneNumber, Message: 'order' }));
    await aws.pass(86_400);
    const { account } = aws.embedded.place;
    const group = `sns/us-east-1/${account}/DirectPublishToPhoneNumber`;
    const logged = async (suffix: string) => (await eventsOf(`${group}${suffix}`)).map(text => JSON.parse(text));
    expect(await logged('')).toMatchObject([{ delivery: { destination: reached }, status: 'SUCCESS' }]);
    expect(await logged('/Failure')).toMatchObject([{ delivery: { destination: refused }, status: 'FAILURE' }]);
  });
});
