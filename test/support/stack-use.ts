import { SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { LocalAws } from '../../local';
import { administrator } from '../../local/kernel/caller';
import type { Deployed } from './deployed';
import { breakSubscribers, confirmEndpoints } from './subscribers';

/** Uses a stack as people and systems do. */
export type Use = (deployed: Deployed) => Promise<unknown>;

/** The result of an attempt, as a line. */
export async function attempt(what: string, act: () => unknown): Promise<string> {
  try {
    await act();
    return `${what}: done`;
  } catch (error) {
    return `${what}: ${error instanceof Error ? error.name : String(error)}`;
  }
}

/** A client with the credentials of a role, or with the access key `nobody` if the role cannot be assumed. */
export async function assuming(aws: LocalAws, RoleArn: string): Promise<SQSClient> {
  const sts = new STSClient({ ...aws.clientConfig(), maxAttempts: 1 });
  const assumed = await sts.send(new AssumeRoleCommand({ RoleArn, RoleSessionName: 'test' })).catch(() => undefined);
  const {
    AccessKeyId: accessKeyId = 'nobody',
    SecretAccessKey: secretAccessKey = '',
    SessionToken: sessionToken,
  } = assumed?.Credentials ?? {};
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  return new SQSClient({ ...aws.clientConfig(), credentials, maxAttempts: 1 });
}

/** Sends to every topic and queue over plain HTTP, which they must refuse. */
export async function comeOverPlainHttp({ aws }: Deployed): Promise<void> {
  const { sns, sqs } = aws.services;
  const insecure = { ...administrator(aws.place.account), context: { 'aws:SecureTransport': 'false' } };
  const topics = sns.topics().map(({ arn: TopicArn }) => {
    const publish = () => sns.call('Publish', insecure, { TopicArn, Message: 'x', ...groupFor(TopicArn) });
    return attempt(`plain HTTP to ${TopicArn}`, publish);
  });
  const queues = sqs.depths().map(({ arn, url }) => {
    return attempt(`plain HTTP to ${arn}`, () => sqs.call('GetQueueAttributes', insecure, { QueueUrl: url }));
  });
  await Promise.all([...topics, ...queues]);
}

/** What a message to a FIFO topic needs. */
function groupFor(topicArn: string): { readonly MessageGroupId?: string } {
  return topicArn.endsWith('.fifo') ? { MessageGroupId: 'customer-7' } : {};
}

/** Publishes to every topic: the administrator, and a service that acts for the owner of the account. */
function publishEverywhere({ aws }: Deployed, Message: string): Promise<readonly string[]> {
  const { sns } = aws.services;
  const service = {
    principal: { kind: 'service', service: 's3.amazonaws.com' },
    context: { 'aws:SourceOwner': aws.place.account, 'aws:SecureTransport': 'true' },
  } as const;
  const MessageAttributes = { 'order-status': { DataType: 'String', StringValue: 'confirmed' } };
  const attempts = sns.topics().flatMap(({ arn: TopicArn }) =>
    [sns.owner, service].map(caller => {
      const of = caller.principal.kind;
      const request = { TopicArn, Message: `${Message} of ${of}`, MessageAttributes, ...groupFor(TopicArn) };
      return attempt(`${of} publishes to ${TopicArn}`, () => sns.call('Publish', caller, request));
    }),
  );
  return Promise.all(attempts);
}

/** First every delivery succeeds, then every function fails on poison, and then no delivery succeeds. */
export async function useEverything(deployed: Deployed): Promise<void> {
  confirmEndpoints(deployed);
  for (const { endpoint } of deployed.aws.state().pendingSubscriptions) deployed.aws.confirmSubscription(endpoint);
  await publishEverywhere(deployed, 'order');
  await publishEverywhere(deployed, 'poison');
  await deployed.advance({ minutes: 10 });
  breakSubscribers(deployed);
  await publishEverywhere(deployed, 'late order');
  await deployed.advance({ hours: 1 });
}
