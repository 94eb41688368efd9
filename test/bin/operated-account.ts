import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import type { Stack } from 'aws-cdk-lib';
import { AccountRootPrincipal, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { Command } from 'commander';
import { dlqCommand } from '../../bin/dlq/command';
import { doctorCommand } from '../../bin/doctor/command';
import { redriveCommand } from '../../bin/redrive/command';
import { relayCommand } from '../../bin/relay/command';
import { run } from '../../bin/shared/command-line';
import { Deployed } from '../support/deployed';
import { MemoryIo } from './shared/memory-io';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

/** An id that is made of any text. */
export const idOf = (text: string) => text.replace(/\W/g, '');

/** A role that may do this and nothing else. */
export function addRole(stack: Stack, id: string, actions: readonly string[]): void {
  const role = new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
  role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: ['*'] }));
}

/** An account with a stack in it, deployed a minute ago, that answers over the wire. */
export async function openAccount(fill: (stack: Stack) => void): Promise<{ deployed: Deployed; url: string }> {
  const deployed = await Deployed.stack(fill);
  const { url } = await deployed.aws.listen();
  await deployed.advance({ minutes: 1 });
  return { deployed, url };
}

/** An account, and an operator before it who has one command of `dlo`. */
export class OperatedAccount {
  constructor(
    readonly deployed: Deployed,
    protected readonly url: string,
    private readonly command: 'relay' | 'redrive' | 'dlq' | 'doctor',
  ) {}

  /** Where it is, as `dlo` is told, and as it tells in what it prints to be typed. */
  get site(): string {
    return `--endpoint-url ${this.url}`;
  }

  /** By how much the clock of the operator's machine is ahead of AWS's. */
  protected clockAheadMs = 0;

  /**
   * Runs the command with arguments split at spaces, against this account, as an administrator unless said otherwise.
   * @param io with what a command reads, and who interrupts it or answers
   */
  async dlo(args: string, environment: NodeJS.ProcessEnv = {}, io = new MemoryIo()) {
    return this.typed([this.command, ...args.split(' '), ...this.site.split(' ')], environment, io);
  }

  /**
   * Runs what somebody types behind `dlo`, word by word. Where AWS is, the environment says, which is that of the process: one
   * command at a time.
   * @param io with what a command reads, and who interrupts it or answers
   */
  async typed(words: readonly string[], environment: NodeJS.ProcessEnv = {}, io = new MemoryIo()) {
    const before = { ...process.env };
    const said = { out: io.out.length, err: io.err.length };
    const usual = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: this.url, AWS_MAX_ATTEMPTS: '1' };
    Object.assign(process.env, KEYS, usual, environment);
    const nowMs = () => this.deployed.aws.nowMs + this.clockAheadMs;
    const wait = async (milliseconds: number) => void (await this.deployed.advance({ seconds: milliseconds / 1_000 }));
    const program = new Command('dlo')
      .addCommand(relayCommand(io, nowMs))
      .addCommand(redriveCommand(io, nowMs))
      .addCommand(dlqCommand({ io, nowMs, wait, pollSeconds: 0 }))
      .addCommand(doctorCommand({ io, nowMs, wait }));
    try {
      const exitCode = await run(program, words, io);
      return { exitCode, out: io.out.slice(said.out), err: io.err.slice(said.err) };
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

  /** The name of a function of ours, by the construct that has it. */
  name(construct: string): string {
    return this.deployed.ref(`${construct}/Function`);
  }
}
