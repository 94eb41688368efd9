import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { PARTNER, plainShop } from './plain-shop';
import { RedriveAccount } from './redrive-account';

const range = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

const sorted = (texts: readonly string[]) => [...texts].sort();

describe('dlo dlq redrive, message by message', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(plainShop);
    account.deployed.aws.confirmSubscription(PARTNER);
  });

  afterEach(() => account.deployed.aws.faults.clear());

  const moved = (out: string) => Number(/^(\d+) messages? moved/.exec(out)?.[1]);

  describe('chosen by a filter', () => {
    const filter = '--filter data.total>=`150` ';
    const messages = range(30).map(id => JSON.stringify({ id, total: id * 10 }));
    const [small, large] = [messages.slice(0, 14), messages.slice(14)];

    beforeEach(async () => {
      for (const message of messages) await account.send('Dead', message);
    });

    afterEach(async () => {
      await account.drain('Dead');
    });

    test('moves what matches, gives the rest back at once, and says why it stays', async () => {
      const before = account.done('Worker').length;
      const dead = account.queue('Dead');
      const { exitCode, out } = await account.redrive('Dead', `--canary 3 ${filter}`);
      expect([exitCode, out]).toEqual([
        0,
        expect.stringMatching(
          new RegExp(
            `^16 messages moved from ${dead} to queue \\S+; none returned\\.\n${dead} holds 14 messages now\\.\n` +
              '  14 messages, for instance [\\w-]+: does not match the filter\n$',
          ),
        ),
      ]);
      expect(sorted(account.done('Worker').slice(before))).toEqual(sorted(large));
      expect(account.depth('Dead')).toEqual([14, 0]);
      expect(await account.drain('Dead')).toEqual(sorted(small));
    });

    test('is ended by Ctrl-C after the messages in hand, gives the others back, and goes on when it is run again', async () => {
      const before = account.done('Worker').length;
      const options = `--canary 0 --rate 2 ${filter}`;
      const command = `redrive ${account.queue('Dead')} ${options}--execute`;
      const isMoving = () => account.done('Worker').length > before;
      const first = await account.interrupted(command, isMoving);
      expect(first).toMatchObject({ exitCode: 1, err: expect.stringContaining('dlo: interrupted (') });
      expect(moved(first.out)).toBeGreaterThan(0);
      expect(moved(first.out)).toBeLessThan(16);
      expect(account.depth('Dead')).toEqual([30 - moved(first.out), 0]);
      const second = await account.redrive('Dead', options);
      expect([second.exitCode, moved(second.out)]).toEqual([0, 16 - moved(first.out)]);
      expect(sorted(account.done('Worker').slice(before))).toEqual(sorted(large));
      expect(account.depth('Dead')).toEqual([14, 0]);
    });
  });

  describe('from a queue that SNS feeds', () => {
    beforeAll(async () => {
      await account.deployed.takeQueuePolicyAway('Inbox');
      const MessageAttributes = { tenant: { DataType: 'String', StringValue: 'blue' } };
      for (const number of range(6)) await account.deployed.publish('News', `news ${number}`, { MessageAttributes });
      await account.deployed.advance({ minutes: 2 });
      await account.drain('RawInbox');
    });

    test('copies envelopes as they are to the subscriber, and none is lost while SQS throttles', async () => {
      const resource = account.deployed.arn('Inbox');
      const fault = { service: 'sqs', action: 'SendMessageBatch', resource, throttle: true, forMs: 3_000 } as const;
      account.deployed.aws.faults.set(fault);
      const first = await account.redrive('InboxDead', '--canary 2 ');
      expect([first.exitCode, moved(first.out), account.depth('InboxDead')]).toEqual([1, 2, [4, 0]]);
      const because = 'no enabled event source mapping reads it, and no other consumer has taken them';
      expect(first.err).toContain(
        `dlo: stopped after the canary, which --canary 0 skips (2 messages moved): 2 messages may still be in the destination: ${because}\n`,
      );
      const { exitCode, out } = await account.redrive('InboxDead', '--canary 0 ');
      expect([exitCode, moved(out)]).toEqual([0, 4]);
      expect(out).toContain(`; 4 messages may still be in the destination: ${because}.\n`);
      const messages = (await account.drain('Inbox')).map(body => JSON.parse(body));
      expect(sorted(messages.map(({ Message }) => Message))).toEqual(range(6).map(number => `news ${number}`));
      expect(messages[0]).toMatchObject({ Type: 'Notification', MessageAttributes: { tenant: { Value: 'blue' } } });
      expect(account.depth('InboxDead')).toEqual([0, 0]);
    });

    test('takes them out of their envelopes for a queue that receives that topic’s messages raw', async () => {
      await account.deployed.publish('News', 'raw news', {
        MessageAttributes: { n: { DataType: 'Number', StringValue: '7' } },
      });
      await account.deployed.advance({ minutes: 2 });
      await account.drain('RawInbox');
      const { exitCode, err } = await account.redrive(
        'InboxDead',
        `--canary 0 --to ${account.deployed.arn('RawInbox')} `,
      );
      expect([exitCode, err]).toEqual([0, expect.stringContaining('taken out of its envelope')]);
      const [message] = await account.deployed.receive('RawInbox');
      expect(message).toMatchObject({ Body: 'raw news', MessageAttributes: { n: { StringValue: '7' } } });
    });

    test('says what it moved where SQS refuses half way, and gives the rest back', async () => {
      for (const number of range(20)) await account.send('InboxDead', `message ${number}`);
      const resource = account.deployed.arn('Inbox');
      const refuse = () => {
        if (account.depth('Inbox')[0] < 5) return;
        account.deployed.aws.faults.set({
          service: 'sqs',
          action: 'SendMessageBatch',
          resource,
          httpStatus: 403,
          code: 'AccessDenied',
        });
      };
      const run = () => account.redrive('InboxDead', '--canary 0 --rate 5 ');
      const { exitCode, out, err } = await account.meanwhile(run, refuse);
      expect(moved(out)).toBeGreaterThanOrEqual(5);
      expect([exitCode, err]).toEqual([
        1,
        expect.stringContaining(`dlo: failed (${moved(out)} messages moved): sqs:SendMessage is denied`),
      ]);
      expect(account.depth('InboxDead')).toEqual([20 - moved(out), 0]);
      account.deployed.aws.faults.clear();
      expect(await account.redrive('InboxDead', '--canary 0 ')).toMatchObject({ exitCode: 0 });
      expect(await account.drain('Inbox')).toEqual(sorted(range(20).map(number => `message ${number}`)));
    });
  });

  describe('behind others that wait in the destination', () => {
    const taken: string[] = [];
    /** Runs a redrive, and calls `act` whenever the command waits. */
    const meanwhile = (options: string, act: () => Promise<void>) =>
      account.meanwhile(() => account.redrive('InboxDead', options), act);

    beforeEach(async () => {
      taken.length = 0;
      await account.sendMany('Inbox', 40);
      for (const number of range(12)) await account.send('InboxDead', `message ${number}`);
      await account.deployed.advance({ minutes: 2 });
    });

    afterEach(async () => {
      await account.deployed.advance({ minutes: 5 });
      await account.drain('Inbox');
      await account.drain('InboxDead');
    });

    test('the canary is not well because those are worked off, and nothing more moves', async () => {
      // Without CloudWatch, the number of deleted messages is unknown.
      account.deployed.aws.faults.set({
        service: 'cloudwatch',
        action: 'GetMetricData',
        httpStatus: 403,
        code: 'AccessDenied',
      });
      const some = async () => {
        if (taken.length < 20) taken.push(...(await account.deployed.take('Inbox')));
      };
      const { exitCode, out, err } = await meanwhile('--canary 5 ', some);
      expect(taken.length).toBeGreaterThanOrEqual(20);
      expect(taken).not.toContainEqual(expect.stringMatching(/^message/));
      expect([exitCode, moved(out), account.depth('InboxDead')]).toEqual([1, 5, [7, 0]]);
      expect(err.match(/dlo: warning: cloudwatch:GetMetricData is denied/g)).toHaveLength(1);
      expect(err).toMatch(
        /dlo: stopped after the canary.*: 5 messages may still be in the destination: no enabled event source/,
      );
    });

    test('the canary is well where as many are deleted as waited and were moved, though it is never empty', async () => {
      const allButOne = async () => {
        taken.push(...(await account.deployed.take('Inbox')));
        await account.send('Inbox', 'another');
      };
      const { exitCode, out, err } = await meanwhile('--canary 5 ', allButOne);
      expect([exitCode, moved(out)]).toEqual([0, 12]);
      expect(err).toContain('The canary succeeded.\nNow all that are left');
      expect(taken.filter(body => body.startsWith('message'))).toHaveLength(12);
    });
  });

  describe('from a queue with a redrive policy of its own', () => {
    const policy = async (RedrivePolicy: string) => {
      const QueueUrl = account.deployed.ref('Dead');
      await account.deployed.sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { RedrivePolicy } }));
    };

    beforeAll(() =>
      policy(JSON.stringify({ deadLetterTargetArn: account.deployed.arn('Lonely'), maxReceiveCount: 3 })),
    );
    afterAll(() => policy(''));

    test('receives nothing that few receives move on, but by force', async () => {
      const dead = account.queue('Dead');
      await account.send('Dead', '{"total":1}');
      const filter = '--filter data.total';
      const refused = await account.dlo(`redrive ${dead} ${filter}`);
      expect(refused).toMatchObject({ exitCode: 2, out: '' });
      expect(refused.err).toMatch(
        /^dlo: \S+ has a redrive policy itself: after 3 receives .*--force does it anyway\n$/,
      );
      const forced = await account.dlo(`redrive ${dead} ${filter} --force`);
      expect([forced.exitCode, forced.out]).toEqual([
        0,
        expect.stringMatching(/ --force (\S+ \S+ )?--execute 1-\w{12}\n$/),
      ]);
      // SQS does not count the receives of its own move tasks.
      expect(await account.json(`redrive ${dead}`)).toMatchObject({ carrier: 'task' });
      await account.drain('Dead');
    });
  });

  describe('to a function', () => {
    const invoke = async (event: object) => {
      const lambda = new LambdaClient({ ...account.deployed.aws.clientConfig(), maxAttempts: 1 });
      const Payload = JSON.stringify(event);
      await lambda.send(
        new InvokeCommand({ FunctionName: account.deployed.ref('Printer'), InvocationType: 'Event', Payload }),
      );
    };

    test('invokes it with the events it failed on, each as often as somebody asks', async () => {
      await invoke({ poison: 1 });
      await account.deployed.advance({ minutes: 1 });
      for (let times = 0; times < 2; times += 1) {
        const { exitCode, out } = await account.redrive('PrinterDead');
        expect([exitCode, out]).toEqual([
          1,
          expect.stringContaining('1 message returned, or as many others were dead-lettered'),
        ]);
        expect(account.depth('PrinterDead')).toEqual([1, 0]);
      }
      await account.drain('PrinterDead');
      for (const id of range(5)) await account.send('PrinterDead', JSON.stringify({ id }));
      await account.send('PrinterDead', 'no JSON');
      const { exitCode, out, err } = await account.redrive('PrinterDead', '--canary 2 ');
      expect([exitCode, moved(out)]).toEqual([1, 5]);
      expect(out).toMatch(/\n {2}1 message, for instance [\w-]+: is not JSON\n/);
      expect(err).toMatch(/dlo: not all messages moved \(5 messages moved\): 1 message: is not JSON\n$/);
      expect(sorted(account.done('Printer'))).toEqual(range(5).map(id => JSON.stringify({ id })));
    });

    test('hands it what SNS would have', async () => {
      await account.deployed.publish('News', 'for the clerk');
      await account.deployed.advance({ minutes: 2 });
      const [envelope = ''] = await account.deployed.take('InboxDead');
      const before = account.done('Clerk').length;
      await account.send('ClerkDead', envelope);
      const { exitCode, out, err } = await account.redrive('ClerkDead', '--canary 1 ');
      expect([exitCode, moved(out), err]).toEqual([
        0,
        1,
        expect.stringMatching(/fails on again stays in\s+\S+ClerkDead/),
      ]);
      expect(account.done('Clerk').slice(before)).toEqual(['for the clerk']);
    });
  });

  test('keeps the order of a FIFO queue’s groups, but for what is to stay', async () => {
    for (const number of range(9)) {
      const MessageGroupId = `g${number % 2}`;
      await account.send('FifoDead', `${number}`, { MessageGroupId, MessageDeduplicationId: `${number}` });
    }
    expect(await account.redrive('FifoDead', '--canary 0 --filter data!=`5` ')).toMatchObject({ exitCode: 0 });
    const bodies: string[] = [];
    for (let taken = await account.deployed.take('Fifo'); taken.length > 0; taken = await account.deployed.take('Fifo'))
      bodies.push(...taken);
    expect(bodies.filter(body => Number(body) % 2 === 0)).toEqual(['2', '4', '6', '8']);
    expect(bodies.filter(body => Number(body) % 2 === 1)).toEqual(['1', '3', '7', '9']);
    expect(await account.drain('FifoDead')).toEqual(['5']);
  });

  test.each<[queue: string, options: string, says: RegExp]>([
    [
      'PartnerDead',
      '',
      /^dlo: the messages of \S+ were for https:\/\/partner\S+ which is neither a queue nor a function: name a queue/,
    ],
    [
      'Dead',
      '--to arn:aws:lambda:us-east-1:123456789012:function:nobody',
      /^dlo: \S+:function:nobody is a function, and would be .* does not expect: messages of the queue \S+ are not events/,
    ],
    [
      'PrinterDead',
      '--to arn:aws:lambda:us-east-1:123456789012:function:nobody',
      /^dlo: arn:aws:lambda:\S+:nobody, the destination of the messages, does not exist: name another with --to/,
    ],
    [
      'Lonely',
      '',
      /^dlo: nothing is configured to send dead letters to \S+: name the destination of its messages with --to\n$/,
    ],
    ['Dead', '--to orders', /^dlo: --to must be the ARN of a queue or of a function, got "orders"\n$/],
    [
      'Dead',
      '--to arn:aws:sqs:us-east-1:123456789012:nobody',
      /^dlo: no queue of the account 123456789012 in us-east-1 is named nobody/,
    ],
    ['Dead', '--filter data.[', /^dlo: --filter must be a JMESPath expression.*column 6.*\n {2}data\.\[\n {8}\^\n$/],
    [
      'Dead',
      '--rate 501 --canary few',
      /^dlo: --rate must be a whole number from 1 to 500, got 501\ndlo: --canary must be .* got NaN\n$/,
    ],
    [
      'Dead',
      '--execute today',
      /^dlo: --execute must have the id of a plan, such as \d+-\w{12}, or nothing: got today\n$/,
    ],
  ])('is bad input: %s %s', async (queue, options, says) => {
    const { exitCode, out, err } = await account.dlo(`redrive ${account.queue(queue)} ${options}`.trim());
    expect([exitCode, out]).toEqual([2, '']);
    expect(err).toMatch(says);
  });
});
