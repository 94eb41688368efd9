import { setTimeout as waitMs } from 'node:timers/promises';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { IAMClient } from '@aws-sdk/client-iam';
import { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SchedulerClient } from '@aws-sdk/client-scheduler';
import { CreateTopicCommand, DeleteTopicCommand, SNSClient, SubscribeCommand } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  type QueueAttributeName,
  QueueDoesNotExist,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { STSClient } from '@aws-sdk/client-sts';
import { LocalAws } from '../../local';

/**
 * Where the suite runs: an embedded AWS behind a port, or, with `DLO_CONFORMANCE=aws`, the account and Region of the usual
 * credentials. On an account, time is real, and rows that need virtual time, faults or scripted hosts are skipped.
 */
export const ON_AWS = process.env.DLO_CONFORMANCE === 'aws';

/** A row of one of the tables in aws-semantics: its section and what AWS does. Works on both targets. */
export const row = test;

/** A row that would take too long on a real account, or that needs virtual time, faults or scripted hosts. */
export const embeddedRow = ON_AWS ? test.skip : test;

/** The Region of rows that need a second one. */
export const OTHER_REGION = process.env.DLO_CONFORMANCE_REGION ?? 'eu-west-1';

/** On a real account, rows with a second account need its profile of `~/.aws/config`. */
const OTHER_PROFILE = process.env.DLO_CONFORMANCE_OTHER_PROFILE;

/** The second account of the embedded AWS. */
const OTHER_ACCOUNT = '222222222222';

/** A row that needs a second account. */
export const accountsRow = ON_AWS && OTHER_PROFILE === undefined ? test.skip : test;

/** What a real account takes, with its waits. */
if (ON_AWS) jest.setTimeout(300_000);

/** The real SDK's clients, over a real socket, and how time passes. */
export class Target {
  private local: LocalAws | undefined;
  private base = '';
  private made = 0;
  private readonly gone: (() => Promise<unknown>)[] = [];
  private settings: ClientSettings = {};
  private clients: Clients | undefined;
  private readonly others: Client[] = [];

  /** Call it in `describe`: it opens the target before the tests there and cleans up after them. */
  constructor() {
    beforeAll(() => this.open());
    afterAll(() => this.close());
  }

  get sqs(): SQSClient {
    return this.all.sqs;
  }

  get sns(): SNSClient {
    return this.all.sns;
  }

  get iam(): IAMClient {
    return this.all.iam;
  }

  get kms(): KMSClient {
    return this.all.kms;
  }

  get lambda(): LambdaClient {
    return this.all.lambda;
  }

  get cloudWatch(): CloudWatchClient {
    return this.all.cloudWatch;
  }

  get logs(): CloudWatchLogsClient {
    return this.all.logs;
  }

  get events(): EventBridgeClient {
    return this.all.events;
  }

  get scheduler(): SchedulerClient {
    return this.all.scheduler;
  }

  /** Lets time pass: at once in the embedded AWS, and for as long as it takes in an account. */
  async pass(seconds: number): Promise<void> {
    if (ON_AWS) await waitMs(seconds * 1_000);
    else await this.control('POST', 'advance', { seconds });
  }

  /** The embedded AWS itself, for a row that would take thousands of calls to prepare. There is none on a real account. */
  get embedded(): LocalAws {
    if (!this.local) throw new Error('a row that prepares the embedded AWS is an embeddedRow');
    return this.local;
  }

  /** The control HTTP of the embedded AWS, as a test in any language would use it. */
  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const request = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await fetch(`${this.base}/_dlo/${path}`, request);
    if (!answer.ok) throw new Error(`${method} /_dlo/${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  }

  /** Requests a URL of AWS: from AWS, or from the port of the embedded AWS, which serves all of AWS's hosts. */
  visit(url: string): Promise<Response> {
    if (ON_AWS) return fetch(url);
    const { pathname, search } = new URL(url);
    return fetch(`${this.base}${pathname}${search}`);
  }

  /** Returns a name that is unique in this run. */
  name(what: string): string {
    this.made += 1;
    return `dlo-conformance-${process.pid}-${this.made}-${what}`;
  }

  /** Creates a queue, and deletes it at the end. Returns its URL. */
  async queue(attributes: Partial<Record<QueueAttributeName, string>> = {}): Promise<string> {
    const name = this.name(attributes.FifoQueue === 'true' ? 'queue.fifo' : 'queue');
    const { QueueUrl = '' } = await this.sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: attributes }));
    this.gone.push(() => this.deleteQueue(QueueUrl));
    return QueueUrl;
  }

  async queueArn(QueueUrl: string): Promise<string> {
    const asked = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] });
    return (await this.sqs.send(asked)).Attributes?.QueueArn ?? '';
  }

  /** Creates a topic, and deletes it at the end. Returns its ARN. */
  async topic(attributes: Readonly<Record<string, string>> = {}): Promise<string> {
    const name = this.name(attributes['FifoTopic'] === 'true' ? 'topic.fifo' : 'topic');
    const { TopicArn = '' } = await this.sns.send(new CreateTopicCommand({ Name: name, Attributes: attributes }));
    this.gone.push(() => this.sns.send(new DeleteTopicCommand({ TopicArn })));
    return TopicArn;
  }

  /** Creates a queue that topics may send to, and subscribes it. Returns the queue's URL and the subscription's ARN. */
  async subscribedQueue(
    TopicArn: string,
    { queue = {}, subscription = {} }: SubscribedQueueOptions = {},
  ): Promise<{ readonly queueUrl: string; readonly subscriptionArn: string }> {
    const queueUrl = await this.queue({ ...queue, Policy: OPEN_TO_TOPICS });
    const { SubscriptionArn = '' } = await this.sns.send(
      new SubscribeCommand({
        TopicArn,
        Protocol: 'sqs',
        Endpoint: await this.queueArn(queueUrl),
        Attributes: subscription,
        ReturnSubscriptionArn: true,
      }),
    );
    return { queueUrl, subscriptionArn: SubscriptionArn };
  }

  /** Registers what must be undone at the end, on a real account. */
  afterwards(undo: () => Promise<unknown>): void {
    this.gone.push(undo);
  }

  /** Returns clients of another Region, or of the second account in it. */
  elsewhere({ region, isOtherAccount = false }: Elsewhere): Clients {
    const credentials = { accessKeyId: OTHER_ACCOUNT, secretAccessKey: 'secret' };
    const other = ON_AWS ? { ...(OTHER_PROFILE !== undefined && { profile: OTHER_PROFILE }) } : { credentials };
    const clients = clientsWith({
      ...this.settings,
      ...(region !== undefined && { region }),
      ...(isOtherAccount && other),
    });
    this.others.push(...Object.values(clients));
    return clients;
  }

  /** Returns any other client of the SDK, or one with other credentials. */
  client<C extends Client>(make: (settings: ClientSettings) => C): C {
    const client = make(this.settings);
    this.others.push(client);
    return client;
  }

  /** A row may have deleted the queue itself. */
  private async deleteQueue(QueueUrl: string): Promise<void> {
    try {
      await this.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    } catch (error) {
      if (!(error instanceof QueueDoesNotExist)) throw error;
    }
  }

  private async open(): Promise<void> {
    if (ON_AWS) {
      this.clients = clientsWith(this.settings);
      return;
    }
    this.local = LocalAws.start({ seed: 1, places: [{ account: OTHER_ACCOUNT, region: OTHER_REGION }] });
    this.base = (await this.local.listen({ port: 0 })).url;
    const credentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
    this.settings = { endpoint: this.base, region: 'us-east-1', credentials, maxAttempts: 1 };
    this.clients = clientsWith(this.settings);
  }

  private async close(): Promise<void> {
    if (ON_AWS) for (const undo of this.gone.reverse()) await undo();
    for (const client of [...Object.values(this.clients ?? {}), ...this.others]) client.destroy();
    await this.local?.close();
  }

  private get all(): Clients {
    if (!this.clients) throw new Error('the target opens before the tests of its describe');
    return this.clients;
  }
}

interface SubscribedQueueOptions {
  readonly queue?: Partial<Record<QueueAttributeName, string>>;
  readonly subscription?: Readonly<Record<string, string>>;
}

/** The policy of a queue that any topic may send to. */
export const OPEN_TO_TOPICS = JSON.stringify({
  Version: '2012-10-17',
  Statement: { Effect: 'Allow', Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: '*' },
});

/** What every client of the SDK takes. */
export interface ClientSettings {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly maxAttempts?: number;
  readonly profile?: string;
}

/** Another place than that of the target's own clients. */
interface Elsewhere {
  /** @default - that of the target */
  readonly region?: string;
  /** @default false */
  readonly isOtherAccount?: boolean;
}

interface Client {
  destroy(): void;
}

export type Clients = ReturnType<typeof clientsWith>;

function clientsWith(settings: ClientSettings) {
  return {
    sqs: new SQSClient(settings),
    sns: new SNSClient(settings),
    iam: new IAMClient(settings),
    kms: new KMSClient(settings),
    lambda: new LambdaClient(settings),
    cloudWatch: new CloudWatchClient(settings),
    logs: new CloudWatchLogsClient(settings),
    events: new EventBridgeClient(settings),
    scheduler: new SchedulerClient(settings),
    sts: new STSClient(settings),
  };
}
