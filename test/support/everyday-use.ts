import { SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { LocalAws, type TimeSpan, type TracedAwsEvent } from '../../local';
import { timeSpanMs } from '../../local/facade/options';
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

function lineOf(happening: TracedAwsEvent): string {
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

/** Ends a run that came to something else already: what follows cannot make it the same again. */
class Differs extends Error {}

/** Counts what is seen, and knows at once when a line comes more often than it usually does. */
class Counts {
  private readonly counts = new Map<string, number>();
  private differs = false;

  /** @param usual nothing is too much where it is not given */
  constructor(private readonly usual?: Outcome) {}

  see(line: string): void {
    const count = (this.counts.get(line) ?? 0) + 1;
    this.counts.set(line, count);
    if (this.usual && count > (this.usual.get(line) ?? 0)) this.differs = true;
  }

  seeHappening(happening: TracedAwsEvent): void {
    if (!NO_CONSEQUENCE.test(happening.type)) this.see(lineOf(happening));
  }

  /** @throws Differs */
  check(): void {
    if (this.differs) throw new Differs();
  }

  get outcome(): Outcome {
    return this.counts;
  }
}

/** How far time goes before somebody looks whether all is as usual. */
const STEP_MS = 60_000;

/** A deployed stack of which everything that happens is counted. */
class Watched extends Deployed {
  constructor(
    aws: LocalAws,
    private readonly counts: Counts,
  ) {
    super(aws);
    for (const happening of aws.trace.events) counts.seeHappening(happening);
    aws.trace.follow(happening => counts.seeHappening(happening));
  }

  override async advance(stretch: TimeSpan): Promise<number> {
    let work = 0;
    for (let leftMs = timeSpanMs(stretch); leftMs > 0; leftMs -= STEP_MS) {
      this.counts.check();
      work += await super.advance({ seconds: Math.min(leftMs, STEP_MS) / 1_000 });
    }
    this.counts.check();
    return work;
  }
}

async function seeAll(deployed: Deployed, uses: readonly Use[], counts: Counts): Promise<void> {
  counts.check();
  for (const use of uses) for (const line of await use(deployed)) counts.see(line);
  for (const line of written(deployed)) counts.see(line);
}

async function see(assembly: string, uses: readonly Use[], counts: Counts): Promise<void> {
  let aws: LocalAws;
  try {
    aws = await LocalAws.deploy(assembly);
  } catch (error) {
    return counts.see(`it cannot be deployed: ${error}`);
  }
  const deployed = new Watched(aws, counts);
  try {
    await seeAll(deployed, uses, counts);
  } finally {
    await deployed.close();
  }
}

/** Deploys an assembly, uses it, and says what came of it: every time the same, unless the assembly is another. */
export async function outcomeOf(assembly: string, uses: readonly Use[]): Promise<Outcome> {
  const counts = new Counts();
  await see(assembly, uses, counts);
  return counts.outcome;
}

/** Whether an assembly, used in the same way, comes to the same; it is used no further than to the first difference. */
export async function comesTo(usual: Outcome, assembly: string, uses: readonly Use[]): Promise<boolean> {
  const counts = new Counts(usual);
  try {
    await see(assembly, uses, counts);
  } catch (error) {
    if (error instanceof Differs) return false;
    throw error;
  }
  const { outcome } = counts;
  return usual.size === outcome.size && [...usual].every(([line, count]) => outcome.get(line) === count);
}
