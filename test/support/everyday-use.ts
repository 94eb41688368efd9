import { SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { LocalAws, TracedHappening } from '../../local';
import { administrator } from '../../local/kernel/caller';
import { Deployed } from './deployed';
import { breakSubscribers, confirmEndpoints } from './subscribers';

/** What somebody saw who used a stack: each line, and how often. */
export type Outcome = ReadonlyMap<string, number>;

/** What people and systems do with a stack; answers what they saw beside what the trace tells. */
export type Use = (deployed: Deployed) => Promise<readonly string[]>;

/** What differs between any two runs, or only says why: a reason names policies, which are what is changed here. */
const NOT_COMPARED =
  /^(seq|atMs|messageId|messageIds|failedMessageIds|requestId|durationMs|environment|coldStart|sizeBytes|bytes|reason|redriveFailure)$/;

/** That there is a role, or a policy, is no use to anybody. */
const NO_CONSEQUENCE = /^(iam|kms)\.(?!refused)/;

function lineOf(happening: TracedHappening): string {
  return JSON.stringify(happening, (name, value) => (NOT_COMPARED.test(name) ? undefined : value));
}

/** What an attempt comes to, as a line. */
export async function attempt(what: string, act: () => unknown): Promise<string> {
  try {
    await act();
    return `${what}: done`;
  } catch (error) {
    return `${what}: ${error instanceof Error ? error.name : String(error)}`;
  }
}

/** A client of whoever has assumed a role; of nobody, where the role lets nobody in. */
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

/** Comes over plain HTTP to every topic and queue, which must refuse whoever does. */
export async function comeOverPlainHttp({ aws }: Deployed): Promise<readonly string[]> {
  const { sns, sqs } = aws.services;
  const insecure = { ...administrator(aws.place.account), context: { 'aws:SecureTransport': 'false' } };
  const topics = sns.topics().map(({ arn: TopicArn }) => {
    const publish = () => sns.call('Publish', insecure, { TopicArn, Message: 'x', ...groupFor(TopicArn) });
    return attempt(`plain HTTP to ${TopicArn}`, publish);
  });
  const queues = sqs.depths().map(({ arn, url }) => {
    return attempt(`plain HTTP to ${arn}`, () => sqs.call('GetQueueAttributes', insecure, { QueueUrl: url }));
  });
  return Promise.all([...topics, ...queues]);
}

/** What a message to a FIFO topic must say. */
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

/** Lets everything be delivered, every function fail on what is poison, and then nothing be delivered any more. */
export async function useEverything(deployed: Deployed): Promise<readonly string[]> {
  confirmEndpoints(deployed);
  for (const { endpoint } of deployed.aws.state().pendingSubscriptions) deployed.aws.confirmSubscription(endpoint);
  const published = [...(await publishEverywhere(deployed, 'order')), ...(await publishEverywhere(deployed, 'poison'))];
  await deployed.advance({ minutes: 10 });
  breakSubscribers(deployed);
  published.push(...(await publishEverywhere(deployed, 'late order')));
  await deployed.advance({ hours: 1 });
  return published;
}

/** How much each log group has got, and how much reached whom. */
function written({ aws }: Deployed): readonly string[] {
  const { logs, sns } = aws.services;
  return [
    ...logs.groupNames.map(group => `${logs.events(group).length} records in ${group}`),
    ...sns.recipients.receipts().map(({ endpoint }) => `something reached ${endpoint}`),
  ];
}

function counted(lines: readonly string[]): Outcome {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

/** Deploys an assembly, uses it, and says what came of it: every time the same, unless the assembly is another. */
export async function outcomeOf(assembly: string, uses: readonly Use[]): Promise<Outcome> {
  let deployed: Deployed;
  try {
    deployed = await Deployed.assembly(assembly);
  } catch (error) {
    return counted([`it cannot be deployed: ${error}`]);
  }
  const seen: string[] = [];
  for (const use of uses) seen.push(...(await use(deployed)));
  const told = deployed.aws.trace.happenings.filter(({ type }) => !NO_CONSEQUENCE.test(type)).map(lineOf);
  const outcome = counted([...told, ...seen, ...written(deployed)]);
  await deployed.aws.close();
  return outcome;
}

/** Whether two uses came to the same. */
export function isSame(one: Outcome, other: Outcome): boolean {
  return one.size === other.size && [...one].every(([line, count]) => other.get(line) === count);
}
