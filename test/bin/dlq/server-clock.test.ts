import { CreateQueueCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { Command } from 'commander';
import { ServerClock } from '../../../account/connection/server-clock';
import { dlqCommand } from '../../../bin/dlq/dlq-command';
import { run } from '../../../bin/shared/command-line';
import { warn } from '../../../bin/shared/print';
import { LocalAws } from '../../../local';
import { MemoryIo } from '../shared/memory-io';

const START = '2031-03-01T00:00:00Z';

/** Twelve dead letters in a simulation whose time a caller moves. The machine is five years behind, and waits without sleeping. */
class StandingTime {
  private machineMs = Date.parse('2026-01-01T00:00:00Z');
  /** Whether time moves while the command waits. */
  isMoved = false;

  private constructor(
    readonly aws: LocalAws,
    private readonly url: string,
  ) {}

  static async begin(): Promise<StandingTime> {
    const aws = LocalAws.start({ startAt: START });
    const sqs = new SQSClient(aws.clientConfig());
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'orders-dlq' }));
    const deadLetterTargetArn = 'arn:aws:sqs:us-east-1:123456789012:orders-dlq';
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
    await sqs.send(new CreateQueueCommand({ QueueName: 'orders', Attributes: { RedrivePolicy } }));
    for (let at = 0; at < 12; at += 1) await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `${at}` }));
    const { url } = await aws.listen({ speed: 0 });
    return new StandingTime(aws, url);
  }

  async dlq(line: string) {
    const io = new MemoryIo();
    const machine = {
      nowMs: () => this.machineMs,
      wait: async (milliseconds: number) => {
        this.machineMs += milliseconds;
        if (this.isMoved) await this.aws.advance({ seconds: milliseconds / 1_000 });
      },
    };
    const serverClock = new ServerClock(machine, text => warn(io, [text]));
    const { nowMs, wait } = serverClock;
    const command = dlqCommand({ io, nowMs, wait, serverClock, pollSeconds: 0 });
    const keys = {
      AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'us-east-1',
    };
    Object.assign(process.env, keys);
    const words = ['dlq', ...line.split(' '), '--endpoint-url', this.url];
    const exitCode = await run(new Command('dlo').addCommand(command), words, io);
    return { exitCode, out: io.out, err: io.err };
  }
}

describe('dlo dlq, with a simulation whose time stands still', () => {
  let standing: StandingTime;

  beforeAll(async () => {
    standing = await StandingTime.begin();
  });

  afterAll(() => standing.aws.close());

  test('tells ages and expiries by the time of the simulation', async () => {
    const { exitCode, out, err } = await standing.dlq('peek orders-dlq -n 1');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/First sent {2}2031-03-01 00:00 UTC, 0 s ago\n.*Expires {5}2031-03-05 00:00 UTC, in 4 d\n/s);
    await standing.aws.advance({ minutes: 1 });
  });

  test('ends a redrive, and cancels its task, if no caller moves time', async () => {
    const { exitCode, err } = await standing.dlq('redrive orders-dlq --canary 0 --rate 1 --execute');
    expect(exitCode).toBe(1);
    expect(err).toMatch(
      /warning: time stands still at http:\S+: move it with POST \/_dlo\/advance, .*Waiting 30 s for that\n/,
    );
    expect(err).toMatch(/dlo: .*the task was cancelled: time stands still at http/);
    await standing.aws.advance({ minutes: 1 });
  });

  test('redrives if a caller moves time', async () => {
    standing.isMoved = true;
    const { exitCode, out, err } = await standing.dlq('redrive orders-dlq --canary 0 --execute');
    expect([exitCode, err]).toEqual([0, expect.not.stringContaining('stands still')]);
    expect(out).toMatch(/^\d+ messages moved/);
  });
});
