import { Command } from 'commander';
import { DISPENSABLE_INVENTORY_READS, INVENTORY_READS, STACK_READS } from '../../../account/inventory/inventory-reads';
import { readInventory } from '../../../account/inventory/read-inventory';
import { readStacks } from '../../../bin/doctor/assembly';
import { doctorCommand } from '../../../bin/doctor/command';
import { run } from '../../../bin/run';
import type { Inventory } from '../../../diagnosis/inventory/inventory';
import { readTemplates } from '../../../diagnosis/template-reader/read-templates';
import { nameInArn } from '../../../policy/arn';
import { everySender } from '../../account/inventory/every-sender';
import { assemblyOfStack } from '../../support/assembly';
import { Deployed } from '../../support/deployed';
import { connectedTo } from '../connected-to';
import { addRole, OperatedAccount } from '../operated-account';
import { MemoryIo } from '../policy/memory-io';

/** What only one of the readers can know: where a thing stands, how it is now, and what AWS calls it of itself. */
const OF_ONE_READER: ReadonlySet<string> = new Set([
  ...['place', 'policyPlaces', 'unknownProperties', 'name'],
  ...['url', 'logGroupName', 'state', 'isPending', 'Sid', 'Id'],
]);

const TAKES = [...INVENTORY_READS, ...DISPENSABLE_INVENTORY_READS, ...STACK_READS];

const KINDS = ['subscriptions', 'queues', 'functions', 'mappings', 'targets', 'alarms', 'keys', 'roles'] as const;

describe('a plain stack, and the account it is deployed in', () => {
  let deployed: Deployed;
  let url: string;
  let assembly: string;

  beforeAll(async () => {
    assembly = assemblyOfStack(stack => {
      everySender(stack);
      addRole(stack, 'Operator', TAKES);
    });
    deployed = await Deployed.assembly(assembly);
    ({ url } = await deployed.aws.listen());
  });

  const operator = () => new OperatedAccount(deployed, url, 'doctor');

  /** What only a deployment tells, in place of what stands for it. */
  function asDeployed(text: string): string {
    const resources = deployed.aws.stacks[0]?.resources;
    return text
      .replaceAll('<region>', 'us-east-1')
      .replaceAll('<account>', '123456789012')
      .replace(/<Test\.(\w+)>/g, (_, id: string) => nameInArn(String(resources?.get(id)?.ref)));
  }

  function comparable(inventory: Inventory, kind: (typeof KINDS)[number]): ReadonlyMap<string, unknown> {
    const text = JSON.stringify(inventory[kind], (name, value) => (OF_ONE_READER.has(name) ? undefined : value));
    const all: { arn: string; policies?: unknown[] }[] = JSON.parse(asDeployed(text));
    // In what order IAM tells the policies of a role is its own affair.
    return new Map(
      all.map(({ policies, ...it }) => [it.arn, { ...it, policies: policies?.map(one => JSON.stringify(one)).sort() }]),
    );
  }

  describe('are read alike', () => {
    let [template, account]: (Inventory | undefined)[] = [];

    beforeAll(async () => {
      template = readTemplates(readStacks(assembly)[0]?.stacks ?? []);
      account = await connectedTo(url, aws => readInventory(aws));
    });

    test.each(KINDS)('as to %s', kind => {
      if (!template || !account) throw new Error('nothing was read');
      const read = comparable(template, kind);
      // What somebody has to confirm first is not told of yet; of roles only those of functions are asked.
      const known = [...comparable(account, kind)].filter(([arn]) => arn !== 'PendingConfirmation');
      expect(known.length).toBeGreaterThan(0);
      for (const [arn, facts] of known) expect(read.get(arn)).toEqual(facts);
    });
  });

  const brief = (findings: readonly { readonly id: string; readonly arn: string }[]) =>
    findings.map(({ id, arn }) => `${id} ${asDeployed(arn)}`).sort();

  test('are told the same of, but for who has not confirmed a subscription yet', async () => {
    const io = new MemoryIo();
    const program = new Command('dlo').addCommand(doctorCommand({ io, nowMs: () => 0, wait: async () => {} }));
    await run(program, ['doctor', assembly, '--json', '--severity', 'unwatched'], io);
    const { findings, region } = await operator().json('--severity unwatched');
    const unheard = { id: 'ops-topic-unheard', arn: deployed.ref('Ops') };
    expect(brief(findings)).toEqual(brief([...JSON.parse(io.out).findings, unheard]));
    expect(region).toBe('us-east-1');
  });

  test('are mended in the account by commands', async () => {
    const { exitCode, out, err } = await operator().dlo('--severity unwatched --fail-on rejected');
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toMatch(/^Looked at the account 123456789012 in us-east-1: 2 topics, 3 subscriptions, /);
    expect(out).toMatch(
      /\n {6}aws cloudwatch put-metric-alarm --region us-east-1 --endpoint-url \S+ --cli-input-json '\{.*\}'\n/,
    );
  });

  test('are examined with the permissions of the help, and no more', async () => {
    const environment = await operator().as('Operator');
    const { exitCode, out, err } = await operator().dlo('--stack Test', environment);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toBe((await operator().dlo('--stack Test')).out);
    const help = (await operator().dlo('--help')).out;
    expect(TAKES.filter(action => !help.includes(action))).toEqual([]);
  });

  test('are narrowed to a stack', async () => {
    const { findings } = await operator().json('--stack Test --severity unwatched');
    expect(brief(findings)).toContain(`losses-unwatched ${deployed.ref('Orders')}`);
    const { exitCode, err } = await operator().dlo('--stack Nobody');
    expect([exitCode, err]).toEqual([2, expect.stringContaining('no stack in us-east-1 is named Nobody')]);
  });
});
