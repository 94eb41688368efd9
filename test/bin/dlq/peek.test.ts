import type { Message } from '@aws-sdk/client-sqs';
import { PEEK_PERMISSIONS } from '../../../bin/dlq/peek-command';
import { addOperators, type Takes, testPermissions } from '../command-permissions';
import { MemoryIo } from '../shared/memory-io';
import { MessagesAccount, ownAndPlainQueues } from './messages-account';

const OWN = 'Orders/DeadLetterQueue';

const TAKES: Takes = { 'peek Test-Quiet': PEEK_PERMISSIONS.reads };

const receives = (messages: readonly Message[]) =>
  messages.map(({ Attributes }) => Number(Attributes?.ApproximateReceiveCount));

describe('dlo dlq peek', () => {
  let account: MessagesAccount;

  beforeAll(async () => {
    account = await MessagesAccount.of(stack => {
      ownAndPlainQueues(stack);
      addOperators(stack, TAKES);
    });
  });

  afterEach(async () => {
    await account.deployed.advance({ minutes: 15 });
    for (const queue of [OWN, 'DeadParcels', 'Patient', 'Work', 'Dead']) await account.drain(queue);
  });

  const bad = async (args: string) => {
    const { exitCode, out, err } = await account.dlo(args);
    expect([exitCode, out]).toEqual([2, '']);
    return err;
  };

  test('tells all of a message, without what would steer a terminal', async () => {
    const MessageAttributes = {
      tenant: { DataType: 'String', StringValue: 'blue\u{9b}2J' },
      seal: { DataType: 'Binary', BinaryValue: new Uint8Array([1, 2]) },
    };
    const id = await account.send(OWN, `one\n\u{9b}31mtwo${'.'.repeat(300)}`, { MessageAttributes });
    await account.deployed.advance({ hours: 2 });
    const { exitCode, out, err } = await account.dlo(`peek ${account.queue(OWN)}`);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toBe(`${account.queue(OWN)}: 1 visible, 0 in flight, 0 delayed

1. ${id}
   First sent  2026-01-01 00:01 UTC, 2 h 1 s ago
   Expires     2026-01-15 00:01 UTC, in 13 d 22 h
   Received    1 time, including this look
   Source      unknown: a plain message
   Attributes  tenant=blue 2J
   Attributes  seal=2 bytes (Binary)
   Body        one 31mtwo${'.'.repeat(230)}…

These are all.
`);
    const full = (await account.dlo(`peek ${account.queue(OWN)} --full`)).out;
    expect(full).toContain(`   Body        one\n   Body         31mtwo${'.'.repeat(300)}\n`);
    expect(`${out}${full}`).not.toMatch(/[^\P{Cc}\n]/u);
  });

  test('says what a function, a topic and a redrive policy have said', async () => {
    const published = await account.deployed.publish('Topic', '{"order":7}');
    await account.deployed.advance({ minutes: 1 });
    const name = account.queue('Failures');
    const { out } = await account.dlo(`peek ${name}`);
    expect(out).toMatch(/Source {6}Lambda: the function failed on request [\w-]+, status 200: no such order\n/);
    expect(out).toContain(`Source      SNS: notification ${published} of topic ${account.deployed.name('Topic')}, `);
    expect(out).toContain('   Message     {"order":7}\n');
    expect(await account.json(`peek ${name}`)).toMatchObject({
      queue: { name, arn: account.deployed.arn('Failures') },
      depths: { visible: 1, inFlight: 0, delayed: 0 },
      end: 'empty',
      unseen: { visible: 0, inFlight: 0, delayed: 0 },
      readers: [],
      messages: [
        {
          receiveCount: 2,
          movedFromArn: null,
          who: { kind: 'function-event', errorCode: '200', errorMessage: 'no such order' },
          before: [{ kind: 'notification', envelope: { MessageId: published } }],
          attributes: { ErrorCode: { type: 'Number', value: '200' } },
          payload: '{"order":7}',
        },
      ],
    });
    await account.send('Work', 'poison');
    await account.deployed.receive('Work');
    await account.deployed.advance({ seconds: 5 });
    expect(await account.deployed.receive('Work')).toEqual([]);
    expect((await account.dlo(`peek ${account.queue('Dead')}`)).out).toContain(
      `Moved from  ${account.queue('Work')}, by its redrive policy`,
    );
  });

  test('raises the receive count by one, and hides nothing after', async () => {
    await account.sendMany(OWN, 25);
    for (const args of ['-n 3', '-n 25', '']) {
      expect((await account.dlo(`peek ${account.queue(OWN)} ${args}`.trim())).exitCode).toBe(0);
    }
    const messages = await account.all(OWN);
    expect(messages).toHaveLength(25);
    expect(receives(messages).reduce((sum, count) => sum + count, 0)).toBe(3 + 25 + 10 + 25);
  });

  test('says how many more there are, and what is in flight elsewhere or delayed', async () => {
    await account.sendMany(OWN, 25);
    await account.deployed.receive(OWN);
    await account.send(OWN, 'late', { DelaySeconds: 900 });
    const { out } = await account.dlo(`peek ${account.queue(OWN)} -n 5`);
    expect(out).toContain(': 15 visible, 10 in flight, 1 delayed\n');
    expect(out).toMatch(
      /About 10 messages more, as SQS counts\. Not shown: 10 messages in flight elsewhere, 1 message delayed\.\n$/,
    );
    const { messages, unseen, end } = await account.json(`peek ${account.queue(OWN)} -n 100`);
    expect([messages.length, unseen, end]).toEqual([15, { visible: 0, inFlight: 10, delayed: 1 }, 'empty']);
  });

  test('sees ten messages of a group of a FIFO queue, says so, and keeps their order', async () => {
    for (let at = 1; at <= 12; at += 1) {
      const more = { MessageGroupId: at > 11 ? 'b' : 'a', MessageDeduplicationId: String(at) };
      await account.send('DeadParcels', String(at), more);
    }
    const { messages, unseen } = await account.json(`peek ${account.queue('DeadParcels')} -n 100`);
    const bodies = messages.map(({ body }: { body: string }) => Number(body)).sort((a: number, b: number) => a - b);
    expect(bodies).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]);
    expect(unseen).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
    const { out } = await account.dlo(`peek ${account.queue('DeadParcels')} -n 12`);
    expect(out).toContain('About 1 message more, as SQS counts, some of them behind shown messages of their group');
    expect((await account.deployed.receive('DeadParcels')).map(({ Body }) => Body)).toContain('1');
  });

  test('is refused where a look brings messages near another dead-letter queue, and done by --force', async () => {
    const [work, dead] = [account.queue('Work'), account.queue('Dead')];
    await account.send('Work', 'a');
    const costs = (name: string, receives: string) =>
      `${name} has a redrive policy itself: after ${receives} SQS moves a message to ${dead}, and looking at a message receives it`;
    const refused = `dlo: ${costs(work, '1 receive')}. --force does it anyway\n`;
    expect(await bad(`peek ${work}`)).toBe(refused);
    const forced = await account.dlo(`peek ${work} --force`);
    expect(forced.err).toBe(`dlo: warning: ${costs(work, '1 receive')}\n`);
    expect(forced.out).toContain(`1 time, including this look; 0 left before SQS moves it to ${dead}`);
    await account.send('Patient', 'b');
    const patient = await account.dlo(`peek ${account.queue('Patient')}`);
    expect(patient.err).toBe(`dlo: warning: ${costs(account.queue('Patient'), '100 receives')}\n`);
    expect(patient.out).toContain('; 99 left before');
  });

  test('says who reads the queue', async () => {
    const { err } = await account.dlo(`peek ${account.queue('Read')}`);
    expect(err).toBe(
      `dlo: warning: ${account.queue('Read')} is read by 1 function (${account.deployed.ref('Reader')}). ` +
        'Messages that are looked at are hidden from them meanwhile, and messages they hold are not seen\n',
    );
  });

  test.each([
    ['peek', /\nInterrupted: \d+ messages are shown\.\n$/],
    ['why', /^\S+: \d+ messages sampled.*\. Interrupted\.\n/],
  ])('and %s gives back what it has when it is interrupted, and says so', async (command, says) => {
    await account.sendMany(OWN, 200);
    const io = new MemoryIo();
    io.watch = () => io.interrupt();
    const { exitCode, out } = await account.dlo(`${command} ${account.queue(OWN)} -n 200`, {}, io);
    expect(exitCode).toBe(0);
    expect(out).toMatch(says);
    expect(out).not.toContain('\n200. ');
    expect(await account.all(OWN)).toHaveLength(200);
  });

  test('gives back what it has when a call fails, and says what it could not give back', async () => {
    await account.sendMany(OWN, 200);
    const { faults, nowMs } = account.deployed.aws;
    const io = new MemoryIo();
    io.watch = () => faults.set({ service: 'sqs', action: 'ReceiveMessage', untilMs: nowMs + 1 });
    const failed = await account.dlo(`peek ${account.queue(OWN)} -n 200`, {}, io);
    expect([failed.exitCode, failed.out]).toEqual([1, '']);
    expect(failed.err).toContain('dlo: sqs:ReceiveMessage');
    await account.deployed.advance({ seconds: 1 });
    expect(await account.all(OWN)).toHaveLength(200);
    await account.deployed.advance({ minutes: 1 });
    const late = new MemoryIo();
    late.watch = () => faults.set({ service: 'sqs', action: 'ChangeMessageVisibilityBatch' });
    const { exitCode, err } = await account.dlo(`peek ${account.queue(OWN)} -n 5`, {}, late);
    faults.clear();
    expect(exitCode).toBe(0);
    expect(err).toMatch(
      /some of 5 messages stay hidden for at most 120 seconds. They become visible again by themselves: sqs:Change/,
    );
    await account.deployed.advance({ minutes: 3 });
    expect(await account.all(OWN)).toHaveLength(200);
  });

  test.each([
    ['peek Test-Quiet -n 0', 'must be a whole number from 1 to 999999'],
    ['peek Test-Quiet -n many', 'must be a whole number from 1 to 999999'],
    ['peek nowhere', 'no queue of the account 123456789012 in us-east-1 is named nowhere'],
    ['peek', "missing required argument 'QUEUE'"],
  ])('refuses %s', async (args, text) => {
    expect(await bad(args)).toContain(text);
  });

  testPermissions(TAKES, [], () => account);
});
