import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { readsOf } from '../../../../bin/dlq/permissions/command-permissions';
import { WHY_PERMISSIONS } from '../../../../bin/dlq/why/command';
import { response } from '../../../../local';
import { applyCalls } from '../../../support/apply-fix';
import { addRole, OperatedAccount, openAccount } from '../../operated-account';
import { BANK, tellersOfOneStory } from './why-account';

/** Without which it tells what it can. */
const DISPENSABLE = ['logs:FilterLogEvents', 'cloudwatch:GetMetricData'];

describe('dlo dlq why', () => {
  let account: OperatedAccount;
  let url: string;

  const why = (queue: string) => account.json(`why ${account.deployed.name(queue)}`);

  const happen = async () => {
    const { deployed } = account;
    await deployed.publish('Quiet', 'quiet');
    await deployed.publish('Bare', 'bare');
    await deployed.publish('Payments', 'payment');
    const events = new EventBridgeClient({ ...deployed.aws.clientConfig(), maxAttempts: 1 });
    await events.send(new PutEventsCommand({ Entries: [{ Source: 'shop', DetailType: 'sold', Detail: '{}' }] }));
    await deployed.advance({ minutes: 5 });
  };

  beforeAll(async () => {
    const opened = await openAccount(stack => {
      tellersOfOneStory(stack);
      addRole(stack, 'MayAskWhy', readsOf(WHY_PERMISSIONS));
      addRole(
        stack,
        'LacksLogs',
        readsOf(WHY_PERMISSIONS).filter(action => !DISPENSABLE.includes(action)),
      );
      addRole(
        stack,
        'LacksReceive',
        readsOf(WHY_PERMISSIONS).filter(action => action !== 'sqs:ReceiveMessage'),
      );
    });
    url = opened.url;
    account = new OperatedAccount(opened.deployed, url, 'dlq');
    opened.deployed.aws.endpoint(BANK).behave({ reply: response(403, 'no') });
    await opened.deployed.takeQueuePolicyAway('Ruled');
    await happen();
  });

  test('tells by how things are configured what nobody logged, and from then on what is', async () => {
    const before = await why('QuietDead');
    expect(before.causes).toEqual([
      expect.objectContaining({ failed: 'subscription', code: '403 AccessDenied', isInferred: true, messages: 1 }),
    ]);
    const [note] = before.notes;
    expect(note.says).toContain('does not log SQS deliveries that fail');
    expect((await account.dlo(`why ${account.deployed.name('QuietDead')}`)).out).toContain(
      '1 letter (100 %): probably: ',
    );
    await applyCalls(url, note.fix.calls);
    await account.deployed.publish('Quiet', 'quiet again');
    await account.deployed.advance({ minutes: 1 });
    const after = await why('QuietDead');
    expect(after.notes).toEqual([]);
    expect(after.causes).toEqual([
      expect.objectContaining({ code: '403 AccessDenied', isInferred: false, messages: 2, deliveries: 1 }),
    ]);
    await applyCalls(url, after.causes[0].fix.calls);
    await account.deployed.publish('Quiet', 'heard');
    await account.deployed.advance({ minutes: 1 });
    expect((await account.deployed.take('QuietBills')).map(body => JSON.parse(body).Message)).toEqual(['heard']);
    const fixed = await why('QuietDead');
    expect(fixed.causes[0].fix).toEqual({
      says: expect.stringContaining('allows it by now'),
      statement: null,
      calls: [],
      commands: [],
    });
  });

  test('finds the record of a bare message by what it says', async () => {
    const { causes, unexplained } = await why('BareDead');
    expect(causes).toEqual([expect.objectContaining({ code: '403 AccessDenied', messages: 1, deliveries: 1 })]);
    expect(unexplained).toEqual([]);
  });

  test('says that it knows nothing of a letter somebody sent there', async () => {
    for (const queue of ['BareDead', 'RuledDead']) await account.deployed.send(queue, 'whoever');
    const unexplained = async (queue: string) => (await why(queue)).unexplained;
    expect([await unexplained('BareDead'), await unexplained('RuledDead')]).toEqual([
      [
        expect.objectContaining({
          messages: 1,
          says: expect.stringContaining('came bare, without an envelope, and if by SNS'),
        }),
      ],
      [expect.objectContaining({ messages: 1, says: expect.stringContaining('came without a word of where from') })],
    ]);
  });

  test('tells what keeps a rule from its queue, and lets it in', async () => {
    const [cause] = (await why('RuledDead')).causes;
    expect(cause).toMatchObject({ failed: 'rule', code: expect.stringMatching(/^NO_PERMISSIONS /), messages: 1 });
    await applyCalls(url, cause.fix.calls);
    await happen();
    expect(await account.deployed.take('Ruled')).toHaveLength(1);
  });

  test('tells what a relay of ours wrote on its letters', async () => {
    const { causes } = await why('Bank/Queue/DeadLetterQueue');
    expect(causes).toEqual([
      expect.objectContaining({
        failed: 'relay',
        code: 'refused 403',
        destination: expect.stringContaining(BANK),
        example: expect.objectContaining({ attempts: 1, answer: expect.stringContaining('403') }),
      }),
    ]);
  });

  test('takes no more than is printed of it', async () => {
    const { exitCode, err } = await account.dlo(
      `why ${account.deployed.name('BareDead')}`,
      await account.as('MayAskWhy'),
    );
    expect([exitCode, err]).toEqual([0, '']);
  });

  test('tells what it can where it may not read logs, and says what to grant', async () => {
    const name = account.deployed.name('BareDead');
    const { exitCode, out, err } = await account.dlo(`why ${name}`, await account.as('LacksLogs'));
    expect(exitCode).toBe(0);
    expect(err).toMatch(/^dlo: warning: logs:FilterLogEvents is denied: .*"Action":"logs:FilterLogEvents"/m);
    expect(out.replace(/\s+/g, ' ')).toContain('may not be read: it takes logs:FilterLogEvents');
    const bank = account.deployed.name('Bank/Queue/DeadLetterQueue');
    const ofRelay = await account.dlo(`why ${bank}`, await account.as('LacksLogs'));
    expect([ofRelay.exitCode, ofRelay.out]).toEqual([0, expect.stringContaining(`${BANK} refuses the request (403)`)]);
    expect(ofRelay.err).toMatch(
      /^dlo: warning: cloudwatch:GetMetricData is denied: .*"Action":"cloudwatch:GetMetricData"/m,
    );
  });

  test('says so, and nothing else, where it may not receive', async () => {
    const name = account.deployed.name('BareDead');
    const { exitCode, out, err } = await account.dlo(`why ${name}`, await account.as('LacksReceive'));
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toMatch(/dlo: sqs:ReceiveMessage is denied: /i);
  });

  test.each([
    ['why Nobody', /no queue of the account 123456789012 in us-east-1 is named Nobody/],
    ['why Test-Dead --since 15d', /--since.*at most 14d/],
    ['why Test-Dead --since soon', /--since.*minutes, hours or days/],
    ['why Test-Dead -n 0', /--number.*from 1 to 999999/],
  ])('takes %s for bad input', async (args, text) => {
    const { exitCode, out, err } = await account.dlo(args);
    expect([exitCode, out, err]).toEqual([2, '', expect.stringMatching(text)]);
  });
});
