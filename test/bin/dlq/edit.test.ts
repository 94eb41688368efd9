import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { differences } from '../../../account/edit/edited-message';
import { MemoryIo } from '../shared/memory-io';
import { RedriveAccount } from './manual-redrive/redrive-account';
import { ownAndPlainQueues } from './messages-account';

const BODY = '{"order":"R-0042","total":"12"}';

const TENANT = { tenant: { DataType: 'String', StringValue: 'blue' } };

const many = (count: number): Record<string, MessageAttributeValue> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`a${at}`, { DataType: 'Number', StringValue: `${at}` }]),
  );

describe('dlo dlq edit', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(stack => {
      ownAndPlainQueues(stack);
      new LogGroup(stack, 'Audit', { logGroupName: 'audit' });
    });
  });

  afterEach(async () => {
    account.deployed.aws.faults.clear();
    await account.deployed.advance({ minutes: 15 });
    for (const queue of ['Quiet', 'Lonely', 'DeadParcels', 'Parcels']) await account.drain(queue);
  });

  /** Edits one of three messages in an editor that replaces a text. */
  async function edit(replace: readonly [string, string], more: string, MessageAttributes = TENANT as never) {
    await account.send('Quiet', 'other');
    const id = await account.send('Quiet', BODY, { MessageAttributes });
    await account.send('Quiet', 'third');
    const io = new MemoryIo();
    io.editor = text => text.replace(...replace);
    const to = more.includes('--to') ? '' : ` --to ${account.queue('Lonely')}`;
    const came = await account.dlo(`edit Test-Quiet ${id}${to} ${more}`.trim(), {}, io);
    return { ...came, id, io };
  }

  const TOTAL = ['"total": "12"', '"total": 12'] as const;

  test('shows the difference, sends nothing, and keeps the edited message for --execute', async () => {
    const { exitCode, out, id, io } = await edit(TOTAL, '');
    expect([exitCode, out]).toEqual([
      0,
      `Message  ${id} of Test-Quiet\n` +
        `To       ${account.queue('Lonely')}, as a new message; its attribute EditedFromMessageId has the id ${id}\n` +
        'Changes\n      "body": {\n        "order": "R-0042",\n' +
        '  -     "total": "12"\n  +     "total": 12\n      },\n      "attributes": {\n' +
        'Nothing has been sent. This command sends it, and deletes the old message:\n' +
        `  dlo dlq edit Test-Quiet ${id} --to ${account.queue('Lonely')} --file ${id}.json --execute ${account.site}\n`,
    ]);
    expect([account.depth('Quiet'), account.depth('Lonely')]).toEqual([
      [3, 0],
      [0, 0],
    ]);
    const args = `edit Test-Quiet ${id} --to ${account.queue('Lonely')} --file ${id}.json --execute --audit-log-group audit`;
    const sent = await account.dlo(args, {}, io);
    expect([sent.exitCode, sent.out]).toEqual([
      0,
      expect.stringMatching(/\nSent as [\w-]+\. The old message is deleted\.\n$/),
    ]);
    const [message] = await account.deployed.receive('Lonely');
    expect(message).toMatchObject({
      Body: '{"order":"R-0042","total":12}',
      MessageAttributes: { ...TENANT, EditedFromMessageId: { StringValue: id } },
    });
    expect(await account.drain('Quiet')).toEqual(['other', 'third']);
    const records = account.deployed.log('audit').map(record => JSON.parse(record));
    expect(records).toMatchObject([
      { phase: 'intent', command: 'dlq edit', details: { messageId: id, to: account.deployed.arn('Lonely') } },
      { phase: 'outcome', outcome: { newMessageId: message?.MessageId } },
    ]);
    expect(JSON.stringify(records)).not.toContain('R-0042');
  });

  test.each<[string, readonly [string, string], RegExp]>([
    ['nothing was changed', ['x', 'x'], /nothing was changed/],
    ['what is no JSON', ['{', ''], /must be a JSON object with body and attributes/],
    ['an unknown member', ['"attributes"', '"delay": 5, "attributes"'], /delay must not be there/],
    ['an empty body', ['"body": {', '"body": "", "attributes": {}, "x": {'], /must not be there/],
    [
      'a wrong type',
      ['"String"', '"Text"'],
      /attributes.tenant.type must begin with String, Number or Binary: got "Text"|attributes\.tenant\.type must begin/,
    ],
    ['a number that is none', ['"String"', '"Number"'], /attributes\.tenant\.value must be a number/],
    ['a reserved name', ['"tenant"', '"AWS.tenant"'], /not begin with AWS\. or Amazon\./],
    ['an empty value', ['"blue"', '""'], /must have a value that is not empty/],
    [
      'a body that is too large',
      ['R-0042', 'x'.repeat(1_048_577)],
      /body and attributes must have at most 1048576 bytes/,
    ],
  ])('refuses %s, and leaves the message', async (_, replace, says) => {
    const { exitCode, err } = await edit(replace, '--execute');
    expect([exitCode, err]).toEqual([2, expect.stringMatching(says)]);
    expect([account.depth('Quiet'), account.depth('Lonely')]).toEqual([
      [3, 0],
      [0, 0],
    ]);
  });

  test.each([
    [9, true],
    [10, false],
  ])('of a message with %i attributes, the new one has the old id: %p', async (count, isNoted) => {
    const { exitCode, out } = await edit(TOTAL, '--execute', many(count) as never);
    expect([exitCode, out.includes('SQS accepts no further attribute')]).toEqual([0, !isNoted]);
    const [message] = await account.deployed.receive('Lonely');
    expect(Object.keys(message?.MessageAttributes ?? {})).toHaveLength(10);
  });

  test('keeps the old message where SQS may have the new one, or refuses it', async () => {
    const resource = account.deployed.arn('Lonely');
    account.deployed.aws.faults.set({
      service: 'sqs',
      action: 'SendMessage',
      resource,
      httpStatus: 500,
      code: 'InternalFailure',
    });
    const unsure = await edit(TOTAL, '--execute --json');
    expect([unsure.exitCode, JSON.parse(unsure.out)]).toMatchObject([
      1,
      { executed: true, newMessageId: null, unsure: expect.stringContaining('sqs:SendMessage') },
    ]);
    expect(account.depth('Quiet')).toEqual([3, 0]);
    account.deployed.aws.faults.clear();
    account.deployed.aws.faults.set({
      service: 'sqs',
      action: 'SendMessage',
      resource,
      httpStatus: 403,
      code: 'AccessDenied',
    });
    expect(await edit(TOTAL, '--execute')).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('sqs:SendMessage is denied'),
    });
    expect(account.depth('Quiet')).toEqual([6, 0]);
  });

  test('sends a FIFO message in its group, back to the queue that SQS moved it from, with an id of its own', async () => {
    const fifo = { MessageGroupId: 'g', MessageDeduplicationId: 'once' };
    await account.send('Parcels', BODY, fifo);
    for (let receive = 0; receive < 4; receive += 1) {
      await account.deployed.receive('Parcels');
      await account.deployed.advance({ minutes: 1 });
    }
    const [dead] = await account.deployed.receive('DeadParcels');
    await account.deployed.advance({ minutes: 1 });
    const io = new MemoryIo();
    io.editor = text => text.replace('R-0042', 'R-0043');
    const args = `edit ${account.queue('DeadParcels')} ${dead?.MessageId} --execute`;
    expect(await account.dlo(args, {}, io)).toMatchObject({ exitCode: 0 });
    const [message] = await account.deployed.receive('Parcels');
    expect(message).toMatchObject({ Body: expect.stringContaining('R-0043'), Attributes: { MessageGroupId: 'g' } });
    expect(account.depth('DeadParcels')).toEqual([0, 0]);
  });

  test('needs a message, a destination and an editor', async () => {
    const missing = await account.dlo('edit Test-Quiet nowhere --to Test-Quiet', {}, new MemoryIo());
    expect(missing).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('no visible message of Test-Quiet has the id nowhere'),
    });
    const id = await account.send('Quiet', BODY);
    expect(await account.dlo(`edit Test-Quiet ${id}`)).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('name with --to'),
    });
    await account.deployed.advance({ minutes: 3 });
    expect(await account.dlo(`edit Test-Quiet ${id} --to Test-Quiet`)).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('--file'),
    });
  });

  test('of two texts has the lines that differ, and some around them', () => {
    const text = (...lines: string[]) => lines.join('\n');
    expect(differences(text('a', 'b', 'c', 'd', 'e'), text('a', 'b', 'x', 'd', 'y', 'e'), 1)).toEqual([
      '  b',
      '- c',
      '+ x',
      '  d',
      '+ y',
      '  e',
    ]);
    expect(differences('a\nb\n', 'a\nb')).toEqual([]);
    expect(differences('a', 'a\nb')).toEqual(['  a', '+ b']);
  });
});
