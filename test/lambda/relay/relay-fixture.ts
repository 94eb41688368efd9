import path from 'node:path';
import { LambdaClient, UpdateEventSourceMappingCommand } from '@aws-sdk/client-lambda';
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { StartMessageMoveTaskCommand } from '@aws-sdk/client-sqs';
import { Duration, SecretValue, type Stack } from 'aws-cdk-lib';
import { Code, EventSourceMapping, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { LocalAwsOptions, OutsideEndpoint, ReceivedRequest } from '../../../local';
import type { RetryPolicy } from '../../../policy/delivery-policy/delivery-policy';
import { DEFAULT_DEAD_STATUSES } from '../../../policy/relay/attempt-verdict';
import { RELAY_SETTINGS_VARIABLE, type RelaySettings } from '../../../policy/relay/relay-settings';
import { withOptions } from '../../support/assembly';
import { Deployed } from '../../support/deployed';

export const BUNDLE = path.resolve(__dirname, '../../../dist/lambda/relay');

const HOST = 'partner.example.com';

/** Three retries, 10, 20 and 40 seconds after the failure before them. */
export const POLICY: RetryPolicy = {
  minDelayTarget: 10,
  maxDelayTarget: 40,
  numRetries: 3,
  numMaxDelayRetries: 0,
  numNoDelayRetries: 0,
  numMinDelayRetries: 0,
  backoffFunction: 'geometric',
};

/** One attempt and no more. */
export const NO_RETRIES: RetryPolicy = { ...POLICY, numRetries: 0 };

export type SecretRole = 'endpoint' | 'headers' | 'signing' | 'client';

const TOKEN_HOST = 'auth.example.com';

/** The settings that do not follow from the resources. */
export type RelayOptions = Omit<
  Partial<RelaySettings>,
  'queueUrl' | 'deadLetterQueueUrl' | 'endpoint' | 'authorization'
> & {
  readonly url?: string;
  /** Secrets by their role, with their first value. */
  readonly secrets?: Readonly<Partial<Record<SecretRole, string>>>;
  readonly endpointField?: string;
  /** The minimum time between two requests of one invocation. */
  readonly paceMs?: number;
  readonly functionTimeoutSeconds?: number;
  readonly batchSize?: number;
  /** The batching window. @default - none */
  readonly windowSeconds?: number;
  readonly maxConcurrency?: number;
  readonly maxReceiveCount?: number;
  readonly visibilitySeconds?: number;
  /** Leaves the mapping disabled, for tests that create their own events. */
  readonly disabled?: boolean;
};

/** The default settings of a relay. */
export const SETTINGS = {
  fifo: false,
  retryPolicy: POLICY,
  jitterPercent: 0,
  retryAfterCapSeconds: 3_600,
  maxDelaySeconds: 43_000,
  connectTimeoutMs: 5_000,
  totalTimeoutMs: 15_000,
  contentType: 'text/plain; charset=UTF-8',
  rawMessageDelivery: false,
  headers: {},
  allowedPrivateRanges: [],
  deadStatuses: DEFAULT_DEAD_STATUSES,
} as const satisfies Partial<RelaySettings>;

function settingsIn(options: RelayOptions): Partial<RelaySettings> {
  const {
    url: _url,
    secrets: _secrets,
    endpointField: _endpointField,
    functionTimeoutSeconds: _functionTimeoutSeconds,
    batchSize: _batchSize,
    windowSeconds: _windowSeconds,
    maxConcurrency: _maxConcurrency,
    maxReceiveCount: _maxReceiveCount,
    visibilitySeconds: _visibilitySeconds,
    disabled: _disabled,
    paceMs = 0,
    ...settings
  } = options;
  const pace = paceMs > 0 ? { maxReceivesPerSecond: 1_000 / paceMs, maximumConcurrency: 1 } : {};
  return { ...SETTINGS, ...settings, ...pace };
}

function endpointOf(secret: Secret | undefined, { url = `https://${HOST}/orders`, endpointField }: RelayOptions) {
  if (!secret) return { url };
  return { secretArn: secret.secretArn, ...(endpointField !== undefined && { field: endpointField }) };
}

interface Queues {
  readonly queue: Queue;
  readonly deadLetters: Queue;
}

function addQueues(stack: Stack, options: RelayOptions): Queues {
  const { fifo = false, functionTimeoutSeconds = 60, maxReceiveCount = 1_000, visibilitySeconds } = options;
  const fifoProps = fifo ? { fifo } : {};
  const deadLetters = new Queue(stack, 'Dead', { ...fifoProps, retentionPeriod: Duration.days(14) });
  const queue = new Queue(stack, 'Queue', {
    ...fifoProps,
    visibilityTimeout: Duration.seconds(visibilitySeconds ?? 6 * functionTimeoutSeconds),
    retentionPeriod: Duration.days(10),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount },
  });
  new Topic(stack, 'Topic', fifoProps).addSubscription(new SqsSubscription(queue));
  return { queue, deadLetters };
}

function addFunction(stack: Stack, { queue, deadLetters }: Queues, options: RelayOptions): LambdaFunction {
  const { secrets = {}, functionTimeoutSeconds = 60 } = options;
  const secretOf = (id: SecretRole) => {
    const text = secrets[id];
    if (text === undefined) return undefined;
    return new Secret(stack, id, { secretStringValue: SecretValue.unsafePlainText(text) });
  };
  const [endpoint, headers, signing] = [secretOf('endpoint'), secretOf('headers'), secretOf('signing')];
  const client = secretOf('client');
  const authorization = { tokenUrl: `https://${TOKEN_HOST}/token`, credentialsSecretArn: client?.secretArn };
  const settings = {
    ...settingsIn(options),
    queueUrl: queue.queueUrl,
    deadLetterQueueUrl: deadLetters.queueUrl,
    endpoint: endpointOf(endpoint, options),
    ...(headers && { headersSecretArn: headers.secretArn }),
    ...(signing && { signingSecretArn: signing.secretArn }),
    ...(client && { authorization }),
  };
  const handler = new LambdaFunction(stack, 'Function', {
    runtime: Runtime.NODEJS_22_X,
    handler: 'index.handler',
    code: Code.fromAsset(BUNDLE),
    timeout: Duration.seconds(functionTimeoutSeconds),
    environment: { [RELAY_SETTINGS_VARIABLE]: stack.toJsonString(settings) },
  });
  deadLetters.grantSendMessages(handler);
  queue.grantConsumeMessages(handler);
  for (const secret of [endpoint, headers, signing, client]) secret?.grantRead(handler);
  return handler;
}

function relayStack(stack: Stack, options: RelayOptions): void {
  const queues = addQueues(stack, options);
  const { windowSeconds, maxConcurrency, batchSize = options.fifo ? 1 : 10, disabled = false } = options;
  new EventSourceMapping(stack, 'Mapping', {
    target: addFunction(stack, queues, options),
    eventSourceArn: queues.queue.queueArn,
    batchSize,
    enabled: !disabled,
    reportBatchItemFailures: true,
    ...(windowSeconds !== undefined && { maxBatchingWindow: Duration.seconds(windowSeconds) }),
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  });
}

const stackOf = withOptions(relayStack);

/** The log record of an attempt. */
export interface LoggedAttempt {
  readonly status: string;
  readonly notification: Readonly<Record<string, unknown>>;
  readonly delivery: Readonly<Record<string, unknown>>;
  readonly relay: Readonly<Record<string, unknown>>;
}

/** A log line that is neither the record of an attempt nor a metric. */
export interface LoggedLine {
  readonly level: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** The released relay bundle, behind a queue that is subscribed to a topic, in the embedded AWS. */
export class DeployedRelay {
  private constructor(
    readonly deployed: Deployed,
    private readonly options: RelayOptions,
  ) {}

  static async deploy(options: RelayOptions = {}, local: LocalAwsOptions = {}): Promise<DeployedRelay> {
    return new DeployedRelay(await Deployed.stack(stackOf(options), local), options);
  }

  get host(): OutsideEndpoint {
    return this.deployed.aws.endpoint(HOST);
  }

  /** The host of the token endpoint, if there is a secret of the client. */
  get tokenHost(): OutsideEndpoint {
    return this.deployed.aws.endpoint(TOKEN_HOST);
  }

  get requests(): readonly ReceivedRequest[] {
    return this.host.requests;
  }

  /** When the endpoint received requests, in seconds since the start of the simulation. */
  get askedAt(): readonly number[] {
    return this.requests.map(({ atMs }) => this.deployed.secondsAt(atMs));
  }

  /** Seconds between consecutive requests. */
  get delays(): readonly number[] {
    return this.askedAt.slice(1).map((at, index) => at - (this.askedAt[index] ?? 0));
  }

  get bodies(): readonly string[] {
    return this.requests.map(({ body }) => Buffer.from(body).toString('utf8'));
  }

  /** Publishes a message, in a group if the topic is FIFO. Returns SNS's id. */
  publish(message: string, group = 'g'): Promise<string> {
    const fifo = { MessageGroupId: group, MessageDeduplicationId: message };
    return this.deployed.publish('Topic', message, this.options.fifo ? fifo : {});
  }

  /** Waits until nothing more is due. */
  async settle(): Promise<void> {
    await this.deployed.aws.runUntilIdle();
  }

  /** Receives the messages of the dead-letter queue, with their attribute values by name. */
  async deadLetters() {
    const messages = await this.deployed.receive('Dead');
    return messages.map(({ Body = '', MessageAttributes = {}, Attributes = {} }) => ({
      body: Body,
      system: Attributes,
      attributes: Object.fromEntries(
        Object.entries(MessageAttributes).map(([name, { StringValue, BinaryValue }]) => [
          name,
          StringValue ?? BinaryValue,
        ]),
      ),
    }));
  }

  /** The number of messages in the relay's queue, visible or not. */
  get queued(): number {
    const queue = this.deployed.aws.state().queues.find(({ name }) => name === this.deployed.name('Queue'));
    if (!queue) throw new Error('the relay has no queue');
    return queue.visible + queue.inFlight + queue.delayed;
  }

  /** Enables the mapping again. */
  enable(): Promise<void> {
    return this.setEnabled(true);
  }

  disable(): Promise<void> {
    return this.setEnabled(false);
  }

  private async setEnabled(Enabled: boolean): Promise<void> {
    const client = new LambdaClient(this.deployed.aws.clientConfig());
    await client.send(new UpdateEventSourceMappingCommand({ UUID: this.deployed.ref('Mapping'), Enabled }));
  }

  /** Moves the dead letters back to their source. */
  async moveBack(): Promise<void> {
    const task = new StartMessageMoveTaskCommand({
      SourceArn: this.deployed.arn('Dead'),
      DestinationArn: this.deployed.arn('Queue'),
    });
    await this.deployed.sqs.send(task);
  }

  /** All that the function printed. */
  get log(): readonly string[] {
    return this.deployed.log(`/aws/lambda/${this.deployed.ref('Function')}`);
  }

  get attempts(): readonly LoggedAttempt[] {
    return this.jsonLines.filter((line): line is LoggedAttempt => 'notification' in line);
  }

  get lines(): readonly LoggedLine[] {
    return this.jsonLines.filter((line): line is LoggedLine => 'level' in line);
  }

  private get jsonLines(): readonly object[] {
    return this.log.filter(text => text.startsWith('{')).map((text): object => JSON.parse(text));
  }

  metric(name: string): Promise<number> {
    return this.deployed.sum('DeadLetterOffice/Relay', name, { FunctionName: this.deployed.ref('Function') });
  }

  async setSecret(role: SecretRole, text: string): Promise<void> {
    const client = new SecretsManagerClient(this.deployed.aws.clientConfig());
    await client.send(new PutSecretValueCommand({ SecretId: this.deployed.ref(role), SecretString: text }));
  }
}
