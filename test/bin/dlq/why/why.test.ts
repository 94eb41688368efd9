import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { DeleteMessageCommand, DeleteQueueCommand, type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import { depthsIn } from '../../../../account/messages/each-message';
import { WHY_PERMISSIONS, whyDocument } from '../../../../bin/dlq/why-command';
import { type PageLayout, whyText } from '../../../../bin/dlq/why-text';
import { readsOf } from '../../../../bin/shared/command-permissions';
import type { Cause } from '../../../../diagnosis/causes/cause';
import { explain } from '../../../../diagnosis/causes/explain';
import type { AwsCall } from '../../../../diagnosis/fixes/fix';
import { response } from '../../../../local';
import { DEAD, evidenceOf, seen, T0 } from '../../../diagnosis/causes/evidence';
import { functionArn, inventoryOf, lambda, mapping, queue, queueArn } from '../../../diagnosis/inventories';
import { applyCalls } from '../../../support/apply-fix';
import { accounts } from '../../../support/subscribers';
import { addRole, OperatedAccount, openAccount } from '../../operated-account';
import { BANK, PARTNER, plainOrders, tellersOfOneStory } from './why-account';

describe('why', () => {
  interface ReportedFix {
    readonly says: string;
    readonly statement: object | null;
    readonly calls: readonly AwsCall[];
  }

  /** A cause in the output of `--json`. */
  interface ReportedCause {
    readonly failed: string;
    readonly code: string;
    readonly destination: string;
    readonly messages: number;
    readonly deliveries: number;
    readonly fix: ReportedFix | null;
  }

  const order = (number: number) => JSON.stringify({ order: number });

  const ORDERS = [1, 2, 3].map(order);

  /** Deploys an account in which all of this fails, and sends messages to each. */
  async function brokenAccount() {
    const { deployed, url } = await openAccount(plainOrders);
    deployed.aws.confirmSubscription(PARTNER);
    deployed.aws.endpoint('partner.example.com').behave({ reply: response(403, 'who are you?\u{1b}[2J') });
    await deployed.sqs.send(new DeleteQueueCommand({ QueueUrl: deployed.ref('Gone') }));
    await deployed.advance({ minutes: 2 });
    for (const message of ORDERS) await deployed.publish('Orders', message);
    await deployed.send('Work', 'work');
    await deployed.advance({ minutes: 10 });
    return { url, account: new OperatedAccount(deployed, url, 'dlq') };
  }

  describe('dlo dlq why, of what anybody makes of plain L2s, where all goes wrong at once,', () => {
    let account: OperatedAccount;
    let url: string;
    let causes: readonly ReportedCause[];

    const about = (code: string) => {
      const found = causes.find(cause => cause.code.includes(code));
      if (!found) throw new Error(`no cause is told of ${code}`);
      return found;
    };

    beforeAll(async () => {
      ({ account, url } = await brokenAccount());
      ({ causes } = await account.json(`why ${account.deployed.name('Dead')}`));
    });

    test('tells each cause once, with how many messages died of it, and where they were to go', () => {
      const { deployed } = account;
      const reported = causes.map(({ failed, code, destination, messages, deliveries }) => [
        failed,
        code,
        destination,
        messages,
        deliveries,
      ]);
      expect(reported.toSorted()).toEqual(
        [
          ['subscription', '403 AccessDenied', deployed.arn('Bills'), 3, 3],
          ['subscription', '400 KMS.AccessDeniedException', deployed.arn('Parcels'), 3, 3],
          ['subscription', '400 AWS.SimpleQueueService.NonExistentQueue', deployed.arn('Gone'), 3, 3],
          ['subscription', '403', PARTNER, 3, 3],
          ['function', 'no such order: #', deployed.arn('Clerk'), 3, 0],
          ['consumer', 'Task timed out after 3.00 seconds', deployed.arn('Dawdler'), 1, 1],
        ].toSorted(),
      );
    });

    test('prints them with what mends each, and what to do then', async () => {
      const { deployed } = account;
      const { exitCode, out, err } = await account.dlo(`why ${deployed.name('Dead')} --region us-east-1`);
      expect([exitCode, err]).toEqual([0, '']);
      expect(out.split('\n')[0]).toBe(`${deployed.name('Dead')}: 16 messages sampled; logs since 2025-12-31 00:13 UTC`);
      const block = (text: string) => out.split('\n\n').find(part => part.includes(text)) ?? '';
      expect(block('who are you')).toContain('3 messages (19 %): partner.example.com answered 403');
      const bills = block('403 AccessDenied');
      expect(bills).toContain('   Since    2026-01-01 00:03 UTC\n');
      expect(bills).toContain('"Action":"sqs:SendMessage"');
      expect(bills).toMatch(
        /^ +aws sqs set-queue-attributes --region us-east-1 --endpoint-url http:\S+ --cli-input-json '\{"QueueUrl":.*'$/m,
      );
      expect(bills).toContain('docs/runbook.md#dead-letters-arrived');
      expect(block('no such order')).toContain(`Log      /aws/lambda/${deployed.ref('Clerk')}\n`);
      expect(out).toMatch(
        new RegExp(
          `\n  dlo dlq redrive ${deployed.name('Dead')} --to ARN --filter EXPR --region us-east-1 --endpoint-url ${url}\n$`,
        ),
      );
      expect(out).not.toMatch(/[^\P{Cc}\n]/u);
    });

    test('says which deliveries the topic does not log, and how it would', async () => {
      const { notes } = await account.json(`why ${account.deployed.name('Dead')}`);
      expect(notes).toEqual([
        {
          says: expect.stringContaining('does not log failed Lambda deliveries'),
          fix: {
            says: expect.any(String),
            statement: null,
            calls: [
              {
                service: 'sns',
                operation: 'SetTopicAttributes',
                input: {
                  TopicArn: account.deployed.ref('Orders'),
                  AttributeName: 'LambdaFailureFeedbackRoleArn',
                  AttributeValue: account.deployed.arn('Logging'),
                },
              },
            ],
            commands: [expect.stringMatching(/^aws sns set-topic-attributes --region us-east-1 --endpoint-url /)],
          },
        },
      ]);
    });

    describe('and once exactly its fixes were applied', () => {
      /** Returns the queue that a message came from or was meant for; undefined if it is not a queue. */
      const home = ({ Attributes, Body = '' }: Message): string | undefined => {
        const { deployed } = account;
        if (Attributes?.DeadLetterQueueSourceArn) return deployed.ref('Work');
        const arn = /SubscriptionArn=([^"&]+)/.exec(Body)?.[1];
        const endpoint = accounts(deployed).find(it => it.subscriptionArn === arn)?.endpoint ?? '';
        return ['Bills', 'Parcels', 'Gone']
          .map(name => [deployed.arn(name), deployed.ref(name)])
          .find(([it]) => it === endpoint)?.[1];
      };

      /** Copies each message to the queue it was meant for, and then deletes it. */
      const sendHome = async () => {
        const { deployed } = account;
        for (let round = 0; round < 4; round += 1) {
          for (const message of await deployed.receive('Dead')) {
            const QueueUrl = home(message);
            if (QueueUrl === undefined) continue;
            await deployed.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: message.Body }));
            const { ReceiptHandle } = message;
            await deployed.sqs.send(new DeleteMessageCommand({ QueueUrl: deployed.ref('Dead'), ReceiptHandle }));
          }
        }
      };

      let afterwards: readonly ReportedCause[];

      const orders = async (queue: string) => {
        const bodies: string[] = [];
        for (;;) {
          const some = await account.deployed.take(queue);
          if (some.length === 0) return bodies.map(body => String(JSON.parse(body).Message)).sort();
          bodies.push(...some);
        }
      };

      beforeAll(async () => {
        const { deployed } = account;
        const fixed = ['403 AccessDenied', 'KMS.AccessDenied', 'NonExistentQueue', 'Task timed out'];
        for (const code of fixed) await applyCalls(url, about(code).fix?.calls ?? []);
        await deployed.advance({ minutes: 2 });
        ({ causes: afterwards } = await account.json(`why ${deployed.name('Dead')}`));
        await sendHome();
        await deployed.publish('Orders', order(4));
        await deployed.advance({ minutes: 10 });
      });

      test('nothing is left to fix about denied senders and deleted queues', () => {
        const fixed = afterwards
          .filter(({ code }) => /Denied|NonExistent/.test(code))
          .map(({ fix }) => [fix?.says, fix?.calls]);
        expect(fixed).toEqual(Array(3).fill([expect.stringMatching(/^No fix is needed: /), []]));
      });

      test.each(['Bills', 'Parcels', 'Gone'])(
        '%s has each of its messages once, and what is published from then on',
        async queue => {
          expect(await orders(queue)).toEqual([...ORDERS, order(4)]);
        },
      );

      test('the function that had too little time is done with its message', async () => {
        const { deployed } = account;
        expect(await deployed.functionSum('Dawdler', 'Errors')).toBe(1);
        expect(await deployed.functionSum('Dawdler', 'Invocations')).toBe(2);
        expect(await deployed.take('Work')).toEqual([]);
      });

      test('only causes that were not fixed have messages, old and new', async () => {
        await account.deployed.advance({ minutes: 1 });
        const { causes: left } = await account.json(`why ${account.deployed.name('Dead')}`);
        const messages = left.filter((cause: ReportedCause) => cause.messages > 0);
        expect(messages.map((cause: ReportedCause) => [cause.code, cause.messages]).toSorted()).toEqual([
          ['403', 4],
          ['no such order: #', 4],
        ]);
      });

      test('and the ledger has every message once: delivered, or kept by the queue of the dead', () => {
        const dead = account.deployed.name('Dead');
        const books = accounts(account.deployed).map(
          ({ protocol, published, delivered, deadLettered, lost, underWay }) => [
            protocol,
            published,
            delivered + (deadLettered[dead] ?? 0),
            lost + underWay,
          ],
        );
        expect(books.toSorted()).toEqual(
          [
            ['https', 4, 4, 0],
            ['lambda', 4, 4, 0],
            ['sqs', 4, 4, 0],
            ['sqs', 4, 4, 0],
            ['sqs', 3, 3, 0],
            ['sqs', 1, 1, 0],
          ].toSorted(),
        );
      });
    });
  });
});

describe('why told', () => {
  /** Permissions without which the command reports less, but works. */
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
      opened.deployed.aws.endpoint(BANK).behave({ reply: response(422, 'no') });
      await opened.deployed.takeQueuePolicyAway('Ruled');
      await happen();
    });

    test('tells by how things are configured what nobody logged, and from then on what is', async () => {
      const before = await why('QuietDead');
      expect(before.causes).toEqual([
        expect.objectContaining({ failed: 'subscription', code: '403 AccessDenied', isInferred: true, messages: 1 }),
      ]);
      const [note] = before.notes;
      expect(note.says).toContain('does not log failed SQS deliveries');
      expect((await account.dlo(`why ${account.deployed.name('QuietDead')}`)).out).toContain(
        '1 message (100 %): probably: ',
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

    test('says that it knows nothing of a message somebody sent there', async () => {
      for (const queue of ['BareDead', 'RuledDead']) await account.deployed.send(queue, 'whoever');
      const unexplained = async (queue: string) => (await why(queue)).unexplained;
      expect([await unexplained('BareDead'), await unexplained('RuledDead')]).toEqual([
        [
          expect.objectContaining({
            messages: 1,
            says: expect.stringContaining('came raw, without an envelope, and if they are from SNS'),
          }),
        ],
        [expect.objectContaining({ messages: 1, says: expect.stringContaining('do not show where they came from') })],
      ]);
    });

    test('tells what keeps a rule from its queue, and lets it in', async () => {
      const [cause] = (await why('RuledDead')).causes;
      expect(cause).toMatchObject({ failed: 'rule', code: expect.stringMatching(/^NO_PERMISSIONS /), messages: 1 });
      await applyCalls(url, cause.fix.calls);
      await happen();
      expect(await account.deployed.take('Ruled')).toHaveLength(1);
    });

    test('tells what a relay of ours wrote on its messages', async () => {
      const { causes } = await why('Bank/Queue/DeadLetterQueue');
      expect(causes).toEqual([
        expect.objectContaining({
          failed: 'relay',
          code: 'refused 422',
          destination: expect.stringContaining(BANK),
          example: expect.objectContaining({ attempts: 1, answer: expect.stringContaining('422') }),
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
      expect(err).toMatch(/^dlo: this statement .*:\n {2}.*"Action":\["logs:FilterLogEvents"\]/m);
      expect(out.replace(/\s+/g, ' ')).toContain('cannot be read without the permission logs:FilterLogEvents');
      const bank = account.deployed.name('Bank/Queue/DeadLetterQueue');
      const ofRelay = await account.dlo(`why ${bank}`, await account.as('LacksLogs'));
      expect([ofRelay.exitCode, ofRelay.out]).toEqual([
        0,
        expect.stringContaining(`${BANK} refuses the request (422)`),
      ]);
      expect(ofRelay.err).toMatch(/"Action":\[.*"cloudwatch:GetMetricData"/m);
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
});

describe('why text', () => {
  const BILL = functionArn('bill');
  const SITE = { region: 'eu-west-1', options: {} };
  const PAGE: PageLayout = { site: SITE, width: 120, isAll: false };

  /** Prepares ten messages of a queue, and a function's log with this many lines of each error. */
  function knownValue(errors: Readonly<Record<string, number>>) {
    const redrivePolicy = { deadLetterTargetArn: DEAD, maxReceiveCount: 1 };
    const messages = Object.entries(errors).flatMap(([error, count]) => Array.from({ length: count }, () => error));
    const evidence = evidenceOf({
      messages: Array.from({ length: 10 }, (_, at) =>
        seen('work', { messageId: `message-${at}`, movedFromArn: queueArn('work') }),
      ),
      inventory: inventoryOf({
        queues: [queue('dead'), queue('work', { redrivePolicy })],
        functions: [lambda('bill')],
        mappings: [mapping('bill', 'work')],
      }),
      functions: [
        {
          functionArn: BILL,
          logGroupName: '/aws/lambda/bill',
          lines: messages.map((error, at) => ({ atMs: T0 + at, message: `[ERROR] ${error}` })),
        },
      ],
    });
    const depths = depthsIn({});
    const gathered = {
      queue: { name: 'dead', arn: DEAD, url: 'https://sqs.example.com/dead', isFifo: false, attributes: {} },
      evidence,
      window: { fromMs: T0, toMs: T0 },
      depths,
      look: { seen: 10, end: 'empty' as const, unseen: depths },
      gaps: [],
    };
    const explanation = explain(evidence);
    return {
      text: whyText(gathered, explanation, PAGE),
      document: whyDocument(gathered, explanation, SITE),
      /** As if there were this many causes. */
      ofCauses: (count: number, page: Partial<PageLayout> = {}, more: Partial<Cause> = {}) => {
        const [cause] = explanation.causes;
        const causes = cause
          ? Array.from({ length: count }, (_, at) => ({ ...cause, messages: count - at, ...more }))
          : [];
        return whyText(gathered, { ...explanation, causes }, { ...PAGE, ...page });
      },
    };
  }

  test.each([
    ['function', 'a function', 'a function'],
    ['rule', 'a rule', 'EventBridge, for a rule'],
    ['schedule', 'a schedule', 'EventBridge Scheduler, for a schedule'],
    ['redrive', 'a dead-letter queue', 'a redrive, of messages of a dead-letter queue'],
  ] as const)('says of an unknown %s that %s failed', (failed, by, said) => {
    const key = { failed, by, code: 'x', destination: by };
    expect(knownValue({ 'Error: x': 1 }).ofCauses(1, {}, { key })).toMatch(new RegExp(`^ {3}Failed {3}${said}$`, 'm'));
  });

  test('describes five of hundreds of causes, has a line for ten, and sums up the rest', () => {
    const { ofCauses } = knownValue({ 'Error: no tax rate': 6 });
    const said = ofCauses(300);
    const [, , , , , , others = ''] = said.split('\n\n');
    expect(others.split('\n').slice(0, 2)).toEqual([
      '295 other causes of 43,660 messages (--all describes them)',
      '6. 295 messages (2,950 %): The function bill failed: Error: no tax rate',
    ]);
    expect(others.trimEnd().split('\n')).toHaveLength(12);
    expect(others).toMatch(/\nand 285 more$/);
    expect(said.match(/ Runbook /g)).toHaveLength(5);
    expect(ofCauses(300, { isAll: true }).match(/ Runbook /g)).toHaveLength(300);
    expect(ofCauses(7).match(/ Runbook /g)).toHaveLength(7);
  });

  describe('What dlo dlq why says of a consumer that failed', () => {
    test('in one way is said of all its messages', () => {
      const { text, document } = knownValue({ 'Error: no tax rate': 6 });
      expect(text).toContain('\n1. 10 messages (100 %): The function bill failed: Error: no tax rate\n');
      expect(text).not.toContain('One of');
      expect(document.causes).toEqual([expect.objectContaining({ isInferred: false, oneOf: [] })]);
    });

    test('in two ways is probably the more frequent, and each way is told with its number', () => {
      const { text, document } = knownValue({ 'Error: no tax rate': 6, 'Error: indigestible': 4 });
      expect(text).toContain(
        '\n1. 10 messages, each caused by one of 2 failures: probably: The function bill failed: Error: no tax rate\n',
      );
      expect(text).not.toContain('100 %');
      expect(text).toMatch(
        / One of {3}6 times, last .* UTC: Error: no tax rate\n +4 times, last .* UTC: Error: indigestible\n/,
      );
      expect(text).toContain('fix all of them first');
      expect(document.causes).toEqual([
        expect.objectContaining({
          isInferred: true,
          oneOf: [
            expect.objectContaining({ code: 'Error: no tax rate', times: 6 }),
            expect.objectContaining({ code: 'Error: indigestible', times: 4 }),
          ],
        }),
      ]);
    });

    test('in very many ways is told by the most frequent', () => {
      const errors = Object.fromEntries(Array.from('abcdefgh', (name, at) => [`Error: ${name}`, 10 - at]));
      expect(knownValue(errors).text).toMatch(/6 times, last .*: Error: e\n +and 3 more\n/);
    });
  });
});
