import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { build } from 'esbuild';
import { AlarmSet } from '../../lib';
import { Deployed } from '../support/deployed';
import { confirm, LOSS_ROWS, type LossRow, type LossyPart, lossyApp } from '../support/loss-rows';

const GUIDE = path.join(__dirname, '../../docs/alarms.md');

const REGION = /(?<=<!-- alarms:losses -->\n)[\s\S]*(?=<!-- \/alarms -->)/;

/** Publishes to the topic that invokes it, with AWS's SDK, which carries the trace header. */
const LOOP = `
import { SNSClient, PublishCommand } from '@aws-sdk/client-sns';
const sns = new SNSClient({});
export const handler = async () => {
  await sns.send(new PublishCommand({ TopicArn: process.env.TOPIC_ARN, Message: 'again' }));
};`;

const folder = mkdtempSync(path.join(tmpdir(), 'loop-'));

/** A part of the app with one set of alarms. */
class App {
  /** The paths of the alarms with actions. */
  readonly notifying: string[] = [];

  constructor(
    private readonly part: LossyPart,
    private readonly set: AlarmSet,
  ) {}

  readonly fill = (stack: Stack): void => {
    lossyApp(this.part, this.set, folder)(stack);
    const alarms = stack.node.findAll().filter(it => it instanceof CfnAlarm);
    const withActions = alarms.filter(({ alarmActions }) => stack.resolve(alarmActions)?.length > 0);
    this.notifying.push(...withActions.map(({ node }) => String(node.scope?.node.path).replace(/^Test\//, '')));
  };
}

const SETS = [AlarmSet.ESSENTIAL, AlarmSet.ALL];

const APPS = new Map(
  (['messaging', 'redrive', 'daily redrive', 'relay', 'short relay', 'relay without a breaker', 'fleet'] as const).map(
    part => [part, SETS.map(set => new App(part, set))],
  ),
);

/** The alarms that notified operators, in the order in which they fired first. */
async function firedBy({ act, later }: LossRow, app: App): Promise<readonly string[]> {
  const deployed = await Deployed.stack(app.fill);
  if (deployed.aws.state().topics.some(({ name }) => name.includes('Orders'))) await confirm(deployed);
  await act(deployed);
  const fromMs = later ? deployed.aws.nowMs : 0;
  await later?.(deployed);
  const names = deployed
    .happened('cloudwatch.alarm-state-changed')
    .filter(({ to, atMs }) => to === 'ALARM' && atMs >= fromMs)
    .map(({ alarmName }) => alarmName);
  const paths = new Map(app.notifying.map(it => [deployed.ref(it), it]));
  await deployed.close();
  return [...new Set(names)].flatMap(it => paths.get(it) ?? []);
}

describe('Every way to lose or delay a message triggers an alarm that notifies', () => {
  const rows: string[] = [];

  beforeAll(() =>
    build({
      stdin: { contents: LOOP, resolveDir: __dirname },
      bundle: true,
      platform: 'node',
      target: 'node20',
      outfile: path.join(folder, 'index.js'),
      logLevel: 'silent',
    }),
  );

  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(LOSS_ROWS)('$way', async row => {
    const cells: string[] = [];
    for (const app of APPS.get(row.part ?? 'messaging') ?? []) {
      const alarms = (await firedBy(row, app)).map(it => it.replace(/Alarm$/, ''));
      expect(alarms).not.toEqual([]);
      cells.push(alarms.map(it => `\`${it}\``).join(', '));
    }
    rows.push(`| ${[row.way, ...cells].join(' | ')} |`);
  });

  test('as docs/alarms.md says', () => {
    const text = ['| What happens | `ESSENTIAL` | `ALL` |', '|---|---|---|', ...rows, ''].join('\n');
    const page = readFileSync(GUIDE, 'utf8').replace(REGION, text);
    if (process.env['DLO_REWRITE_DOCS'] !== undefined) writeFileSync(GUIDE, page);
    expect(readFileSync(GUIDE, 'utf8')).toBe(page);
  });
});
