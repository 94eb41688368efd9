import { CreateQueueCommand, DeleteQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { everySender } from '../../account/inventory/every-sender';
import { Deployed } from '../../support/deployed';
import { FaultingProxy, type FaultMode } from '../../support/faulting-proxy';
import { OperatedAccount } from '../operated-account';
import { MemoryIo } from '../shared/memory-io';

/** An operator whose calls pass through the proxy, and whose retries take no real time. */
class FaultyAccount extends OperatedAccount {
  waitedMs = 0;

  protected override readonly retryClock = {
    nowMs: () => this.waitedMs,
    wait: async (milliseconds: number) => {
      this.waitedMs += milliseconds;
    },
    random: () => 0.5,
  };
}

describe('An account whose calls fail', () => {
  let deployed: Deployed;
  let proxy: FaultingProxy;
  let account: FaultyAccount;

  beforeAll(async () => {
    deployed = await Deployed.stack(everySender);
    const { url } = await deployed.aws.listen();
    proxy = await FaultingProxy.before(url);
    account = new FaultyAccount(deployed, proxy.url, 'dlq');
    await deployed.send('fanout-dlq', 'an order that no consumer could take');
    await deployed.advance({ minutes: 5 });
  });

  afterAll(() => proxy.close());

  /** The SDK's own number of attempts does not apply. */
  const PATIENT = { AWS_MAX_ATTEMPTS: '' };

  const COPY = 'redrive QUEUE --filter body --canary 0 --execute';

  let number = 0;

  /** A dead-letter queue with messages, and its source. */
  async function addDeadLetters(messages = 3) {
    const { sqs } = deployed;
    number += 1;
    const name = `short-lived-${number}`;
    const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
    const deadLetterTargetArn = `arn:aws:sqs:us-east-1:123456789012:${name}`;
    const RedrivePolicy = JSON.stringify({ deadLetterTargetArn, maxReceiveCount: 3 });
    await sqs.send(new CreateQueueCommand({ QueueName: `source-${number}`, Attributes: { RedrivePolicy } }));
    for (let at = 0; at < messages; at += 1) {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: `${at}` }));
    }
    return { name, QueueUrl };
  }

  const list = async () => {
    const { exitCode, out, err } = await account.dlo('ls --json', PATIENT);
    return { exitCode, err, ...(out !== '' && { queues: JSON.parse(out).queues, unread: JSON.parse(out).unread }) };
  };

  test.each([1, 2, 3, 4, 5])('with 30 %% throttling and 10 %% errors, ls answers in full (seed %i)', async seed => {
    proxy.play([]);
    const whole = await list();
    proxy.play(
      [
        { action: '*', mode: 'throttle', rate: 0.3 },
        { action: '*', mode: 'fail-before', rate: 0.1 },
      ],
      seed,
    );
    expect(await list()).toEqual(whole);
    expect(proxy.calls.filter(({ faults }) => faults.length > 0).length).toBeGreaterThan(10);
  });

  test.each([
    ['throttle', 'AWS throttles cloudwatch:DescribeAlarms'],
    ['fail-before', 'cloudwatch:DescribeAlarms fails'],
    ['drop', 'cloudwatch:DescribeAlarms fails'],
    ['missing', 'the endpoint does not offer cloudwatch:DescribeAlarms'],
    ['deny', 'cannot be read without the permission cloudwatch:DescribeAlarms'],
  ] as const)('%s without end: ls gives the rest of the answer within half a minute', async (mode, says) => {
    proxy.play([{ action: 'cloudwatch:DescribeAlarms', mode }]);
    account.waitedMs = 0;
    const { exitCode, err, queues, unread } = await list();
    expect([exitCode, unread]).toEqual([0, [expect.stringContaining(says)]]);
    expect(queues).toHaveLength(7);
    expect(err).toContain(says);
    expect(err.includes('"Action":["cloudwatch:DescribeAlarms"]')).toBe(mode === 'deny');
    expect(account.waitedMs).toBeLessThanOrEqual(31_000);
    const { out } = await account.dlo('ls', PATIENT);
    expect(out).toContain('Which dead letters no alarm reports is unknown');
    expect(out).not.toContain('No alarm');
  });

  test('only the list of queues is indispensable to ls, and only the queue itself to the others', async () => {
    proxy.play([{ action: 'sqs:ListQueues', mode: 'deny' }]);
    expect(await list()).toMatchObject({
      exitCode: 1,
      err: expect.stringMatching(/^dlo: sqs:ListQueues is denied: .*$/m),
    });
    for (const command of ['why fanout-dlq', 'peek fanout-dlq', 'redrive fanout-dlq']) {
      expect([command, (await account.dlo(command, PATIENT)).exitCode]).toEqual([command, 0]);
    }
    proxy.play([{ action: 'sqs:GetQueueAttributes', mode: 'deny' }]);
    for (const command of ['why fanout-dlq', 'peek fanout-dlq', 'redrive fanout-dlq']) {
      const { exitCode, out, err } = await account.dlo(command, PATIENT);
      expect([command, exitCode, out]).toEqual([command, 1, '']);
      expect(err).toContain('sqs:GetQueueAttributes is denied');
    }
  });

  test('a role that can read nothing is told so, and gets no empty account', async () => {
    proxy.play([{ action: '*', mode: 'deny' }]);
    for (const words of [
      ['doctor', '--endpoint-url', proxy.url],
      ['dlq', 'ls'],
      ['dlq', 'peek', 'fanout-dlq'],
    ]) {
      const { exitCode, out, err } = await account.typed(words, PATIENT);
      expect([words, exitCode, out]).toEqual([words, 1, '']);
      expect(err).toContain('is denied');
    }
  });

  test('a plan whose feeders are unknown is shown, and not carried out unless the destination is named', async () => {
    proxy.play([{ action: 'scheduler:ListSchedules', mode: 'deny' }]);
    const plan = await account.dlo('redrive fanout-dlq', PATIENT);
    expect([plan.exitCode, plan.out]).toEqual([0, expect.stringContaining('could not all be read')]);
    expect(plan.out).toContain('the plan cannot be carried out');
    const named = await account.dlo('redrive fanout-dlq --to arn:aws:sqs:us-east-1:123456789012:work', PATIENT);
    expect(named.out).toContain('This command does it');
  });

  test('progress says which calls AWS throttles', async () => {
    proxy.play([{ action: 'cloudwatch:DescribeAlarms', mode: 'throttle', times: 3 }]);
    const io = Object.assign(new MemoryIo(), { watch: () => {} });
    const { exitCode, err } = await account.dlo('ls', PATIENT, io);
    expect([exitCode, err]).toEqual([
      0,
      expect.stringMatching(/resources read.*, AWS throttles cloudwatch:DescribeAlarms/),
    ]);
  });

  test.each<[FaultMode, string, ...says: RegExp[]]>([
    ['fail-after-execution', 'SendMessageBatch', /^10 messages moved/, /10 messages moved, and 2 more may have moved/],
    ['drop-answer', 'SendMessageBatch', /^10 messages moved/, /10 messages moved, and 2 more may have moved/],
    ['drop-answer', 'ReceiveMessage', /SQS may have returned up to 2 messages in answers that were lost/, /not all/],
  ])(
    '%s of a %s: a redrive repeats no send, is not complete, and says what is unknown',
    async (mode, action, ...says) => {
      const { name } = await addDeadLetters(12);
      proxy.play([{ action: `sqs:${action}`, mode, times: 1 }]);
      const { exitCode, out, err } = await account.dlo(`${COPY.replace('QUEUE', name)} --rate 10`, PATIENT);
      expect(exitCode).toBe(1);
      for (const text of says) expect(`${out}${err}`).toMatch(text);
    },
  );

  describe('A queue that is deleted in the middle', () => {
    const GONE = /The specified queue does not exist\. Was it deleted meanwhile\?\n$/;
    test.each<[command: string, before: string, ...says: RegExp[]]>([
      ['why QUEUE', 'ReceiveMessage', GONE],
      ['peek QUEUE', 'ReceiveMessage', GONE],
      ['export QUEUE file.jsonl', 'ReceiveMessage', /not a complete export/, GONE],
      ['redrive QUEUE --execute', 'StartMessageMoveTask', /dlo: sqs:StartMessageMoveTask: .* SourceArn .* exist/],
      [COPY, 'SendMessageBatch', /^ {2}3 messages, .*: was moved, and not deleted: .*QueueDoesNotExist/m, GONE],
      [COPY, 'DeleteMessageBatch', GONE],
      ['import in.jsonl QUEUE --execute', 'SendMessageBatch', /0 messages were sent before the error/, GONE],
      ['purge QUEUE --export in.jsonl --confirm QUEUE --execute', 'DeleteMessageBatch', /0 messages deleted/, GONE],
    ])('%s, before %s: says so soon, and what was done', async (command, action, ...says) => {
      const { name, QueueUrl } = await addDeadLetters();
      const io = new MemoryIo();
      await account.dlo(`export ${name} in.jsonl`, PATIENT, io);
      let isDeleted = false;
      proxy.play([]);
      proxy.meanwhile = async called => {
        if (called !== `sqs:${action}` || isDeleted) return;
        isDeleted = true;
        await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl }));
      };
      account.waitedMs = 0;
      const { exitCode, out, err } = await account.dlo(command.replaceAll('QUEUE', name), PATIENT, io);
      expect([exitCode, isDeleted]).toEqual([1, true]);
      for (const text of says) expect(`${out}${err}`).toMatch(text);
      expect(err).not.toContain('the lease');
      expect(account.waitedMs).toBeLessThan(1_000);
    });

    test('ls goes on without it', async () => {
      const { QueueUrl } = await addDeadLetters();
      let isDeleted = false;
      proxy.play([]);
      proxy.meanwhile = async called => {
        if (called !== 'sqs:GetQueueAttributes' || isDeleted) return;
        isDeleted = true;
        await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl }));
      };
      const { exitCode, err, queues, unread } = await list();
      expect([exitCode, err, unread]).toEqual([0, '', []]);
      expect(queues.find((it: { name: string }) => it.name === `short-lived-${number}`)).toMatchObject({
        location: 'gone',
      });
    });
  });
});
