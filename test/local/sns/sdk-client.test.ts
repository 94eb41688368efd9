import {
  AddPermissionCommand,
  CheckIfPhoneNumberIsOptedOutCommand,
  CreatePlatformApplicationCommand,
  CreatePlatformEndpointCommand,
  CreateTopicCommand,
  EndpointDisabledException,
  GetEndpointAttributesCommand,
  GetSMSAttributesCommand,
  ListEndpointsByPlatformApplicationCommand,
  ListPhoneNumbersOptedOutCommand,
  ListPlatformApplicationsCommand,
  ListTagsForResourceCommand,
  PublishBatchCommand,
  PublishCommand,
  PutDataProtectionPolicyCommand,
  ResourceNotFoundException,
  SetEndpointAttributesCommand,
  SetSMSAttributesCommand,
  SNSClient,
  SNSServiceException,
  SubscribeCommand,
  TagResourceCommand,
  TooManyEntriesInBatchRequestException,
  UntagResourceCommand,
} from '@aws-sdk/client-sns';
import { EXAMPLE_PLACE } from '../../../local/kernel/place';
import { InMemoryHttpHandler } from '../../../local/wire';
import { queueArn, SnsFixture, sendPolicy, TOPIC_ARN } from './sns-fixture';

function online(): { aws: SnsFixture; client: SNSClient } {
  const aws = new SnsFixture();
  aws.goOnline();
  const client = new SNSClient({
    region: 'us-east-1',
    credentials: { accessKeyId: 'AKIAADMIN', secretAccessKey: 'secret' },
    requestHandler: new InMemoryHttpHandler(aws.network, EXAMPLE_PLACE),
    maxAttempts: 1,
  });
  return { aws, client };
}

/** What the SDK's own client makes of the answers. */
describe('the SDK’s client', () => {
  test('publishes to a FIFO topic, one message and several', async () => {
    const { aws, client } = online();
    const Attributes = { FifoTopic: 'true', ContentBasedDeduplication: 'true' };
    const { TopicArn } = await client.send(new CreateTopicCommand({ Name: 'Orders.fifo', Attributes }));
    aws.createQueue('Orders.fifo', { FifoQueue: 'true', Policy: sendPolicy('Orders.fifo') });
    const subscription = { TopicArn, Protocol: 'sqs', Endpoint: queueArn('Orders.fifo') };
    await client.send(new SubscribeCommand(subscription));
    const one = await client.send(new PublishCommand({ TopicArn, Message: '1', MessageGroupId: 'car' }));
    const PublishBatchRequestEntries = ['2', '3'].map(Id => ({ Id, Message: Id, MessageGroupId: 'car' }));
    const more = await client.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }));
    expect(one.SequenceNumber).toMatch(/^\d{20}$/);
    expect(more.Successful?.map(({ Id }) => Id)).toEqual(['2', '3']);
    expect(more.Successful?.[1]?.SequenceNumber).toMatch(/^\d{20}$/);
    await aws.settle();
    expect(aws.receive('Orders.fifo').map(({ Body = '' }) => JSON.parse(Body).Message)).toEqual(['1', '2', '3']);
  });

  test('tags topics, and adds permissions', async () => {
    const { aws, client } = online();
    const team = { Key: 'team', Value: 'rental' };
    await client.send(new CreateTopicCommand({ Name: 'Rental-Orders', Tags: [team] }));
    const ResourceArn = TOPIC_ARN;
    await client.send(new TagResourceCommand({ ResourceArn, Tags: [{ Key: 'stage', Value: 'test' }] }));
    await client.send(new UntagResourceCommand({ ResourceArn, TagKeys: ['stage'] }));
    expect((await client.send(new ListTagsForResourceCommand({ ResourceArn }))).Tags).toEqual([team]);
    const grant = { TopicArn: TOPIC_ARN, Label: 'partner', AWSAccountId: ['111122223333'], ActionName: ['Publish'] };
    await client.send(new AddPermissionCommand(grant));
    expect(aws.topicAttributes()['Policy']).toContain('arn:aws:iam::111122223333:root');
    const unknown = new ListTagsForResourceCommand({ ResourceArn: `${TOPIC_ARN}2` });
    await expect(client.send(unknown)).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  test('registers devices and is told when one is disabled', async () => {
    const { client } = online();
    const { PlatformApplicationArn } = await client.send(
      new CreatePlatformApplicationCommand({
        Name: 'Rental',
        Platform: 'GCM',
        Attributes: { PlatformCredential: 'c' },
      }),
    );
    const { EndpointArn } = await client.send(
      new CreatePlatformEndpointCommand({ PlatformApplicationArn, Token: 't' }),
    );
    const Attributes = { Enabled: 'false' };
    await client.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes }));
    expect((await client.send(new GetEndpointAttributesCommand({ EndpointArn }))).Attributes).toEqual({
      Enabled: 'false',
      Token: 't',
    });
    const { Endpoints } = await client.send(new ListEndpointsByPlatformApplicationCommand({ PlatformApplicationArn }));
    expect(Endpoints).toEqual([{ EndpointArn, Attributes: { Enabled: 'false', Token: 't' } }]);
    const { PlatformApplications } = await client.send(new ListPlatformApplicationsCommand({}));
    expect(PlatformApplications).toEqual([{ PlatformApplicationArn, Attributes: { Enabled: 'true' } }]);
    const publish = new PublishCommand({ TargetArn: EndpointArn, Message: 'hello' });
    await expect(client.send(publish)).rejects.toBeInstanceOf(EndpointDisabledException);
  });

  test('sends text messages, and asks who wants none', async () => {
    const { aws, client } = online();
    await client.send(new SetSMSAttributesCommand({ attributes: { DefaultSMSType: 'Transactional' } }));
    expect((await client.send(new GetSMSAttributesCommand({ attributes: ['DefaultSMSType'] }))).attributes).toEqual({
      DefaultSMSType: 'Transactional',
    });
    const { MessageId } = await client.send(new PublishCommand({ PhoneNumber: '+15550100', Message: 'hello' }));
    await aws.settle();
    expect(aws.sns.recipients.receipts('+15550100')).toMatchObject([
      { messageId: MessageId, sms: { smsType: 'Transactional' } },
    ]);
    aws.sns.phones.optOut('+15550100');
    expect((await client.send(new ListPhoneNumbersOptedOutCommand({}))).phoneNumbers).toEqual(['+15550100']);
    const check = new CheckIfPhoneNumberIsOptedOutCommand({ phoneNumber: '+15550100' });
    expect((await client.send(check)).isOptedOut).toBe(true);
  });

  test('throws the SDK’s own errors, and 501 for what is not implemented', async () => {
    const { aws, client } = online();
    aws.createTopic();
    const PublishBatchRequestEntries = Array.from({ length: 11 }, (_, i) => ({ Id: `${i}`, Message: 'x' }));
    await expect(
      client.send(new PublishBatchCommand({ TopicArn: TOPIC_ARN, PublishBatchRequestEntries })),
    ).rejects.toBeInstanceOf(TooManyEntriesInBatchRequestException);
    const policy = new PutDataProtectionPolicyCommand({ ResourceArn: TOPIC_ARN, DataProtectionPolicy: '{}' });
    const error = await client.send(policy).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(SNSServiceException);
    expect(error).toMatchObject({ $metadata: { httpStatusCode: 501 } });
  });
});
