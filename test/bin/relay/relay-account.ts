import { CloudWatchClient, SetAlarmStateCommand } from '@aws-sdk/client-cloudwatch';
import {
  type EventSourceMappingConfiguration,
  LambdaClient,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { Duration, SecretValue, type Stack } from 'aws-cdk-lib';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Command } from 'commander';
import { relayCommand } from '../../../bin/relay/command';
import { run } from '../../../bin/run';
import { DurableTopic, HttpRelay, RelayEndpoint } from '../../../lib';
import { Deployed } from '../../support/deployed';
import { MemoryIo } from '../policy/memory-io';

export const PARTNER = 'partner.example.com';
export const BANK = 'bank.example.com';

/** The URL of the bank's endpoint: nobody may read it anywhere. */
export const SECRET_PATH = 'inbox-5f9a';

/** A relay with a breaker, of a topic, and one without, whose endpoint is a secret. */
export function twoRelays(stack: Stack): void {
  const partner = new HttpRelay(stack, 'Partner', {
    endpoint: RelayEndpoint.fromUrl(`https://${PARTNER}/orders?key=s3cret`),
    maximumConcurrency: 10,
    retryPolicy: { numRetries: 100, minDelayTarget: Duration.seconds(20), maxDelayTarget: Duration.seconds(20) },
    jitterPercent: 0,
  });
  new DurableTopic(stack, 'Orders').deliverToQueue('Partner', partner.queue);
  const secret = new Secret(stack, 'Url', {
    secretName: 'bank',
    secretObjectValue: { url: SecretValue.unsafePlainText(`https://${BANK}/${SECRET_PATH}`) },
  });
  new HttpRelay(stack, 'Bank', {
    endpoint: RelayEndpoint.fromSecret(secret, { field: 'url' }),
    circuitBreaker: { enabled: false },
  });
}

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

/** An account with relays, and an operator before it. */
export class RelayAccount {
  private constructor(
    readonly deployed: Deployed,
    private readonly url: string,
    readonly lambda: LambdaClient,
  ) {}

  static async of(fill: (stack: Stack) => void): Promise<RelayAccount> {
    const deployed = await Deployed.stack(fill);
    const { url } = await deployed.aws.listen();
    await deployed.advance({ minutes: 1 });
    return new RelayAccount(deployed, url, new LambdaClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 }));
  }

  /** Runs `dlo relay` with arguments split at spaces, against this account, as an administrator unless said otherwise. */
  async dlo(args: string, environment: NodeJS.ProcessEnv = {}) {
    const before = { ...process.env };
    Object.assign(process.env, KEYS, { AWS_REGION: 'us-east-1', AWS_MAX_ATTEMPTS: '1' }, environment);
    const io = new MemoryIo();
    const program = new Command('dlo').addCommand(relayCommand(io, () => this.deployed.aws.nowMs));
    try {
      const exitCode = await run(program, ['relay', ...args.split(' '), '--endpoint-url', this.url], io);
      return { exitCode, out: io.out, err: io.err };
    } finally {
      process.env = before;
    }
  }

  /** What `--json` prints, as data. */
  async json(args: string) {
    const { exitCode, out, err } = await this.dlo(`${args} --json`);
    expect([exitCode, err]).toEqual([0, '']);
    return JSON.parse(out);
  }

  /** The environment of somebody who is in a role. */
  async as(role: string): Promise<NodeJS.ProcessEnv> {
    const sts = new STSClient({ ...this.deployed.aws.clientConfig(), maxAttempts: 1 });
    const assumed = await sts.send(
      new AssumeRoleCommand({ RoleArn: this.deployed.arn(role), RoleSessionName: 'test' }),
    );
    const { AccessKeyId, SecretAccessKey, SessionToken } = assumed.Credentials ?? {};
    return {
      AWS_ACCESS_KEY_ID: AccessKeyId,
      AWS_SECRET_ACCESS_KEY: SecretAccessKey,
      AWS_SESSION_TOKEN: SessionToken,
    };
  }

  /** The name of a relay's function. */
  name(relay: string): string {
    return this.deployed.ref(`${relay}/Function`);
  }

  /** Sets an alarm off. */
  async fire(alarm: string): Promise<void> {
    const AlarmName = this.deployed.ref(alarm);
    const cloudWatch = new CloudWatchClient({ ...this.deployed.aws.clientConfig(), maxAttempts: 1 });
    await cloudWatch.send(new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason: 'a test' }));
  }

  /** Its mapping, as Lambda tells of it. */
  async mapping(relay: string): Promise<EventSourceMappingConfiguration> {
    const asked = new ListEventSourceMappingsCommand({ FunctionName: this.name(relay) });
    const { EventSourceMappings: [mapping] = [] } = await this.lambda.send(asked);
    if (!mapping) throw new Error(`${relay} has no mapping`);
    return mapping;
  }

  /** What is left of it that a switch changes. */
  async switched(relay: string) {
    await this.deployed.advance({ minutes: 1 });
    const { State, ScalingConfig } = await this.mapping(relay);
    return { State, MaximumConcurrency: ScalingConfig?.MaximumConcurrency };
  }

  /** Changes the mapping as the breaker, or somebody in the console, would, and waits until it is so. */
  async remap(
    relay: string,
    change: { readonly Enabled: boolean; readonly MaximumConcurrency: number },
  ): Promise<void> {
    const { UUID } = await this.mapping(relay);
    const { Enabled, MaximumConcurrency } = change;
    await this.lambda.send(
      new UpdateEventSourceMappingCommand({ UUID, Enabled, ScalingConfig: { MaximumConcurrency } }),
    );
    await this.deployed.advance({ minutes: 1 });
  }
}
