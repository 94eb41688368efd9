import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Command } from 'commander';
import type { RetryClock } from '../../account/connection/retries';
import { dlqCommand } from '../../bin/dlq/dlq-command';
import { doctorCommand } from '../../bin/doctor/doctor-command';
import { fleetCommand } from '../../bin/fleet/fleet-command';
import { redriveCommand } from '../../bin/redrive/redrive-command';
import { relayCommand } from '../../bin/relay/relay-command';
import { run } from '../../bin/shared/command-line';
import { Deployed } from '../support/deployed';
import { MemoryIo } from './shared/memory-io';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

/** Makes an id from any text. */
export const idOf = (text: string) => text.replace(/\W/g, '');

/** Adds a role with only these permissions. */
export function addRole(stack: Stack, id: string, actions: readonly string[]): void {
  const role = new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
  role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: ['*'] }));
}

/** Opens an account over the wire, with a stack that was deployed a minute ago. */
export async function openAccount(fill: (stack: Stack) => void): Promise<{ deployed: Deployed; url: string }> {
  const deployed = await Deployed.stack(fill);
  const { url } = await deployed.aws.listen();
  await deployed.advance({ minutes: 1 });
  return { deployed, url };
}

/** An account, and an operator who uses one command of `dlo`. */
export class OperatedAccount {
  constructor(
    readonly deployed: Deployed,
    readonly url: string,
    private readonly command: 'relay' | 'redrive' | 'dlq' | 'doctor' | 'fleet',
  ) {}

  /** The options for the account that `dlo` gets, and that it prints in suggested commands. */
  get site(): string {
    return `--endpoint-url ${this.url}`;
  }

  /** The time that retries go by. @default - the machine's */
  protected readonly retryClock: RetryClock | undefined;

  /** How far the clock of the operator's machine is ahead of AWS's. */
  protected clockAheadMs = 0;

  /**
   * Runs the command with arguments split at spaces, against this account, as an administrator unless said otherwise.
   * @param io the files that the command reads, and the user who interrupts or answers it
   */
  async dlo(args: string, environment: NodeJS.ProcessEnv = {}, io = new MemoryIo()) {
    return this.typed([this.command, ...args.split(' '), ...this.site.split(' ')], environment, io);
  }

  /**
   * Runs `dlo` with these words. The environment of this process says where AWS is, so only one command can run at a
   * time.
   * @param io the files that the command reads, and the user who interrupts or answers it
   */
  async typed(words: readonly string[], environment: NodeJS.ProcessEnv = {}, io = new MemoryIo()) {
    const before = { ...process.env };
    const said = { out: io.out.length, err: io.err.length };
    const usual = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: this.url, AWS_MAX_ATTEMPTS: '1' };
    Object.assign(process.env, KEYS, usual, environment);
    const nowMs = () => this.deployed.aws.nowMs + this.clockAheadMs;
    const wait = async (milliseconds: number) => void (await this.deployed.advance({ seconds: milliseconds / 1_000 }));
    const retries = this.retryClock && { retryClock: this.retryClock };
    const program = new Command('dlo')
      .addCommand(relayCommand({ io, nowMs }))
      .addCommand(redriveCommand({ io, nowMs }))
      .addCommand(fleetCommand({ io, nowMs, pollSeconds: 0 }))
      .addCommand(dlqCommand({ io, nowMs, wait, pollSeconds: 0, ...retries }))
      .addCommand(doctorCommand({ io, nowMs, wait, ...retries }));
    try {
      const exitCode = await run(program, words, io);
      return { exitCode, out: io.out.slice(said.out), err: io.err.slice(said.err) };
    } finally {
      process.env = before;
    }
  }

  /** Runs the command with `--json`, and returns the parsed output. */
  async json(args: string) {
    const { exitCode, out, err } = await this.dlo(`${args} --json`);
    expect([exitCode, err]).toEqual([0, '']);
    return JSON.parse(out);
  }

  private auditLogGroups = 0;

  /** Runs the command with an audit log group. Returns what it printed too, and the records. */
  async recorded(args: string) {
    this.auditLogGroups += 1;
    const logGroupName = `audit-${this.auditLogGroups}`;
    const logs = new CloudWatchLogsClient(this.deployed.aws.clientConfig());
    await logs.send(new CreateLogGroupCommand({ logGroupName }));
    const came = await this.dlo(`${args} --audit-log-group ${logGroupName}`);
    return { ...came, records: this.deployed.log(logGroupName).map(record => JSON.parse(record)) };
  }

  /** Returns the environment of a user who has assumed the role. */
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

  /** The name of a function of ours, by the construct that has it. */
  name(construct: string): string {
    return this.deployed.ref(`${construct}/Function`);
  }
}
