import { PutEventsCommand, PutPermissionCommand, RemovePermissionCommand } from '@aws-sdk/client-eventbridge';
import { PublishCommand, SetTopicAttributesCommand, SubscribeCommand, UnsubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
} from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { accountsRow, type Clients, ON_AWS, OPEN_TO_TOPICS, OTHER_REGION, row, Target } from './target';

/** Long enough for a changed policy of a real account. */
const POLICY_SECONDS = 60;

const aws = new Target();

async function queueOf({ sqs }: Clients, Policy?: string) {
  const name = aws.name('queue');
  const { QueueUrl: url = '' } = await sqs.send(
    new CreateQueueCommand({ QueueName: name, Attributes: Policy === undefined ? {} : { Policy } }),
  );
  aws.afterwards(() => sqs.send(new DeleteQueueCommand({ QueueUrl: url })));
  const asked = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ['QueueArn'] });
  return { name, url, arn: (await sqs.send(asked)).Attributes?.QueueArn ?? '' };
}

async function bodies({ sqs }: Clients, QueueUrl: string): Promise<readonly string[]> {
  const wait = ON_AWS ? { WaitTimeSeconds: 10 } : {};
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, ...wait }));
  return Messages.map(({ Body = '' }) => Body);
}

const accountOf = async ({ sts }: Clients): Promise<string> =>
  (await sts.send(new GetCallerIdentityCommand({}))).Account ?? '';

const allowing = (account: string, actions: string | readonly string[], Resource: string): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: { Effect: 'Allow', Principal: { AWS: account }, Action: actions, Resource },
  });

const subscription = (TopicArn: string, Endpoint: string) =>
  new SubscribeCommand({
    TopicArn,
    Protocol: 'sqs',
    Endpoint,
    Attributes: { RawMessageDelivery: 'true' },
    ReturnSubscriptionArn: true,
  });

describe('sections 4 and 7: between Regions', () => {
  row('a topic delivers to a queue of another Region', async () => {
    const there = aws.elsewhere({ region: OTHER_REGION });
    const [topicArn, queue] = [await aws.topic(), await queueOf(there, OPEN_TO_TOPICS)];
    await aws.sns.send(subscription(topicArn, queue.arn));
    await aws.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'across' }));
    await aws.pass(2);
    expect(await bodies(there, queue.url)).toEqual(['across']);
  });

  row('the dead-letter queue of a subscription or a queue is in its own Region', async () => {
    const there = aws.elsewhere({ region: OTHER_REGION });
    const deadLetterTargetArn = (await queueOf(there)).arn;
    const topicArn = await aws.topic();
    const Attributes = { RedrivePolicy: JSON.stringify({ deadLetterTargetArn }) };
    const Endpoint = await aws.queueArn(await aws.queue());
    const subscribe = new SubscribeCommand({ TopicArn: topicArn, Protocol: 'sqs', Endpoint, Attributes });
    await expect(aws.sns.send(subscribe)).rejects.toThrow('must be in the same region');
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
    const set = new SetQueueAttributesCommand({ QueueUrl: await aws.queue(), Attributes: { RedrivePolicy } });
    await expect(aws.sqs.send(set)).rejects.toThrow('same region');
  });

  row('queues of one name in two Regions are two queues', async () => {
    const there = aws.elsewhere({ region: OTHER_REGION });
    const { name, url } = await queueOf(there);
    await expect(aws.sqs.send(new GetQueueUrlCommand({ QueueName: name }))).rejects.toMatchObject({
      name: 'QueueDoesNotExist',
    });
    expect((await there.sqs.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl).toBe(url);
  });
});

describe('sections 4 and 7: between accounts', () => {
  const there = () => aws.elsewhere({ isOtherAccount: true });

  accountsRow('a queue accepts messages of another account only if its policy allows it, too', async () => {
    const other = there();
    const queue = await queueOf(other);
    const send = () => aws.sqs.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: 'across' }));
    await expect(send()).rejects.toMatchObject({ name: expect.stringMatching(/AccessDenied|QueueDoesNotExist/) });
    const own = await accountOf(aws.elsewhere({}));
    const Policy = allowing(own, ['sqs:SendMessage', 'sqs:GetQueueUrl', 'sqs:ReceiveMessage'], queue.arn);
    await other.sqs.send(new SetQueueAttributesCommand({ QueueUrl: queue.url, Attributes: { Policy } }));
    if (ON_AWS) await aws.pass(POLICY_SECONDS);
    await send();
    const QueueOwnerAWSAccountId = await accountOf(other);
    const asked = new GetQueueUrlCommand({ QueueName: queue.name, QueueOwnerAWSAccountId });
    expect((await aws.sqs.send(asked)).QueueUrl).toBe(queue.url);
    expect(await bodies(other, queue.url)).toEqual(['across']);
  });

  accountsRow('no policy lets another account tag a queue', async () => {
    const other = there();
    const queue = await queueOf(other);
    const tag = new TagQueueCommand({ QueueUrl: queue.url, Tags: { team: 'billing' } });
    await expect(aws.sqs.send(tag)).rejects.toMatchObject({ name: expect.stringMatching(/AccessDenied/) });
  });

  accountsRow('a queue that the account of the topic subscribes must confirm, by a message', async () => {
    const other = there();
    const [topicArn, queue] = [await aws.topic(), await queueOf(other, OPEN_TO_TOPICS)];
    await aws.sns.send(subscription(topicArn, queue.arn));
    await aws.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'before' }));
    await aws.pass(2);
    const asked = await bodies(other, queue.url);
    expect(asked.map(body => JSON.parse(body).Type)).toEqual(['SubscriptionConfirmation']);
    expect((await aws.visit(JSON.parse(asked[0] ?? '{}').SubscribeURL)).status).toBe(200);
    await aws.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'after' }));
    await aws.pass(2);
    expect(await bodies(other, queue.url)).toEqual(['after']);
  });

  accountsRow('an account that the topic allows subscribes its own queue, without confirmation', async () => {
    const other = there();
    const [topicArn, queue] = [await aws.topic(), await queueOf(other, OPEN_TO_TOPICS)];
    const subscribe = () => other.sns.send(subscription(topicArn, queue.arn));
    await expect(subscribe()).rejects.toMatchObject({ name: 'AuthorizationErrorException' });
    const AttributeValue = allowing(await accountOf(other), 'sns:Subscribe', topicArn);
    const policy = { TopicArn: topicArn, AttributeName: 'Policy', AttributeValue };
    await aws.sns.send(new SetTopicAttributesCommand(policy));
    if (ON_AWS) await aws.pass(POLICY_SECONDS);
    const { SubscriptionArn } = await subscribe();
    await aws.sns.send(new PublishCommand({ TopicArn: topicArn, Message: 'at once' }));
    await aws.pass(2);
    expect(await bodies(other, queue.url)).toEqual(['at once']);
    await other.sns.send(new UnsubscribeCommand({ SubscriptionArn }));
  });

  accountsRow('a bus accepts events of another account only if its policy allows it', async () => {
    const other = there();
    const [own, account] = [await accountOf(aws.elsewhere({})), await accountOf(other)];
    const region = await aws.sqs.config.region();
    const EventBusName = `arn:aws:events:${region}:${account}:event-bus/default`;
    const Entries = [{ Source: 'dlo.conformance', DetailType: 'Test', Detail: '{}', EventBusName }];
    const put = () => aws.events.send(new PutEventsCommand({ Entries }));
    await expect(put()).rejects.toMatchObject({ name: 'AccessDeniedException' });
    const StatementId = aws.name('statement');
    await other.events.send(new PutPermissionCommand({ Action: 'events:PutEvents', Principal: own, StatementId }));
    aws.afterwards(() => other.events.send(new RemovePermissionCommand({ StatementId })));
    if (ON_AWS) await aws.pass(POLICY_SECONDS);
    expect((await put()).FailedEntryCount).toBe(0);
  });
});
