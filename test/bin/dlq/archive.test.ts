import { ArchiveWriter, readArchive } from '../../../account/archive/archive-file';
import { ARCHIVE_FORMAT } from '../../../account/archive/archive-format';
import { MemoryIo } from '../shared/memory-io';
import { MessagesAccount, ownAndPlainQueues } from './messages-account';

const OWN = 'Orders/DeadLetterQueue';

const FILE = 'messages.jsonl';

const PART = `${FILE}.part`;

const numbers = (count: number) => Array.from({ length: count }, (_, at) => String(at + 1)).sort();

const linesIn = (io: MemoryIo, file = FILE) => (io.written.get(file) ?? '').split(/(?<=\n)/).filter(Boolean);

/** An operator with a file, or with none yet. */
const withFile = (text?: string) => new MemoryIo(text === undefined ? {} : { [FILE]: text });

describe('dlo dlq export and import', () => {
  let account: MessagesAccount;

  beforeAll(async () => {
    account = await MessagesAccount.of(ownAndPlainQueues);
  });

  afterEach(async () => {
    account.deployed.aws.faults.clear();
    await account.deployed.advance({ minutes: 15 });
    for (const queue of [OWN, 'DeadParcels', 'Parcels', 'Lonely', 'Dead']) await account.drain(queue);
  });

  const exported = (queue: string, io: MemoryIo, args = '') =>
    account.dlo(`export ${account.queue(queue)} ${FILE} ${args}`.trim(), {}, io);

  const imported = (io: MemoryIo, queue: string, args = '') =>
    account.dlo(`import ${FILE} ${account.queue(queue)} ${args}`.trim(), {}, io);

  /** Exports some messages, and removes them from the queue. */
  async function archiveOf(queue: string, count: number): Promise<string> {
    await account.sendMany(queue, count);
    const io = withFile();
    expect((await exported(queue, io)).exitCode).toBe(0);
    await account.drain(queue);
    return io.written.get(FILE) ?? '';
  }

  describe('an export', () => {
    test('has every message once, and leaves all of them where they are', async () => {
      await account.sendMany(OWN, 123);
      const io = withFile();
      const { exitCode, out, err } = await exported(OWN, io);
      expect([exitCode, err]).toEqual([0, '']);
      const lines = linesIn(io).map(line => JSON.parse(line));
      const { sha256 } = lines.at(-1).end;
      expect(out).toBe(
        `123 messages of ${account.queue(OWN)} in ${FILE}, SHA-256 ${sha256}.\n` +
          'SQS counted 123 messages before, and no others after: the file has all of them.\n',
      );
      expect(lines[0].archive).toEqual({
        format: 'dead-letter-office/messages',
        version: 1,
        queueArn: account.deployed.arn(OWN),
        exportedAt: '2026-01-01T00:01:00.000Z',
      });
      expect(
        lines
          .slice(1, -1)
          .map(({ message }) => message.body)
          .sort(),
      ).toEqual(numbers(123));
      expect(io.written.has(PART)).toBe(false);
      expect(await account.all(OWN)).toHaveLength(123);
      expect(await readArchive(io, FILE)).toMatchObject({ end: { messages: 123, isComplete: true } });
    });

    test('is not complete where others have messages, and says how many', async () => {
      await account.sendMany(OWN, 15);
      await account.deployed.receive(OWN);
      await account.send(OWN, 'late', { DelaySeconds: 900 });
      const io = withFile();
      const { exitCode, out, err } = await exported(OWN, io);
      expect([exitCode, err]).toEqual([1, `dlo: ${FILE} does not have all messages of ${account.queue(OWN)}\n`]);
      expect(out).toContain(
        'SQS counted 16 messages before. Not in the file, as SQS counts now: 10 in flight elsewhere, 1 delayed.\n',
      );
      const again = await account.dlo(`export ${account.queue(OWN)} other.jsonl --json`, {}, io);
      expect(JSON.parse(again.out)).toMatchObject({
        queue: { name: account.queue(OWN), arn: account.deployed.arn(OWN) },
        file: 'other.jsonl',
        depths: { visible: 5, inFlight: 10, delayed: 1 },
        messages: 5,
        isComplete: false,
        unseen: { visible: 0, inFlight: 10, delayed: 1 },
      });
    });

    test('replaces no file, unless it is told to', async () => {
      const io = withFile('mine');
      const { exitCode, err } = await exported(OWN, io);
      expect([exitCode, err]).toEqual([2, `dlo: ${FILE} exists already. --overwrite replaces it\n`]);
      expect(io.written.size).toBe(0);
      expect((await exported(OWN, io, '--overwrite')).exitCode).toBe(0);
      expect(linesIn(io)).toHaveLength(2);
    });

    test('that is interrupted is a part, which nothing takes for whole, and gives back what it had', async () => {
      await account.sendMany(OWN, 300);
      const io = withFile();
      io.watch = () => io.interrupt();
      const { exitCode, out, err } = await exported(OWN, io);
      expect([exitCode, out]).toEqual([1, '']);
      expect(err).toMatch(/dlo: interrupted: \d+ messages of .* were written\n/);
      expect(err).toContain(`${PART} has what was written so far. It is not a complete export`);
      expect([...io.written.keys()]).toEqual([PART]);
      expect(linesIn(io, PART).length).toBeGreaterThan(1);
      await expect(readArchive(io, PART)).rejects.toThrow(`${PART}: is incomplete`);
      expect(await account.all(OWN)).toHaveLength(300);
    });

    test('gives back what it had where the disk is full, or SQS breaks', async () => {
      await account.sendMany(OWN, 300);
      const full = withFile();
      full.writer = async () => ({
        write: async text => {
          if (text.includes('"message"')) throw new Error(`${PART}: no space is left on the device`);
        },
        close: async () => {},
      });
      expect(await exported(OWN, full)).toMatchObject({ exitCode: 1, out: '' });
      expect(await account.all(OWN)).toHaveLength(300);
      await account.deployed.advance({ minutes: 15 });
      const io = withFile();
      io.watch = () => account.deployed.aws.faults.set({ service: 'sqs', action: 'ReceiveMessage' });
      expect((await exported(OWN, io)).err).toContain(`dlo: warning: ${PART} has what was written so far`);
      account.deployed.aws.faults.clear();
      expect(await account.all(OWN)).toHaveLength(300);
    });

    test('is refused where it brings messages near another dead-letter queue', async () => {
      const { exitCode, err } = await exported('Work', withFile());
      expect(exitCode).toBe(2);
      expect(err).toContain('after 1 receive SQS moves a message');
    });
  });

  describe('an import', () => {
    test('says what it would do, and does nothing', async () => {
      const io = withFile(await archiveOf(OWN, 25));
      const { exitCode, out, err } = await imported(io, 'Lonely', '--rate 10');
      expect([exitCode, err]).toEqual([0, '']);
      expect(out).toMatch(
        /^Import into \S+\n {2}From {9}messages\.jsonl: 25 messages of \S+, exported \S+\n {2}To {11}\S+\n {2}Sent before {2}0 messages, according to messages\.jsonl\.imported\n {2}To send {6}25 messages, at most 10 a second: 3 s\nNothing has been sent: --execute does it\.\n$/,
      );
      expect(io.written.size).toBe(0);
      expect(await account.all('Lonely')).toEqual([]);
    });

    test('sends what each message had, at the rate it is told, and nothing a second time', async () => {
      const MessageAttributes = {
        tenant: { DataType: 'String.Id', StringValue: 'blue' },
        seal: { DataType: 'Binary', BinaryValue: new Uint8Array([0, 255, 128]) },
      };
      const traced = {
        AWSTraceHeader: { DataType: 'String' as const, StringValue: 'Root=1-5759e988-bd862e3fe1be46a994272793' },
      };
      await account.send(OWN, 'odd \u{1f4ee}\n"quoted"', {
        MessageAttributes,
        MessageGroupId: 'tenant-7',
        MessageSystemAttributes: traced,
      });
      const io = withFile(await archiveOf(OWN, 25));
      const startMs = account.deployed.aws.nowMs;
      const { exitCode, out, err } = await imported(io, 'Lonely', '--rate 5 --execute');
      expect([exitCode, err]).toEqual([0, '']);
      expect(out).toContain('\n26 messages sent.\n');
      // Two seconds are for the lease.
      expect(account.deployed.aws.nowMs - startMs).toBe(2_000 + 26_000 / 5);
      const all = await account.all('Lonely');
      expect(all).toHaveLength(26);
      const odd = all.find(({ Body }) => Body?.startsWith('odd'));
      expect(odd).toMatchObject({
        Body: 'odd \u{1f4ee}\n"quoted"',
        MessageAttributes,
        Attributes: { MessageGroupId: 'tenant-7', AWSTraceHeader: traced.AWSTraceHeader.StringValue },
      });
      const again = await imported(io, 'Lonely', '--execute');
      expect(again.out).toContain('Sent before  26 messages');
      expect(again.out).toContain('Nothing to send.\n');
      expect(await account.all('Lonely')).toEqual([]);
    });

    test('goes on where it was interrupted, and says how far it came', async () => {
      const io = withFile(await archiveOf(OWN, 45));
      io.watch = () => io.interrupt();
      const first = await imported(io, 'Lonely', '--rate 100 --execute');
      expect(first).toMatchObject({ exitCode: 1 });
      expect(first.out).toMatch(
        /\n\d+ messages sent\.\nInterrupted, with \d+ messages left: run the command again to send them\.\n$/,
      );
      const sent = await account.drain('Lonely');
      expect(sent.length).toBeLessThan(45);
      io.watch = undefined;
      const second = JSON.parse((await imported(io, 'Lonely', '--execute --json')).out);
      expect(second).toMatchObject({
        messages: 45,
        sentBefore: sent.length,
        sent: 45 - sent.length,
        interrupted: false,
      });
      expect([...sent, ...(await account.drain('Lonely'))].sort()).toEqual(numbers(45));
    });

    /** Exports messages of two groups: odd ones in `g1`, even ones in `g0`. */
    async function parcels(count: number): Promise<MemoryIo> {
      for (let at = 1; at <= count; at += 1) {
        await account.send('DeadParcels', String(at), {
          MessageGroupId: `g${at % 2}`,
          MessageDeduplicationId: `d${at}`,
        });
      }
      const io = withFile();
      expect((await exported('DeadParcels', io)).exitCode).toBe(0);
      return io;
    }

    test('sends to a FIFO queue in the order of each group', async () => {
      const io = await parcels(6);
      expect((await imported(io, 'Parcels', '--execute')).out).toContain('\n6 messages sent.\n');
      const messages = await account.all('Parcels');
      const inGroup = (group: string) => messages.filter(({ Attributes }) => Attributes?.MessageGroupId === group);
      expect(inGroup('g1').map(({ Body }) => Body)).toEqual(['1', '3', '5']);
      expect(inGroup('g0').map(({ Body }) => Body)).toEqual(['2', '4', '6']);
    });

    test('sends to a FIFO queue what another import of the file sent a moment ago, for SQS would drop it by its id', async () => {
      const io = await parcels(3);
      expect((await imported(io, 'Parcels', '--execute')).out).toContain('\n3 messages sent.\n');
      expect(await account.drain('Parcels')).toHaveLength(3);
      const elsewhere = withFile(io.written.get(FILE));
      const { exitCode, out } = await imported(elsewhere, 'Parcels', '--execute');
      expect([exitCode, out]).toEqual([0, expect.stringContaining('\n3 messages sent.\n')]);
      expect(await account.drain('Parcels')).toHaveLength(3);
    });

    test('has a group of a FIFO queue wait behind a message SQS may have, and sends that a second time for nothing', async () => {
      const io = await parcels(5);
      account.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessageBatch' });
      expect((await imported(io, 'Parcels', '--execute')).exitCode).toBe(1);
      account.deployed.aws.faults.clear();
      const waiting = await imported(io, 'Parcels', '--execute');
      expect(waiting.exitCode).toBe(1);
      expect(waiting.out).toMatch(
        /\n {2}Unsure {7}2 messages that .*: until 2026-01-01 \d\d:\d\d UTC, SQS drops those it has\n {2}Behind them {2}3 messages of their groups, which wait for them\nNothing to send\.\n$/,
      );
      expect(waiting.err).toBe(
        'dlo: not sent, because SQS may have them already: 2 messages, and 3 behind them in their groups. --resend-unsure sends them\n',
      );
      expect(await account.drain('Parcels')).toEqual([]);
      const again = await imported(io, 'Parcels', '--execute --resend-unsure');
      expect(again).toMatchObject({ exitCode: 0 });
      expect(again.out).toMatch(
        /\n5 messages sent\.\nSent again: 2 messages of these; until \S+ \S+ UTC, SQS drops those it has\.\n$/,
      );
      expect(await account.drain('Parcels')).toEqual(numbers(5));
    });

    test('repeats a send to a FIFO queue that SQS has not answered, because SQS drops what it has', async () => {
      const io = await parcels(3);
      account.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessageBatch', forMs: 2_000 });
      const { exitCode, out } = await imported(io, 'Parcels', '--execute');
      expect([exitCode, out]).toEqual([0, expect.stringContaining('\n3 messages sent.\n')]);
      expect(await account.drain('Parcels')).toEqual(numbers(3));
    });

    test('knows by its first try what SQS drops of a FIFO queue, until five minutes are over', async () => {
      const io = await parcels(1);
      await imported(io, 'Parcels', '--execute');
      const journal = io.written.get(`${FILE}.imported`) ?? '';
      // As if the process was killed before it recorded the answer.
      const cutOff = journal.replace(/\{"sent":.*\n/, '');
      expect(cutOff).toMatch(/"sending":\[2\],"atMs":\d+\}\n$/);
      io.written.set(`${FILE}.imported`, cutOff);
      const resent = await imported(io, 'Parcels', '--execute --resend-unsure --json');
      expect(JSON.parse(resent.out)).toMatchObject({ sent: 1, resent: 1, behind: 0 });
      expect(await account.drain('Parcels')).toEqual(['1']);
      io.written.set(`${FILE}.imported`, cutOff);
      await account.deployed.advance({ minutes: 6 });
      expect((await imported(io, 'Parcels', '--resend-unsure')).out).toContain(
        'Sent again   1 message, of which SQS may have some: those that SQS has are then in the queue twice\n',
      );
    });

    test('begins once, whoever else begins at the same time', async () => {
      const io = withFile(await archiveOf(OWN, 12));
      const { exists } = io;
      // Another import began after this one read the journal, and before it sent a message.
      io.exists = async file => {
        const isThere = await exists.call(io, file);
        if (file === `${FILE}.imported`) io.written.set(file, 'another’s');
        return isThere;
      };
      const { exitCode, err } = await imported(io, 'Lonely', '--execute');
      expect([exitCode, err]).toEqual([1, expect.stringContaining(`${FILE}.imported: is there by now`)]);
      expect(await account.all('Lonely')).toEqual([]);
    });

    test('does not know of a batch that was cut off, and sends it again only when it is told to', async () => {
      const io = withFile(await archiveOf(OWN, 12));
      account.deployed.aws.faults.set({ service: 'sqs', action: 'SendMessageBatch' });
      const broken = await imported(io, 'Lonely', '--execute');
      const named =
        '12 messages (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more) already. --resend-unsure sends them again';
      const twice = 'those that SQS has are then in the queue twice';
      expect(broken).toMatchObject({
        exitCode: 1,
        out: expect.stringMatching(/\n0 messages sent\.\nSQS may have 12 messages .*\n$/),
        err: `dlo: not all are certainly sent: SQS may have ${named}\n`,
      });
      expect(broken.out).toContain(`SQS may have ${named}: ${twice}.\n`);
      account.deployed.aws.faults.clear();
      const journal = io.written.get(`${FILE}.imported`) ?? '';
      io.written.set(`${FILE}.imported`, `${journal}{"sent":[[2,"cut`);
      const { exitCode, out, err } = await imported(io, 'Lonely', '--execute');
      expect(out).toContain(
        'Unsure       12 messages that SQS may have. --resend-unsure sends them: those that SQS has are then in the queue twice\n',
      );
      expect(out).toContain('\nNothing to send.\n');
      expect([exitCode, err]).toEqual([
        1,
        'dlo: not sent, because SQS may have them already: 12 messages. --resend-unsure sends them\n',
      ]);
      // A last line without a line ending is complete.
      io.written.set(`${FILE}.imported`, (io.written.get(`${FILE}.imported`) ?? '').trimEnd());
      expect((await imported(io, 'Lonely', '--execute --resend-unsure')).out).toContain('\n12 messages sent.\n');
      expect(await account.drain('Lonely')).toEqual(numbers(12));
      expect((await imported(io, 'Lonely', '--execute')).out).toContain('Nothing to send.\n');
      io.written.set(`${FILE}.imported`, `${io.written.get(`${FILE}.imported`)}hello\n{}\n`);
      expect((await imported(io, 'Lonely')).err).toMatch(
        /^dlo: messages\.jsonl\.imported: line \d+: is not a line of a journal\n$/,
      );
    });

    test('sends again what SQS throttles, and not what SQS may have, and stops after five calls in a row', async () => {
      const { faults } = account.deployed.aws;
      const io = withFile(await archiveOf(OWN, 72));
      const sending = { service: 'sqs', action: 'SendMessageBatch' } as const;
      faults.set({ ...sending, throttle: true, forMs: 3_000 });
      expect((await imported(io, 'Lonely', '--execute')).out).toContain('\n72 messages sent.\n');
      expect(await account.drain('Lonely')).toEqual(numbers(72));
      faults.set(sending);
      const refused = () => account.deployed.happened('sqs.refused').length;
      const before = refused();
      const again = withFile(await io.readText(FILE));
      const args = `import ${FILE} ${account.queue('Lonely')} --execute`;
      const { exitCode, out, err } = await account.dlo(args, { AWS_MAX_ATTEMPTS: '5' }, again);
      expect([exitCode, err]).toEqual([1, expect.stringContaining('dlo: stopped, because SQS does not answer: ')]);
      expect(out).toContain('\nStopped, with 22 messages left: run the command again to send them.\n');
      expect(refused() - before).toBe(5);
      faults.clear();
      const rest = await imported(again, 'Lonely', '--execute');
      expect([rest.exitCode, rest.out]).toEqual([1, expect.stringContaining('\n22 messages sent.\n')]);
    });

    test('tells which messages a queue did not take, and sends these again', async () => {
      const io = withFile(await archiveOf(OWN, 3));
      account.deployed.aws.faults.set({
        service: 'sqs',
        action: 'SendMessageBatch',
        code: 'AccessDenied',
        httpStatus: 403,
      });
      expect(await imported(io, 'Lonely', '--execute')).toMatchObject({ exitCode: 1, out: '' });
      account.deployed.aws.faults.clear();
      expect((await imported(io, 'Lonely', '--execute')).out).toContain('\n3 messages sent.\n');
      const elsewhere = await imported(io, 'Dead', '--execute');
      expect(elsewhere).toMatchObject({ exitCode: 2, out: '' });
      expect(elsewhere.err).toContain(
        `messages.jsonl.imported: belongs to an import into ${account.deployed.arn('Lonely')}. Move the file away`,
      );
    });

    test('leaves behind a message that is not taken those of its group, and says so', async () => {
      const io = withFile();
      const archive = await ArchiveWriter.open(io, FILE);
      const bodies = ['1', 'bad \u{1}', '3', '4'];
      const queueArn = account.deployed.arn('DeadParcels');
      await archive.write([{ archive: { ...ARCHIVE_FORMAT, queueArn, exportedAt: '2026-01-01T00:00:00.000Z' } }]);
      for (const [at, body] of bodies.entries()) {
        const system = { MessageGroupId: body === '4' ? 'b' : 'a' };
        await archive.write([{ message: { messageId: `id-${at}`, body, attributes: {}, system } }]);
      }
      const unseen = { visible: 0, inFlight: 0, delayed: 0 };
      await archive.finish({ messages: bodies.length, isComplete: true, unseen });
      const { exitCode, out, err } = await imported(io, 'Parcels', '--execute');
      expect([exitCode, err]).toEqual([1, `dlo: ${account.queue('Parcels')} refused 1 message\n`]);
      expect(out).toMatch(
        /\n2 messages sent\.\nSQS refused line 3: InvalidMessageContents: .*\nNot sent, because they are behind these in their groups: 1 message\.\n$/,
      );
      expect(await account.drain('Parcels')).toEqual(['1', '4']);
      const again = await imported(io, 'Parcels', '--execute --json');
      expect(JSON.parse(again.out)).toMatchObject({
        sentBefore: 2,
        toSend: 2,
        sent: 0,
        notTaken: [{ line: 3 }],
        behind: 1,
      });
    });

    test('refuses messages the queue would never take', async () => {
      const io = withFile(await archiveOf(OWN, 12));
      const { exitCode, err } = await imported(io, 'Parcels', '--execute');
      expect([exitCode, err]).toEqual([
        2,
        `dlo: ${FILE}: 12 messages (lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more) without a message group, which the FIFO queue ${account.queue('Parcels')} requires\n`,
      ]);
    });

    test('refuses what is no whole export, names its lines, and sends nothing', async () => {
      const whole = await archiveOf(OWN, 3);
      const [head = '', one = '', two = '', three = '', end = ''] = whole.split(/(?<=\n)/);
      const cases: readonly (readonly [string, string])[] = [
        ['', 'is incomplete'],
        [head + one + two, 'is incomplete'],
        [whole.slice(0, -30), 'line 5: must be a JSON object with exactly one member: archive, message, end'],
        [head + one.replace('"body":"', '"body":"x') + two + three + end, 'line 5: has the SHA-256'],
        [head + one + three + end, 'line 4: says that the file has 3 messages, but it has 2'],
        [head + one + one + two + end, 'line 3: repeats the message'],
        [one + two + three + end, 'line 1: is a message, but the first line must be the header of an export'],
        [whole + one, 'line 6: comes after the last line of the export'],
        [head + head + one + end, 'line 2: is a header, which only the first line may be'],
        [
          head.replace('"version":1', '"version":2') + one,
          'line 1: archive.version must be 1, the version this dlo reads, got 2',
        ],
        [
          head + one.replace('"body":', '"bodies":') + end,
          'line 2: message.body must be a string that is not empty, got nothing',
        ],
        [
          head + one.replace('"attributes":{}', '"attributes":{"a":{"type":"Binary","base64":"?"}}') + end,
          'line 2: message.attributes.a.base64 must be bytes in base64, got "?"',
        ],
        [
          head + one.replace('"attributes":{}', '"attributes":{"a":{"type":"String"}}') + end,
          'line 2: message.attributes.a must have either a value or base64',
        ],
        ['hello\n', 'line 1: must be a JSON object'],
      ];
      for (const [text, problem] of cases) {
        const io = withFile(text);
        const { exitCode, out, err } = await imported(io, 'Lonely', '--execute');
        expect([problem, exitCode, out]).toEqual([problem, 2, '']);
        expect(err).toContain(`dlo: ${FILE}: ${problem}`);
        expect(io.written.size).toBe(0);
      }
      expect(await account.all('Lonely')).toEqual([]);
    });

    test.each(['--rate 0', '--rate fast', '--rate 1.5'])('refuses %s', async args => {
      const { exitCode, err } = await imported(withFile(), 'Lonely', args);
      expect([exitCode, err]).toEqual([2, expect.stringContaining('must be a whole number from 1 to 9999')]);
    });
  });
});
