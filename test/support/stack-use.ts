import { SQSClient } from '@aws-sdk/client-sqs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { LocalAws, type TimeSpan, type TracedAwsEvent } from '../../local';
import { timeSpanMs } from '../../local/facade/options';
import { administrator } from '../../local/kernel/caller';
import { Deployed } from './deployed';
import { breakSubscribers, confirmEndpoints } from './subscribers';

/** What a user of a stack saw: each line, and how often. */
export type Outcome = ReadonlyMap<string, number>;

/** Uses a stack as people and systems do. Returns what they saw, in addition to the trace. */
export type Use = (deployed: Deployed) => Promise<readonly string[]>;

/** Members that differ between any two runs, and reasons: a reason names policies, and those are changed here. */
const NOT_COMPARED =
  /^(seq|atMs|messageId|messageIds|failedMessageIds|requestId|durationMs|environment|coldStart|sizeBytes|bytes|reason|deadLetterFailure)$/;

/** A role or a policy has no observable effect by itself. */
const NO_CONSEQUENCE = /^(iam|kms)\.(?!refused)/;

function lineOf(happening: TracedAwsEvent): string {
  return JSON.stringify(happening, (name, value) => (NOT_COMPARED.test(name) ? undefined : value));
}

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

/** How many events each log group has, and how many messages each recipient received. */
function written({ aws }: Deployed): readonly string[] {
  const { logs, sns } = aws.services;
  return [
    ...logs.groupNames.map(group => `${logs.events(group).length} records in ${group}`),
    ...sns.recipients.receipts().map(({ endpoint }) => `something reached ${endpoint}`),
  ];
}

/** Ends a run whose result already differs: the rest cannot make it the same again. */
class Differs extends Error {}

/** Counts lines, and detects at once that a line comes more often than usual. */
class Counts {
  private readonly counts = new Map<string, number>();
  private differs = false;

  /** @param usual the usual counts; without it, no count is too high */
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

/** How far time advances between two comparisons with the usual counts. */
const STEP_MS = 60_000;

/** A deployed stack whose events are all counted. */
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
    aws = await LocalAws.deploy(assembly, { standIns: 'warn' });
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

/** Deploys an assembly, uses it, and returns what was seen. The result is always the same for the same assembly. */
export async function outcomeOf(assembly: string, uses: readonly Use[]): Promise<Outcome> {
  const counts = new Counts();
  await see(assembly, uses, counts);
  return counts.outcome;
}

/** Whether an assembly, used in the same way, has the same result. Stops at the first difference. */
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
