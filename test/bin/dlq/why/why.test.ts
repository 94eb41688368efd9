import { DeleteMessageCommand, DeleteQueueCommand, type Message, SendMessageCommand } from '@aws-sdk/client-sqs';
import type { AwsCall } from '../../../../diagnosis/fixes/fix';
import { response } from '../../../../local';
import { applyCalls } from '../../../support/apply-fix';
import { accounts } from '../../../support/subscribers';
import { OperatedAccount, openAccount } from '../../operated-account';
import { PARTNER, plainOrders } from './why-account';

interface ReportedFix {
  readonly says: string;
  readonly statement: object | null;
  readonly calls: readonly AwsCall[];
}

/** A cause as `--json` tells it. */
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

/** An account in which all of this goes wrong, and letters of each. */
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

  test('tells each cause once, with how many letters died of it, and where they were to go', () => {
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
    expect(out.split('\n')[0]).toBe(`${deployed.name('Dead')}: 16 letters looked at; logs since 2025-12-31 00:13 UTC`);
    const block = (text: string) => out.split('\n\n').find(part => part.includes(text)) ?? '';
    expect(block('who are you')).toContain('3 letters (19 %): partner.example.com answered 403');
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
        says: expect.stringContaining('does not log Lambda deliveries that fail'),
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
    /** Where a letter came from, or was to go; undefined where that is no queue. */
    const home = ({ Attributes, Body = '' }: Message): string | undefined => {
      const { deployed } = account;
      if (Attributes?.DeadLetterQueueSourceArn) return deployed.ref('Work');
      const arn = /SubscriptionArn=([^"&]+)/.exec(Body)?.[1];
      const endpoint = accounts(deployed).find(it => it.subscriptionArn === arn)?.endpoint ?? '';
      return ['Bills', 'Parcels', 'Gone']
        .map(name => [deployed.arn(name), deployed.ref(name)])
        .find(([it]) => it === endpoint)?.[1];
    };

    /** Copies each letter to the queue it was for, and only then deletes it. */
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

    test('nothing is left to mend of what let nobody in, or was gone', () => {
      const fixed = afterwards
        .filter(({ code }) => /Denied|NonExistent/.test(code))
        .map(({ fix }) => [fix?.says, fix?.calls]);
      expect(fixed).toEqual(Array(3).fill([expect.stringMatching(/^Nothing is left to mend: /), []]));
    });

    test.each(['Bills', 'Parcels', 'Gone'])(
      '%s has each of its letters once, and what is published from then on',
      async queue => {
        expect(await orders(queue)).toEqual([...ORDERS, order(4)]);
      },
    );

    test('the function that had too little time is done with its letter', async () => {
      const { deployed } = account;
      expect(await deployed.functionSum('Dawdler', 'Errors')).toBe(1);
      expect(await deployed.functionSum('Dawdler', 'Invocations')).toBe(2);
      expect(await deployed.take('Work')).toEqual([]);
    });

    test('and of what was not mended alone there are letters, old and new', async () => {
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
