import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { inlineFunction } from '../../support/inline-function';
import { MemoryIo } from '../shared/memory-io';
import { plainShop } from './manual-redrive/plain-shop';
import { RedriveAccount } from './manual-redrive/redrive-account';

const FILE = 'messages.jsonl';

const SECRET = '4111111111111111';

const BODY = JSON.stringify({ order: 'R-0042 poison', card: { number: SECRET } });

const BANK = `exports.handler = async ({ card }) => { throw new Error('no money on ' + card.number); };`;

describe('--redact', () => {
  let account: RedriveAccount;

  beforeAll(async () => {
    account = await RedriveAccount.of(stack => {
      plainShop(stack);
      inlineFunction(stack, 'Bank', BANK, { deadLetterQueue: new Queue(stack, 'BankDead'), retryAttempts: 0 });
    });
    const lambda = new LambdaClient(account.deployed.aws.clientConfig());
    for (const name of ['Printer', 'Bank']) {
      const FunctionName = account.deployed.ref(name);
      await lambda.send(new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: BODY }));
    }
    await account.deployed.advance({ minutes: 2 });
  });

  afterEach(() => account.deployed.advance({ minutes: 5 }));

  const run = async (args: string, environment: NodeJS.ProcessEnv = {}, io = new MemoryIo()) => {
    const name = account.queue('PrinterDead');
    const came = await account.dlo(args.replace('QUEUE', name), environment, io);
    return { ...came, io, all: `${came.out}${came.err}${[...io.written.values()].join('')}` };
  };

  test.each(['peek QUEUE --full', 'peek QUEUE --json', 'why QUEUE', 'why QUEUE --json', `export QUEUE ${FILE}`])(
    'hides the value in the output of dlo dlq %s, named by option or environment',
    async args => {
      for (const [option, environment] of [
        [' --redact card.number', {}],
        ['', { DLO_REDACT: 'nothing; card.number' }],
      ] as const) {
        const { exitCode, all } = await run(`${args}${option}`, environment);
        expect([exitCode, all]).toEqual([0, expect.not.stringContaining(SECRET)]);
        if (!args.startsWith('why')) expect(all).toContain('R-0042');
        await account.deployed.advance({ minutes: 5 });
      }
      if (!args.startsWith('why')) expect((await run(args)).all).toContain(SECRET);
    },
  );

  test('of an export keeps import and purge from using it', async () => {
    const { io, err } = await run(`export QUEUE ${FILE} --redact card`);
    expect(err).toContain('has redacted bodies: import and purge refuse it');
    for (const args of [`import ${FILE} QUEUE`, `purge QUEUE --export ${FILE}`]) {
      const { exitCode, err } = await run(args, {}, io);
      expect([exitCode, err]).toEqual([2, expect.stringContaining('was exported with --redact')]);
    }
  });

  test('hides the value in the changes of an edit', async () => {
    const [message] = await account.deployed.receive('PrinterDead');
    await account.deployed.advance({ minutes: 5 });
    const io = new MemoryIo();
    io.editor = text => text.replace('R-0042', 'R-0043');
    const args = `edit QUEUE ${message?.MessageId} --to ${account.queue('Lonely')} --redact card.number`;
    const { exitCode, out } = await run(args, {}, io);
    expect([exitCode, out]).toEqual([0, expect.stringContaining(`"number": "[redacted]"`)]);
  });

  test.each([
    ['', SECRET],
    [' --redact card.number', '[redacted]'],
  ])('hides the value in the errors of a redrive: with%s it shows %s', async (option, shown) => {
    const came = await account.dlo(`redrive ${account.queue('BankDead')} --canary 0 --execute${option}`);
    expect(came.exitCode).toBe(1);
    expect(came.out).toContain(`failed again: Error: no money on ${shown}`);
    if (option !== '') expect(came.out + came.err).not.toContain(SECRET);
  });

  test('is refused before anything is received if it is no path', async () => {
    expect(await run('peek QUEUE --redact length(card)')).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('--redact'),
    });
  });
});
